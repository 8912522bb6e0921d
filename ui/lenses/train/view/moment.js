// One snapshot of a run: a sample, a token's probability over time, and the attention maps.
import {isDark, add} from '../../../shared/view/page.js';
import {painted} from '../../../shared/view/scales.js';

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
  box.textContent = '';
  for (let i = 0; i < L * H; i++) {
    const cell = add(box, 'figure'),
      l = Math.floor(i / H),
      h = i % H,
      named = role(look.induction?.[l]?.[h] ?? 0, look.previous?.[l]?.[h] ?? 0);
    const shares = Array.from(values.subarray(i * T * T, (i + 1) * T * T), byte => byte / 255);
    cell.append(painted(shares, T, 'share', 1, isDark()));
    add(cell, 'figcaption', '', `${l}.${h}${named}`);
    cell.classList.toggle('tr-found', Boolean(named));
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
