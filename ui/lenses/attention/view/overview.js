// All heads as thumbnails, with what each does, in one canvas.
import {placeOf, ramp} from '../../../shared/view/scales.js';
import {isDark} from '../../../shared/view/look.js';
import {fitted} from './map_painting.js';
import {ROLES, badgeOf, same} from './roles.js';

const NARROW = 50; // pixels of a small picture that has no room for a word

// view: {part, value, thumb, chosen, peek}, as they are now.
export function overview(view) {
  const {part} = view,
    grid = part('grid');
  let picture = null;
  function layout() {
    const {value} = view;
    const width = part('scroll').clientWidth - 2,
      room = Math.max(
        260,
        parseFloat(getComputedStyle(grid).getPropertyValue('--at-height')) || 420,
      );
    const gutter = 18,
      size = Math.max(26, Math.min((width - gutter) / value.H, (room - gutter) / value.L, 110));
    return {gutter, size, width: gutter + size * value.H, height: gutter + size * value.L};
  }
  function draw() {
    const {value, chosen, peek} = view;
    if (!value || !part('scroll').clientWidth) return;
    const box = layout(),
      text = getComputedStyle(grid);
    grid.style.width = box.width + 'px';
    grid.style.height = box.height + 'px';
    const ctx = fitted(grid),
      color = name => text.getPropertyValue(name);
    picture ??= atlas(view.thumb, value);
    legend(box.size < NARROW);
    const size = box.size - 3,
      small = Math.max(9, Math.min(13, size * 0.21));
    ctx.font = `11px ${text.fontFamily}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = color('--body-text-color-subdued');
    for (let head = 0; head < value.H; head++)
      ctx.fillText(head, box.gutter + (head + 0.5) * box.size, 8);
    for (let layer = 0; layer < value.L; layer++)
      ctx.fillText(layer, 8, box.gutter + (layer + 0.5) * box.size);
    for (let layer = 0; layer < value.L; layer++)
      for (let head = 0; head < value.H; head++) {
        const x = box.gutter + head * box.size,
          y = box.gutter + layer * box.size;
        ctx.imageSmoothingEnabled = value.side > size;
        ctx.fillStyle = color('--lens-blank');
        ctx.fillRect(x, y, size, size);
        ctx.drawImage(
          picture,
          head * value.side,
          layer * value.side,
          value.side,
          value.side,
          x,
          y,
          size,
          size,
        );
        if (size >= 24) badges(ctx, [layer, head], x + size - 2, y + 2, small, text);
        const own = same([layer, head], chosen),
          near = peek && same([layer, head], peek);
        ctx.strokeStyle = color(
          own ? '--lens-accent' : near ? '--lens-line' : '--border-color-primary',
        );
        ctx.lineWidth = own ? 3 : near ? 2 : 1;
        ctx.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
      }
  }
  // The future half of a thumbnail is free: role and its share stand there.
  function badges(ctx, [layer, head], right, top, size, style) {
    const {value} = view;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'top';
    ctx.fillStyle = style.getPropertyValue('--body-text-color');
    const lines = value.signed
      ? [value.scores.changed[layer][head].toFixed(2)]
      : badgeOf(value, [layer, head], layout().size < NARROW);
    if (!value.causal) {
      ctx.lineWidth = 3;
      ctx.strokeStyle = style.getPropertyValue('--lens-paper');
    }
    lines.forEach((text, i) => {
      ctx.font = `${i || value.signed ? '' : 'bold '}${size}px ${style.fontFamily}`;
      if (!value.causal) ctx.strokeText(text, right, top + i * size * 1.1);
      ctx.fillText(text, right, top + i * size * 1.1);
    });
  }
  function legend(narrow) {
    const named = Object.values(ROLES).filter(([word]) => word);
    const roles = named.map(([word, , what]) => `${word}: ${what.split(':')[0]}`).join(' · ');
    part('legend').textContent = view.value.signed
      ? 'Orange: A looks there more. Blue: B does. The number says how much of the attention moved, 0 to 1.'
      : `${roles} · ~ = weakly${narrow ? '' : ' · % = share of its attention'}`;
  }
  function headAt(event) {
    const box = layout(),
      frame = grid.getBoundingClientRect();
    const head = Math.floor((event.clientX - frame.left - box.gutter) / box.size),
      layer = Math.floor((event.clientY - frame.top - box.gutter) / box.size);
    return head >= 0 && layer >= 0 && head < view.value.H && layer < view.value.L
      ? [layer, head]
      : null;
  }

  // Scrolls a head into sight, where not all are.
  function reveal([, head]) {
    const box = layout(),
      scroll = part('scroll');
    const least = box.gutter + (head + 1) * box.size - scroll.clientWidth;
    if (scroll.scrollWidth > scroll.clientWidth)
      scroll.scrollLeft = Math.min(Math.max(scroll.scrollLeft, least), head * box.size);
  }

  return {
    draw,
    headAt,
    reveal,
    // Paints the thumbnails anew: of another text, or in other colours.
    forget() {
      picture = null;
    },
  };
}

// All heads in one canvas, side x side pixels each; 16 codes are 16 colours.
function atlas(thumbs, {L, H, side, causal, signed}) {
  const kind = signed ? 'signed' : 'share',
    lut = ramp(kind, isDark());
  const colours = Array.from({length: 16}, (_, code) => lut[placeOf(thumbs.read(code), kind, 1)]);
  const canvas = document.createElement('canvas'),
    width = (canvas.width = side * H);
  const image = new ImageData(width, (canvas.height = side * L)),
    pixels = new Uint32Array(image.data.buffer);
  for (let layer = 0; layer < L; layer++)
    for (let head = 0; head < H; head++)
      for (let q = 0, at = thumbs.first(layer, head); q < side; q++)
        for (
          let k = 0, to = (layer * side + q) * width + head * side;
          k <= (causal ? q : side - 1);
          k++
        )
          pixels[to + k] = colours[thumbs.code(at++)];
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}
