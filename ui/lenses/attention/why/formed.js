// Chart of when a preference formed: what the strongest parts wrote for a word, at every
// checkpoint.
import {put} from '../../../shared/view/svg.js';

const [LEFT, TOP, HEIGHT, BELOW] = [40, 12, 190, 26];
const SERIES = ['accent', 'series-2', 'series-3', 'series-4', 'series-5', 'line'],
  WIDEST_LABEL = 56; // px of an update's number

// Heights of line-end labels, moved apart so that none overlap; in the order given.
export function apart(heights, least) {
  const order = heights.map((_, i) => i).toSorted((a, b) => heights[a] - heights[b]);
  const places = [...heights];
  let last = -Infinity;
  for (const i of order) {
    places[i] = Math.max(heights[i], last + least);
    last = places[i];
  }
  return places;
}

// Which of n places in a row get a label: the ends, and of those between as many as have room.
export function labelled(n, most) {
  const every = Math.max(1, Math.ceil((n - 1) / Math.max(1, most - 1)));
  return Array.from({length: n}, (_, i) => i).filter(
    i => i === n - 1 || (i % every === 0 && n - 1 - i >= every),
  );
}

// box: where to draw. Returns {draw(history, at)}: history {steps, total, parts, said} of the
// server, at the moment to mark or null.
export function formedDrawing(box) {
  let shown = null,
    drawnAt = 0;

  function draw(history, at = null) {
    shown = [history, at];
    const width = box.clientWidth;
    box.textContent = '';
    drawnAt = width;
    if (!width) return;
    const right = Math.min(190, width * 0.36);
    const svg = put(box, 'svg', {
      width,
      height: TOP + HEIGHT + BELOW,
      role: 'img',
      'aria-label': history.said,
    });
    const all = [0, ...history.total, ...history.parts.flatMap(part => part.values)];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const last = Math.max(1, history.steps.length - 1);
    const x = i => LEFT + ((width - LEFT - right) * i) / last;
    const y = value => TOP + (HEIGHT * (high - value)) / (high - low || 1);
    for (const value of [low, 0, high]) {
      put(svg, 'line', {x1: LEFT, x2: width - right, y1: y(value), y2: y(value), class: 'fm-grid'});
      put(
        svg,
        'text',
        {x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end', class: 'fm-small'},
        value.toFixed(1),
      );
    }
    for (const i of labelled(history.steps.length, (width - LEFT - right) / WIDEST_LABEL)) {
      const label = history.steps[i]?.toLocaleString('en') ?? 'end';
      put(
        svg,
        'text',
        {x: x(i), y: TOP + HEIGHT + 18, 'text-anchor': 'middle', class: 'fm-small'},
        label,
      );
    }
    if (at !== null)
      put(svg, 'line', {x1: x(at), x2: x(at), y1: TOP, y2: TOP + HEIGHT, class: 'fm-at'});
    const lines = [...history.parts, {name: 'together', values: history.total}];
    const ends = lines.map(line => y(line.values.at(-1)));
    const heights = apart(ends, 14);
    lines.forEach(({name, values}, n) => {
      const isSum = name === 'together';
      const kind = isSum ? 'together' : '';
      const style = isSum ? '' : `--fm: var(--lens-${SERIES[n % SERIES.length]})`;
      const points = values
        .map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`)
        .join(' ');
      put(svg, 'polyline', {points, class: `fm-line ${kind}`, style});
      put(
        svg,
        'text',
        {x: width - right + 8, y: heights[n] + 4, class: `fm-name ${kind}`, style},
        name,
      );
    });
  }

  new ResizeObserver(() => {
    if (shown && box.clientWidth !== drawnAt) draw(...shown);
  }).observe(box);
  return {draw};
}
