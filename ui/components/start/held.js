// The sentence on Start, kept when another model or checkpoint is picked.
let held = null;

export const holdSentence = sentence => {
  held = sentence;
};

// JSON of {model, ids, own}: by which model it was cut, and whether the visitor has changed it; "" before there is one.
export const heldSentence = () => (held ? JSON.stringify(held) : '');

// Where an arc from one word to an earlier one runs, as an SVG path; null where it would strike through a line of text.
// Each word is {left, right, top, bottom}; a word of another line has another top.
export function arcPath(from, to) {
  const [x1, x2] = [(from.left + from.right) / 2, (to.left + to.right) / 2];
  const height = from.bottom - from.top;
  if (Math.abs(from.top - to.top) < height / 2) {
    const lift = Math.min(46, 12 + Math.abs(x1 - x2) / 7);
    return `M${x1},${from.top} C${x1},${from.top - lift} ${x2},${to.top - lift} ${x2},${to.top}`;
  }
  const gap = from.top - to.bottom;
  if (gap < 0 || gap > 1.5 * height) return null; // further up than the line above: the colour of the word says it
  const middle = to.bottom + gap / 2;
  const halfway = `${x1},${middle} ${x1},${middle} ${(x1 + x2) / 2},${middle}`;
  return `M${x1},${from.top} C${halfway} S${x2},${middle} ${x2},${to.bottom}`;
}
