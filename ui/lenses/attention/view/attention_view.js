// Thumbnails of all heads; one head in detail. The value is JSON of
// ui.lenses.attention.handlers.maps.describe, or of the comparison, where cells are differences.
// Token text goes into the page by textContent alone.
/** @import {Answered, Component} from '../../../shared/view/component' */
/** @import {AttentionMaps, AttentionServer} from '../../../shared/view/payloads' */
import {visible} from '../../../shared/view/plain.js';
import {decodeThumbs} from '../../../shared/view/coding.js';
import {limitOf} from '../../../shared/view/scales.js';
import {
  chooseHead,
  chooseToken,
  chosenHead,
  chosenToken,
  onStore,
} from '../../../shared/view/store.js';
import {onTools} from '../../../shared/view/dom.js';
import {onLook} from '../../../shared/view/look.js';
import {cellDetail} from './cell_detail.js';
import {heatMap} from './heatmap.js';
import {headMaps} from './head_maps.js';
import {headTools} from './head_tools.js';
import {headWeights} from './head_weights.js';
import {lineView} from './line_view.js';
import {differenceInLink, headInLink, holdHeads, isOfLink, viewInLink} from './link.js';
import {overview} from './overview.js';
import {ROLES, elsewhere, nameOf, same, strongest} from './roles.js';
import {stepView} from './step_view.js';

const IN_FRONT = 'end-of-text in front';
const ARROWS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
const NO_TEXT = 'Write a text to see where the heads look.';

const isHead = (at, of) => Boolean(at && of?.roles[at[0]]?.[at[1]]);
const wrap = (x, n) => (x + n) % n;

/** @param {Component<AttentionMaps, AttentionServer>} page */
export function start({element, props, server, trigger, watch, given, answer}) {
  const part = name => element.querySelector('.at-' + name);
  // Shared with the parts of the view. Besides, once there are any: value and thumb, of the text;
  // shown, the map in sight; cell, the one that is locked; hovered, and peek, the head under the
  // pointer.
  /** @type {any} */
  const view = {
    element,
    part,
    server,
    signed: given.signed === true,
    status: part('said'),
    chosen: [0, 0],
    mode: 'map',
  };
  view.shares = given.shares === true; // the token that is chosen on the page
  // a link names the head that it shows; it counts once, when its text is on the page
  view.fromLink = true;
  view.token = place => visible(view.value.tokens[place]);
  view.inView = () => view.peek || view.chosen;
  view.pick = at => {
    reveal(view, at);
    if (!view.signed) chooseHead(at, view.hear); // the choice is the whole page's
  };
  view.lock = at => lockCell(view, at);
  view.hear = news => {
    if (isHead(news.head, view.value)) reveal(view, news.head);
    if ('token' in news && view.value) markToken(view);
  };
  view.maps = headMaps(view, {reread: () => trigger('expired', {}), draw: () => drawHead(view)});
  view.large = largeMap(view);
  for (const [name, made] of Object.entries({
    overview,
    cellDetail,
    lineView,
    stepView,
    headWeights,
  }))
    view[name] = made(view);
  overGrid(view, part('grid'));
  for (const button of element.querySelectorAll('[data-view]'))
    button.addEventListener('click', () => setMode(view, button.dataset.view));
  const tools = headTools(view);
  holdHeads(view, () => takeLink(view, answer.isStale));
  onTools(element, () => view.value && tools);
  if (!view.signed) onStore(view.hear);
  new ResizeObserver(() => {
    view.overview.draw();
    if (view.mode === 'lines') view.lineView.draw();
  }).observe(part('scroll'));
  onLook(() => {
    view.overview.forget();
    view.overview.draw();
  });
  const taking = () => take(view, props.value || '');
  watch('value', taking);
  setMode(view, 'map');
  taking();
}

// --- a new text
async function take(view, text) {
  if (text === (view.text ?? '')) return;
  view.text = text;
  const {part, value: before} = view;
  const next = text
    ? JSON.parse(text)
    : /** @type {AttentionMaps & Answered} */ ({message: NO_TEXT});
  part('message').textContent = next.message || '';
  part('body').hidden = Boolean(next.message);
  if (next.message) return; // the head that was chosen stays chosen
  const thumb = await decodeThumbs(next);
  if (text !== view.text) return; // superseded by a newer one
  const from = next.mode === IN_FRONT ? 1 : 0; // the place of the text's first token
  Object.assign(view, {value: {...next, from}, thumb, shown: null, peek: null});
  view.maps.forget();
  view.overview.forget();
  const isLinked = view.fromLink && (view.signed || isOfLink(next.text));
  const linked = isLinked ? linkedHead(view, next) : null;
  if (isLinked) view.fromLink = false;
  const own = isLinked && view.signed ? next.start : headFor(view, next, before);
  view.chosen = linked ?? own;
  if (before?.tokens.join('\u0000') !== next.tokens.join('\u0000')) forgetCells(view);
  if (isLinked && !view.signed) restore(view);
  part('note').textContent = next.note || '';
  view.element.querySelector('.conclusion').textContent = next.said ?? '';
  view.status.textContent = '';
  reveal(view, view.chosen);
}

// The head that the link names, if the model has it.
function linkedHead(view, next) {
  if (!view.signed) return headInLink(next);
  const at = differenceInLink();
  return at && at[0] < next.L && at[1] < next.H ? at : null;
}

// The head that the page has chosen, or the one from before; the text's own for another model.
function headFor({signed, chosen}, next, before) {
  if (!signed && isHead(chosenHead(), next)) return chosenHead();
  return before && ['L', 'H', 'model'].every(name => before[name] === next[name])
    ? chosen
    : next.start;
}

// What another link says of the text that is shown; of another text it counts once that is on the
// page.
function takeLink(view, isStale) {
  view.fromLink = isStale || !view.value;
  if (!view.value) return;
  if (view.signed) reveal(view, linkedHead(view, view.value) ?? view.value.start);
  else if (!isStale) {
    restore(view);
    drawHead(view);
  }
}

function forgetCells(view) {
  view.cell = view.hovered = null;
  for (const map of [view.large, ...view.stepView.maps]) {
    map.setHover(null);
    map.setLocked(null);
  }
}

// The rest of a linked view: how it is drawn, the cell that was clicked, and the zoom.
function restore(view) {
  const n = view.value.tokens.length;
  const {cell, zoom, mode} = viewInLink(n);
  forgetCells(view);
  view.cell = cell;
  view.zoomFromLink = zoom ?? {q0: 0, q1: n, k0: 0, k1: n};
  if (view.part(`${mode ?? 'map'}-view`)) setMode(view, mode ?? 'map');
}

// --- the overview
function overGrid(view, grid) {
  const {overview: heads} = view;
  const setPeek = at => {
    view.peek = at;
    heads.draw();
    drawHead(view);
  };
  grid.addEventListener('pointermove', e => {
    if (!view.value || e.pointerType !== 'mouse') return;
    const at = heads.headAt(e);
    if (at ? !view.peek || !same(at, view.peek) : view.peek)
      setPeek(at && !same(at, view.chosen) ? at : null);
  });
  grid.addEventListener('pointerleave', () => view.peek && setPeek(null));
  grid.addEventListener('click', e => {
    const at = view.value && heads.headAt(e);
    if (at) view.pick(at);
  });
  const byArrow = e => {
    const step = ARROWS[e.key];
    if (!step || !view.value || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    view.pick([
      wrap(view.chosen[0] + step[0], view.value.L),
      wrap(view.chosen[1] + step[1], view.value.H),
    ]);
  };
  grid.addEventListener('keydown', byArrow);
  view.part('map').addEventListener('keydown', e => e.shiftKey && byArrow(e));
}

// --- the chosen head
function largeMap(view) {
  return heatMap(view.part('map'), {
    kind: view.signed ? 'signed' : 'share',
    axes: true,
    causal: () => view.value?.causal,
    onHover: at => {
      view.hovered = at;
      view.cellDetail.draw();
    },
    onLock: view.lock,
    onZoom: next => view.stepView.maps.forEach(small => small.zoomTo(next)),
  });
}

function lockCell(view, at) {
  view.cell = at;
  for (const map of [view.large, ...view.stepView.maps]) map.setLocked(at);
  view.cellDetail.draw();
  if (view.mode === 'lines') view.lineView.draw();
  if (view.mode === 'steps') view.stepView.sums();
  if (view.shares && at && !view.value.note) chooseToken(at[0] - view.value.from, view.hear);
}

// Marks the row of the page's chosen token, where the head attends most.
function markToken({value, shown, cell, shares, lock}) {
  const row = chosenToken() === null ? -1 : chosenToken() + value.from;
  if (!shares || !shown || value.note || row < 0 || row >= value.tokens.length || cell?.[0] === row)
    return;
  lock([row, strongest(shown.slice(row * value.tokens.length, (row + 1) * value.tokens.length))]);
}

// Shows another head, which the page has chosen.
function reveal(view, at) {
  Object.assign(view, {chosen: at, peek: null});
  view.overview.reveal(at);
  const {value} = view;
  const spoken = value && (value.signed ? nameOf(at) : `${nameOf(at)}, ${roleText(value, at)}`);
  const label = value ? `All heads. ${spoken} is chosen. Arrow keys choose another.` : 'All heads';
  view.part('grid').setAttribute('aria-label', label);
  view.overview.draw();
  drawHead(view);
  view.headWeights.mark();
}

function roleText(value, at) {
  const [role, leans] = value.roles[at[0]][at[1]],
    other = elsewhere(value, at);
  const here = `${leans && role !== 'mixed' ? 'leans to' : 'looks at'} ${ROLES[role][2]}`;
  return other ? `${here}; where tokens repeat, ${ROLES[other][2]}` : here;
}

// Shows a head's map: first from its thumbnail if that has every cell, then at full precision.
async function drawHead(view) {
  const {maps, part, value: of} = view;
  if (!of) return;
  const at = view.inView(),
    kept = maps.kept(at);
  const percent = (100 * (of.scores.changed ?? of.scores.first)[at[0]][at[1]]).toFixed(0);
  part('name').textContent = nameOf(at);
  part('role').textContent = of.signed
    ? `${percent}% of its attention moved`
    : `${roleText(of, at)} · ${percent}% of its attention is on the first token`;
  view.preview = !kept;
  view.shown = kept || (of.side === of.tokens.length ? view.thumb.values(...at) : null);
  present(view, at);
  const matrix = await maps.exact(at);
  if (!matrix || of !== view.value || !same(at, view.inView())) return;
  maps.found();
  Object.assign(view, {shown: matrix, preview: false});
  present(view, at);
  markToken(view);
}

function present(view, at) {
  const {shown, value, mode, large} = view;
  view.part('map').classList.toggle('waits', !shown); // the map of another head
  if (!shown) return;
  large.show(shown, value.tokens, value.signed ? limitOf(shown) : 1);
  if (view.zoomFromLink) large.setZoom(view.zoomFromLink);
  view.zoomFromLink = null;
  large.setLocked(view.cell);
  view.cellDetail.draw();
  if (mode === 'lines') view.lineView.draw();
  if (mode === 'steps') view.stepView.draw(at);
}

function setMode(view, mode) {
  const {element, part} = view;
  view.mode = mode;
  for (const button of element.querySelectorAll('[data-view]'))
    button.setAttribute('aria-pressed', button.dataset.view === mode);
  for (const name of ['map', 'lines', 'steps'])
    if (part(name + '-view')) part(name + '-view').hidden = name !== mode;
  if (part('sums')) part('sums').hidden = mode !== 'steps';
  part('detail').hidden = part('zoom').hidden = mode === 'lines';
  if (view.value) present(view, view.inView());
}
