// Arcs from one word of the sentence to those that it looks at.
import {put} from '../../../shared/view/svg.js';

const SHOWN = 5;

// Where an arc from one word to an earlier one runs, as an SVG path; null where it would strike
// through a line of text. Each word is {left, right, top, bottom}; a word of another line has
// another top.
export function arcPath(from, to) {
  const [x1, x2] = [(from.left + from.right) / 2, (to.left + to.right) / 2];
  const height = from.bottom - from.top;
  if (Math.abs(from.top - to.top) < height / 2) {
    const lift = Math.min(46, 12 + Math.abs(x1 - x2) / 7);
    return `M${x1},${from.top} C${x1},${from.top - lift} ${x2},${to.top - lift} ${x2},${to.top}`;
  }
  const gap = from.top - to.bottom;
  // further up than the line above: the colour of the word says it
  if (gap < 0 || gap > 1.5 * height) return null;
  const middle = to.bottom + gap / 2;
  const halfway = `${x1},${middle} ${x1},${middle} ${(x1 + x2) / 2},${middle}`;
  return `M${x1},${from.top} C${halfway} S${x2},${middle} ${x2},${to.bottom}`;
}

// Where a word stands in the box of all; of a word that is broken, its first piece.
function placeOf(word, box) {
  const place = word.getClientRects()[0] ?? word.getBoundingClientRect();
  const [x, y] = [place.left - box.left, place.top - box.top];
  return {left: x, right: x + place.width, top: y + 4, bottom: y + place.height - 4};
}

// Draws into `svg` the strongest looks of word number `from`, and colours the words by them;
// `looks` are [from, to, weight].
export function drawLooks(words, svg, from, looks) {
  const nodes = [...words.querySelectorAll('.st-word')];
  svg.setAttribute('width', words.offsetWidth);
  svg.setAttribute('height', words.offsetHeight);
  svg.textContent = '';
  // after the picture has its size: it stands in front of the words
  const box = words.getBoundingClientRect();
  nodes.forEach((node, i) => {
    node.classList.toggle('from', i === from);
    node.style.setProperty('--look', 0);
  });
  const best = looks.filter(([row]) => row === from).toSorted((a, b) => b[2] - a[2]);
  for (const [, column, weight] of best.slice(0, SHOWN)) {
    nodes[column].style.setProperty('--look', Math.round(70 * weight));
    const way = arcPath(placeOf(nodes[from], box), placeOf(nodes[column], box));
    if (!way) continue;
    const path = put(svg, 'path', {d: way});
    path.style.strokeWidth = (1 + 4 * weight).toFixed(1);
    path.style.opacity = (0.25 + 0.75 * weight).toFixed(2);
  }
}
