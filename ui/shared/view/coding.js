// Decoder of attention maps; ui.lenses.attention.handlers.codec is the encoder.

export async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

// Cells that are coded one after the other, as a square with NaN where nothing is.
export function square(n, causal, cell) {
  const values = new Float32Array(n * n).fill(NaN);
  for (let q = 0, at = 0; q < n; q++)
    for (let k = 0; k <= (causal ? q : n - 1); k++, at++) values[q * n + k] = cell(at);
  return values;
}

const NOTHING = {share: 65535, difference: -32768};

// A head's map in 16 bits a cell: shares 0 to 1, or differences -1 to 1.
export async function decodeMap(text, n, causal, signed) {
  const buffer = await inflate(text);
  const codes = signed ? new Int16Array(buffer) : new Uint16Array(buffer);
  const nothing = signed ? NOTHING.difference : NOTHING.share;
  return square(n, causal, at =>
    codes[at] === nothing ? NaN : codes[at] / (signed ? 32767 : 65534),
  );
}

// Dequantises 4-bit codes: shares on a square-root scale, differences on a signed one.
export const thumbShare = code => (code / 15) ** 2;
export const thumbDifference = code => Math.sign(code - 8) * ((code - 8) / 7) ** 2;

// All heads small, in 4 bits a cell: {cells: how many of a head, code(place), values(layer, head)}.
export async function decodeThumbs({thumbs, side, causal, signed, H}) {
  const bytes = new Uint8Array(await inflate(thumbs));
  const cells = causal ? (side * (side + 1)) / 2 : side * side;
  const code = at => (at % 2 ? bytes[at >> 1] >> 4 : bytes[at >> 1] & 15);
  const read = signed ? thumbDifference : thumbShare;
  const first = (layer, head) => (layer * H + head) * cells;
  const values = (layer, head) => square(side, causal, at => read(code(first(layer, head) + at)));
  return {code, first, read, values};
}
