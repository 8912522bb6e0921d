// Paints the map of a head with its tokens on both axes. `map` is the state that heatmap.js keeps.
import {figure, visible} from '../../../shared/view/plain.js';
import {css, painted, placeOf, ramp} from '../../../shared/view/scales.js';
import {isDark} from '../../../shared/view/look.js';

const TURNED = -Math.PI / 3; // names below the map

// The pen of a canvas at the resolution of the screen, cleared.
export function fitted(canvas) {
  const scale = devicePixelRatio || 1,
    [width, height] = [canvas.clientWidth, canvas.clientHeight].map(size =>
      Math.round(size * scale),
    );
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const pen = canvas.getContext('2d');
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  return pen;
}

const clip = text => {
  const shown = visible(text);
  return shown.length > 14 ? shown.slice(0, 13) + '…' : shown;
};

// Calls with a pen whose settings are put back afterwards.
function apart(pen, call) {
  pen.save();
  call();
  pen.restore();
}

// Draws the map anew, and notes where on the canvas it stands (`map.plot`).
export function paint(map) {
  if (!map.values || !map.canvas.clientWidth) return;
  map.image ||= painted(map.values, map.n, map.kind, map.limit, isDark());
  const pen = fitted(map.canvas);
  const look = looks(map);
  layOut(map, pen, look);
  cells(map, pen, look);
  marks(map, pen, look);
  if (map.options.axes) {
    names(map, pen, look);
    titles(map, pen, look);
    colourBar(map, pen, look);
  }
  if (map.box)
    apart(pen, () => {
      pen.strokeStyle = look.accent;
      pen.lineWidth = 2;
      pen.setLineDash([5, 4]);
      pen.strokeRect(...map.box);
    });
}

function looks(map) {
  const {clientWidth: width, clientHeight: height} = map.canvas,
    style = getComputedStyle(map.canvas),
    get = (name, other) => style.getPropertyValue(name) || other;
  const size = map.options.axes ? (width < 420 ? 11 : parseFloat(style.fontSize) || 13) : 10;
  return {
    width,
    height,
    size,
    ink: get('--body-text-color', '#161c2b'),
    muted: get('--body-text-color-subdued', '#616b88'),
    line: get('--lens-line', '#616b88'),
    accent: get('--lens-accent', '#1f7dad'),
    blank: get('--lens-blank', '#e6e9f1'),
    mono: `${size}px ${get('--font-mono', 'monospace')}`,
    sans: of => `${of}px ${style.fontFamily}`,
    seen: map.hover || map.locked,
  };
}

// Where the map stands: as large as the names around it leave room for, cells at most 1.6 times as
// wide as high.
function layOut(map, pen, look) {
  const {options, zoom, kind} = map;
  pen.font = look.mono;
  const widest = Math.max(...map.tokens.map(token => pen.measureText(clip(token)).width), 10);
  const rows = zoom.q1 - zoom.q0,
    columns = zoom.k1 - zoom.k0;
  look.left = options.axes ? Math.min(widest, look.width * 0.2) + look.size * 2 : 4;
  const bar = options.axes ? look.size * (kind === 'share' ? 4.2 : 5.6) : 0,
    below = options.axes ? Math.min(widest, 90) * 0.87 + look.size * 2.4 : 4;
  const room = {w: look.width - look.left - bar - 6, h: look.height - below - 4};
  const cell = Math.min(room.h / rows, (room.w / columns) * 1.6);
  const w = Math.min(room.w / columns, cell * 1.6) * columns;
  map.plot = {x: look.left, y: 4, w, h: Math.min(room.h, cell * rows)};
  [look.cw, look.ch] = [map.plot.w / columns, map.plot.h / rows];
}

function cells({options, image, zoom, plot, n}, pen, look) {
  const rows = zoom.q1 - zoom.q0;
  pen.imageSmoothingEnabled = look.cw < 1 || look.ch < 1;
  pen.fillStyle = look.blank; // the future, and what is not available
  pen.fillRect(plot.x, plot.y, plot.w, plot.h);
  pen.drawImage(image, zoom.k0, zoom.q0, zoom.k1 - zoom.k0, rows, plot.x, plot.y, plot.w, plot.h);
  pen.strokeStyle = look.line;
  pen.globalAlpha = 0.5;
  pen.strokeRect(plot.x - 0.5, plot.y - 0.5, plot.w + 1, plot.h + 1);
  pen.globalAlpha = 1;
  if (!options.axes || !options.causal() || rows !== n || look.seen) return;
  pen.fillStyle = look.muted;
  pen.font = look.sans(look.size);
  pen.textAlign = 'right';
  pen.textBaseline = 'top';
  pen.fillText('A token cannot look ahead', plot.x + plot.w - 8, plot.y + 8);
}

// Row and column of the cell that is locked, and of the one under the pointer.
function marks({locked, hover, zoom, plot}, pen, look) {
  for (const [marked, colour, width] of [
    [locked, look.accent, 2.5],
    [hover, look.line, 1.5],
  ])
    if (marked)
      apart(pen, () => {
        pen.beginPath();
        pen.rect(plot.x, plot.y, plot.w, plot.h);
        pen.clip();
        pen.strokeStyle = colour;
        pen.lineWidth = width;
        pen.strokeRect(plot.x, plot.y + (marked[0] - zoom.q0) * look.ch, plot.w, look.ch);
        pen.strokeRect(plot.x + (marked[1] - zoom.k0) * look.cw, plot.y, look.cw, plot.h);
      });
}

// As many names as there is room for, counted from the end: the last row is what the guess is made
// of.
function shownNames(from, to, size, look, chosen) {
  const every = Math.max(1, Math.ceil((look.size * 1.15) / size)),
    last = Math.ceil(to) - 1;
  const first = Math.floor(from);
  return Array.from({length: last - first + 1}, (_, i) => first + i).filter(
    i =>
      i === chosen ||
      ((last - i) % every === 0 && (chosen === undefined || Math.abs(i - chosen) >= every)),
  );
}

function names({tokens, zoom, plot}, pen, look) {
  const put = (token, isChosen) => {
    pen.font = (isChosen ? 'bold ' : '') + look.mono;
    pen.fillStyle = isChosen ? look.ink : look.muted;
    pen.fillText(clip(token), 0, 0);
  };
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  const edge = look.size * 1.3;
  for (const q of shownNames(zoom.q0, zoom.q1, look.ch, look, look.seen?.[0]))
    apart(pen, () => {
      pen.beginPath();
      pen.rect(edge, 0, look.left - edge - 4, look.height);
      pen.clip();
      pen.translate(look.left - 6, plot.y + (q - zoom.q0 + 0.5) * look.ch);
      put(tokens[q], q === look.seen?.[0]);
    });
  for (const k of shownNames(zoom.k0, zoom.k1, look.cw, look, look.seen?.[1]))
    apart(pen, () => {
      pen.translate(plot.x + (k - zoom.k0 + 0.6) * look.cw, plot.y + plot.h + 7);
      pen.rotate(TURNED);
      put(tokens[k], k === look.seen?.[1]);
    });
}

function titles({plot}, pen, look) {
  pen.fillStyle = look.ink;
  pen.font = look.sans(look.size);
  pen.textAlign = 'center';
  pen.textBaseline = 'alphabetic';
  pen.fillText('looked at (key)', plot.x + plot.w / 2, look.height - 4);
  apart(pen, () => {
    pen.translate(look.size, plot.y + plot.h / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText('reading token (query)', 0, 0);
  });
}

function colourBar({kind, limit, plot}, pen, look) {
  const x = plot.x + plot.w + 14,
    lut = ramp(kind, isDark());
  for (let i = 0; i < 256; i++) {
    pen.fillStyle = css(lut[255 - i]);
    pen.fillRect(x, plot.y + (plot.h * i) / 256, look.size, plot.h / 256 + 1);
  }
  pen.strokeStyle = pen.fillStyle = look.muted;
  pen.lineWidth = 1;
  pen.strokeRect(x, plot.y, look.size, plot.h);
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  pen.font = look.sans(look.size * 0.85);
  const values =
    kind === 'share' ? [0, 0.05, 0.25, 0.5, 1] : [-1, -0.5, 0, 0.5, 1].map(part => part * limit);
  for (const value of values) {
    const y = plot.y + plot.h * (1 - placeOf(value, kind, limit) / 255);
    const text = kind === 'share' ? value : (value > 0 ? '+' : '') + figure(value);
    pen.fillText(text, x + look.size + 4, Math.min(plot.y + plot.h - 5, Math.max(plot.y + 5, y)));
  }
}
