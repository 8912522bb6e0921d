// One snapshot of a run: a sample, a token's probability over time, and the attention maps.
import {isDark, add} from '../../../shared/view/page.js';

// A sample behind its prompt; nothing without a look.
export function writeSample(box, prompt, look) {
  box.textContent = '';
  if (!look) return;
  add(box, 'span', 'tr-prompt u-muted', prompt);
  add(box, 'span', '', look.text);
}

// A small line of [update, chance] points with a dot at one of them, which is returned; undefined without points.
export function drawSpark(canvas, element, points, at) {
  const pen = canvas.getContext('2d'),
    style = getComputedStyle(element),
    {width, height} = canvas;
  pen.clearRect(0, 0, width, height);
  if (!points.length) return undefined;
  const now = points[Math.min(at, points.length - 1)],
    last = Math.max(1, points.at(-1)[0]),
    place = ([step, p]) => [4 + (step / last) * (width - 8), height - 4 - p * (height - 8)];
  pen.strokeStyle = style.getPropertyValue('--border-color-primary');
  pen.strokeRect(0.5, 0.5, width - 1, height - 1);
  pen.strokeStyle = pen.fillStyle = style.getPropertyValue('--lens-accent');
  pen.lineWidth = 3;
  pen.beginPath();
  points.forEach((point, i) => pen[i ? 'lineTo' : 'moveTo'](...place(point)));
  pen.stroke();
  pen.beginPath();
  pen.arc(...place(now), 5, 0, 7);
  pen.fill();
  return now;
}

// Where every head looks, and what it does where that is clear. values: bytes [L][H][T][T], 255 for all attention.
export function drawMaps(box, values, T, {L, H}, look) {
  box.style.gridTemplateColumns = `repeat(${Math.min(H, 8)}, minmax(0, 1fr))`;
  if (box.children.length !== L * H) {
    box.textContent = '';
    for (let i = 0; i < L * H; i++) {
      const cell = add(box, 'figure');
      add(cell, 'canvas');
      add(cell, 'figcaption');
    }
  }
  const dark = isDark(),
    ink = dark ? [169, 214, 234] : [18, 69, 95],
    paper = dark ? [13, 17, 28] : [255, 255, 255];
  for (let i = 0; i < L * H; i++) {
    const [canvas, caption] = box.children[i].children,
      l = Math.floor(i / H),
      h = i % H,
      image = new ImageData(T, T);
    canvas.width = canvas.height = T;
    for (let p = 0; p < T * T; p++) {
      const share = Math.sqrt(values[i * T * T + p] / 255);
      for (let c = 0; c < 3; c++) image.data[4 * p + c] = paper[c] + (ink[c] - paper[c]) * share;
      image.data[4 * p + 3] = 255;
    }
    canvas.getContext('2d').putImageData(image, 0, 0);
    const named = role(look.induction?.[l]?.[h] ?? 0, look.previous?.[l]?.[h] ?? 0);
    caption.textContent = `${l}.${h}${named}`;
    box.children[i].classList.toggle('tr-found', Boolean(named));
  }
}

function role(induction, previous) {
  if (Math.max(induction, previous) < 0.4) return '';
  return induction > previous ? ` induction ${induction.toFixed(2)}` : ` token before ${previous.toFixed(2)}`;
}

// The first words of a text, whole ones, of at most so many characters.
export function beginning(text, most = 60) {
  if (text.length <= most) return text.trimEnd();
  const end = text.slice(0, most + 1).lastIndexOf(' ');
  return text.slice(0, end > 0 ? end : most).trimEnd();
}
