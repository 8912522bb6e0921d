// A canvas that shows one attention map with its tokens: what is chosen in it, and which part of it
// is seen.
import {isDark, onLook} from '../../../shared/view/look.js';
import {paint} from './map_painting.js';
import {same} from './roles.js';

const [NEARER, FARTHER] = [0.6, 1 / 0.6];
const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
const DRAGGED = 6; // pixels after which a press is no click

const sameCell = (a, b) => a && b && same(a, b);

// Rows q0 to q1 and columns k0 to k1 of a map of n tokens, moved and sized to lie in it.
function within(next, n) {
  const span = (a, b) => {
    const size = Math.min(n, Math.max(Math.min(2, n), b - a)),
      from = Math.max(0, Math.min(n - size, a));
    return [from, from + size];
  };
  const [q0, q1] = span(next.q0, next.q1),
    [k0, k1] = span(next.k0, next.k1);
  return {q0, q1, k0, k1};
}

// The part that is `factor` times as large, around a cell.
function resized({q0, q1, k0, k1}, factor, [q, k]) {
  const [rows, columns] = [(q1 - q0) * factor, (k1 - k0) * factor];
  const from = (centre, size) => Math.round(centre + 0.5 - size / 2);
  const [top, left] = [from(q, rows), from(k, columns)];
  return {q0: top, q1: top + Math.round(rows), k0: left, k1: left + Math.round(columns)};
}

// The part of the same size that has a cell in it.
function movedTo([q, k], {q0, q1, k0, k1}) {
  const into = (x, a, size) => (x < a ? x : x >= a + size ? x + 1 - size : a);
  const top = into(q, q0, q1 - q0),
    left = into(k, k0, k1 - k0);
  return {q0: top, q1: top + q1 - q0, k0: left, k1: left + k1 - k0};
}

// The cell at a place of the page; the name of a reading token stands for its row.
function cellUnder({canvas, options, plot, zoom, n}, event) {
  if (!plot) return null;
  const frame = canvas.getBoundingClientRect(),
    x = event.clientX - frame.left,
    y = event.clientY - frame.top;
  const q = Math.floor(zoom.q0 + ((y - plot.y) / plot.h) * (zoom.q1 - zoom.q0)),
    k = Math.floor(zoom.k0 + ((x - plot.x) / plot.w) * (zoom.k1 - zoom.k0));
  if (y < plot.y || y >= plot.y + plot.h || q >= n) return null;
  if (x < plot.x && x > 0 && options.axes) return [q, Math.min(q, n - 1)];
  return x >= plot.x && x < plot.x + plot.w && k < n ? [q, k] : null;
}

/* A heat map with tokens on both axes.
   options: kind ("share" or "signed"), axes (false for a small one), causal(), onHover(cell), onLock(cell),
   onZoom(zoom). show(values, tokens, limit) draws another map and keeps the zoom when the number of tokens stays. */
export function heatMap(canvas, options) {
  // Besides: values, image, zoom, plot, hover and locked, once there are any.
  /** @type {any} */
  const map = {canvas, options, kind: options.kind, tokens: [], n: 0, limit: 1, box: null};
  let waiting = false;
  const whole = () => ({q0: 0, q1: map.n, k0: 0, k1: map.n});

  function draw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint(map);
    });
  }
  function show(values, tokens, most) {
    if (tokens.length !== map.n) map.zoom = map.hover = map.locked = null;
    Object.assign(map, {values, tokens, n: tokens.length, limit: most || 1, image: null});
    map.zoom ||= whole();
    draw();
  }
  function setHover(cell) {
    if (sameCell(cell, map.hover) || (!cell && !map.hover)) return;
    map.hover = cell;
    draw();
    options.onHover?.(cell);
  }
  function setLocked(cell) {
    map.locked = cell;
    draw();
  }
  function setZoom(next) {
    map.zoom = within(next, map.n);
    draw();
    options.onZoom?.(map.zoom);
  }
  const middle = ({q0, q1, k0, k1}) => [(q0 + q1) / 2, (k0 + k1) / 2];
  const zoomBy = factor => setZoom(resized(map.zoom, factor, map.locked || middle(map.zoom)));

  function step([down, right]) {
    const into = x => Math.min(map.n - 1, Math.max(0, x));
    /** @type {[number, number]} */
    const next = map.locked
      ? [into(map.locked[0] + down), into(map.locked[1] + right)]
      : [map.n - 1, map.n - 1];
    options.onLock?.(next);
    const zoom = movedTo(next, map.zoom);
    if (zoom.q0 !== map.zoom.q0 || zoom.k0 !== map.zoom.k0) setZoom(zoom);
  }

  byPointer(map, {draw, setHover, setZoom});
  canvas.addEventListener('dblclick', () => setZoom(whole()));
  canvas.addEventListener('keydown', event => {
    if (!map.values || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const {key} = event;
    if (STEPS[key]) step(STEPS[key]);
    else if (key === '+' || key === '=') zoomBy(NEARER);
    else if (key === '-') zoomBy(FARTHER);
    else if (key === '0') setZoom(whole());
    else if (key === 'Escape') options.onLock?.(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  new ResizeObserver(draw).observe(canvas);
  let wasDark = isDark();
  onLook(() => {
    if (wasDark !== isDark()) map.image = null;
    wasDark = isDark();
    draw();
  });
  return {
    show,
    setHover,
    setLocked,
    setZoom,
    zoomBy,
    unzoom: () => setZoom(whole()),
    zoom: () => map.zoom,
    zoomTo(next) {
      if (map.n && next) map.zoom = next;
      draw();
    },
  };
}

// Pointing shows a cell, a click locks it, dragging with the mouse zooms into what is framed.
function byPointer(map, {draw, setHover, setZoom}) {
  const {canvas, options} = map;
  let drag = null,
    dragged = false;
  canvas.addEventListener('pointerdown', event => {
    const from = cellUnder(map, event);
    if (event.pointerType === 'mouse' && event.button === 0 && from)
      drag = {x: event.offsetX, y: event.offsetY, from};
  });
  canvas.addEventListener('pointermove', event => {
    if (drag && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) > DRAGGED) {
      map.box = [drag.x, drag.y, event.offsetX - drag.x, event.offsetY - drag.y];
      draw();
    }
    setHover(cellUnder(map, event));
  });
  canvas.addEventListener('pointerleave', () => setHover(null));
  window.addEventListener('pointerup', event => {
    if (!drag) return;
    const to = event.target === canvas ? cellUnder(map, event) : null,
      {from} = drag;
    dragged = map.box !== null;
    drag = map.box = null;
    if (!dragged || !to) return draw();
    const [[q0, q1], [k0, k1]] = [0, 1].map(axis =>
      [from[axis], to[axis]].toSorted((a, b) => a - b),
    );
    setZoom({q0, q1: q1 + 1, k0, k1: k1 + 1});
  });
  canvas.addEventListener('click', event => {
    const cell = dragged ? null : cellUnder(map, event);
    dragged = false;
    if (cell) options.onLock?.(sameCell(cell, map.locked) ? null : cell);
  });
}
