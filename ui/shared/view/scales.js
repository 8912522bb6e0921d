// Colour scales: one hue from the background for shares, on a square root so that small ones show;
// two hues that meet in the background at zero for differences and scores.
const STOPS = {
  share: {light: ['#ffffff', '#72badb', '#12455f'], dark: ['#0d111c', '#156591', '#a9d6ea']},
  signed: {light: ['#1f7dad', '#ffffff', '#e2892b'], dark: ['#3c99c6', '#0d111c', '#e2892b']},
};

// The three colours of a scale, from its low end.
export const stops = (kind, dark) => STOPS[kind][dark ? 'dark' : 'light'];

// 256 colours as a canvas stores them: alpha, blue, green, red.
export function ramp(kind, dark) {
  const parts = stops(kind, dark).map(partsOf);
  return Array.from({length: 256}, (_, i) => {
    const x = (i / 255) * (parts.length - 1);
    const at = Math.min(parts.length - 2, Math.floor(x));
    const between = c => Math.round(parts[at][c] + (x - at) * (parts[at + 1][c] - parts[at][c]));
    return ((255 << 24) | (between(2) << 16) | (between(1) << 8) | between(0)) >>> 0;
  });
}

export const css = colour => `rgb(${partsOf(colour).join(',')})`;

// Black or white, whichever is easier to read on [red, green, blue]: the larger contrast of WCAG 2.
export function inkOn(colour) {
  const [red, green, blue] = colour.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

// The parts of a colour of `ramp`, or of "#rrggbb".
export const partsOf = colour =>
  typeof colour === 'number'
    ? [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]
    : [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));

// Where a value stands on a scale, 0 to 255.
export function placeOf(value, kind, limit) {
  if (kind === 'share') return Math.round(255 * Math.sqrt(Math.min(1, Math.max(0, value))));
  return Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, value / limit)));
}

// The largest size among the values of a map, at least so that a scale is one.
export function limitOf(values) {
  let most = 0;
  for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
  return most || 1;
}

// Pixels of a square [n][n] in a canvas of its own; NaN stays transparent.
export function painted(values, n, kind, limit, dark) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = n;
  const pen = canvas.getContext('2d');
  const image = pen.createImageData(n, n);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = ramp(kind, dark);
  values.forEach((value, i) => {
    if (!Number.isNaN(value)) pixels[i] = colours[placeOf(value, kind, limit)];
  });
  pen.putImageData(image, 0, 0);
  return canvas;
}
