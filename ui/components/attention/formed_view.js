// When a preference formed: what the strongest parts wrote for a word, at every kept moment of the training.
import {add} from '../shared/page.js';

const SVG = 'http://www.w3.org/2000/svg';
const [LEFT, TOP, HEIGHT, BELOW] = [40, 12, 190, 26];
const COLOURS = 6;

function put(parent, tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// Heights of labels that stand at the ends of lines, moved apart so that none lies on another; in the order given.
export function apart(heights, least) {
  const order = heights.map((_, i) => i).toSorted((a, b) => heights[a] - heights[b]);
  const found = [...heights];
  let last = -Infinity;
  for (const i of order) {
    found[i] = Math.max(heights[i], last + least);
    last = found[i];
  }
  return found;
}

// box: where to draw; server: formed, which takes [model, text, token, rival].
export function formedView(box, server) {
  const drawing = box.querySelector('.fm-drawing');
  let found = null,
    wanted = null, // what is asked once it is on screen: it reads seven models
    number = 0;

  function show(question) {
    wanted = question;
    number += 1;
    box.hidden = false;
    const {top} = box.getBoundingClientRect();
    if (box.getClientRects().length && top < innerHeight && top > -innerHeight) ask();
  }
  new IntersectionObserver(seen => seen.at(-1).isIntersecting && ask()).observe(box);

  async function ask() {
    if (!wanted) return;
    const question = wanted,
      mine = number;
    wanted = null;
    const answer = await server.formed(question).catch(() => null);
    if (mine !== number || !answer) return;
    found = JSON.parse(answer);
    box.hidden = found.message === ''; // a model of which no moments were kept
    box.querySelector('.fm-message').textContent = found.message ?? '';
    box.querySelector('.conclusion').textContent = found.said ?? '';
    if (found.message === undefined) draw();
  }

  function draw() {
    const width = drawing.clientWidth;
    drawing.textContent = '';
    if (!width) return;
    const right = Math.min(190, width * 0.36);
    const svg = put(drawing, 'svg', {
      width,
      height: TOP + HEIGHT + BELOW,
      role: 'img',
      'aria-label': found.said,
    });
    const all = [0, ...found.total, ...found.parts.flatMap(part => part.values)];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const x = i => LEFT + ((width - LEFT - right) * i) / (found.steps.length - 1);
    const y = value => TOP + (HEIGHT * (high - value)) / (high - low || 1);
    for (const value of [low, 0, high]) {
      put(svg, 'line', {x1: LEFT, x2: width - right, y1: y(value), y2: y(value), class: 'fm-grid'});
      put(svg, 'text', {x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end', class: 'fm-small'}, value.toFixed(1));
    }
    found.steps.forEach((step, i) =>
      put(
        svg,
        'text',
        {x: x(i), y: TOP + HEIGHT + 18, 'text-anchor': 'middle', class: 'fm-small'},
        step === null ? 'end' : step.toLocaleString('en'),
      ),
    );
    const lines = [...found.parts, {name: 'together', values: found.total}];
    const heights = apart(
      lines.map(line => y(line.values.at(-1))),
      14,
    );
    lines.forEach(({name, values}, n) => {
      const kind = name === 'together' ? 'together' : `c${n % COLOURS}`;
      const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
      put(svg, 'polyline', {points, class: `fm-line ${kind}`});
      put(svg, 'text', {x: width - right + 8, y: heights[n] + 4, class: `fm-name ${kind}`}, name);
    });
  }

  let drawnAt = 0;
  new ResizeObserver(() => {
    if (!found?.steps || drawing.clientWidth === drawnAt) return;
    drawnAt = drawing.clientWidth;
    draw();
  }).observe(drawing);
  add(box, 'div', 'wy-muted', 'What each part writes for the word, in logits, after so many updates of the training.');
  return {show};
}
