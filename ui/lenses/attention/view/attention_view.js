// Thumbnails of all heads; one head in detail. The value is JSON of ui.lenses.attention.handlers.maps.describe, or of
// the comparison, where cells are differences. Token text goes into the page by textContent alone.
/** @import {Answered, Component} from '../../../shared/view/component' */
/** @import {AttentionMaps, AttentionServer} from '../../../shared/view/payloads' */
import {visible} from '../../../shared/view/plain.js';
import {decodeThumbs} from '../../../shared/view/coding.js';
import {limitOf} from '../../../shared/view/scales.js';
import {chooseHead, chooseToken, chosenHead, chosenToken, onSentence} from '../../../shared/view/sentence.js';
import {onLook, onTools} from '../../../shared/view/page.js';
import {cellDetail} from './cell_detail.js';
import {heatMap} from './heatmap.js';
import {headMaps} from './head_maps.js';
import {headTable} from './head_table.js';
import {headTools} from './head_tools.js';
import {headWeights} from './head_weights.js';
import {lineView} from './line_view.js';
import {headInLink, isOfLink, viewInLink} from './link.js';
import {overview} from './overview.js';
import {ROLES, elsewhere, same, strongest} from './roles.js';
import {stepView} from './step_view.js';

const IN_FRONT = 'end-of-text in front';
const ARROWS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
const NO_TEXT = 'Write a text to see where the heads look.';

const nameOf = ([layer, head]) => `Layer ${layer} · head ${head}`;
const isHead = (at, of) => Boolean(at && of?.roles[at[0]]?.[at[1]]);
const wrap = (x, n) => (x + n) % n;

/** @param {Component<AttentionMaps, AttentionServer>} page */
export function start({element, props, server, trigger, watch, given}) {
  const part = name => element.querySelector('.at-' + name);
  const shares = given.shares === true, // the token that is chosen on the page
    signed = given.signed === true;

  // Shared with the parts of the view.
  const view = {
    element,
    part,
    server,
    signed,
    status: part('said'),
    value: null,
    thumb: null,
    /** @type {[number, number]} */ chosen: [0, 0],
    peek: null, // the head under the pointer
    cell: null,
    hovered: null,
    mode: 'map',
    shown: null, // the map in sight
    preview: false,
    token: place => visible(view.value.tokens[place]),
    inView: () => view.peek || view.chosen,
    nameOf,
    roleText,
    pick: choose,
    lock,
    lost: reply => maps.lost(reply),
    question: (at, of) => maps.question(at, of),
    zoomTo: next => large.zoomTo(next),
    get zoom() {
      return large.zoom();
    },
  };
  const maps = headMaps(view, {reread: () => trigger('expired', {}), draw: drawHead});

  // --- a new text
  let drawn = '';
  let taken = 0;
  async function take() {
    const text = props.value || '';
    if (text === drawn) return;
    drawn = text;
    const ticket = ++taken;
    const next = text ? JSON.parse(text) : /** @type {AttentionMaps & Answered} */ ({message: NO_TEXT});
    part('message').textContent = next.message || '';
    part('body').hidden = Boolean(next.message);
    if (next.message) return; // the head that was chosen stays chosen
    const thumb = await decodeThumbs(next);
    if (ticket !== taken) return; // superseded by a newer one
    const before = view.value;
    const from = next.mode === IN_FRONT ? 1 : 0; // the place of the text's first token
    Object.assign(view, {value: {...next, from}, thumb, shown: null, peek: null});
    maps.forget();
    heads.forget();
    const fromHere = wanted(next);
    view.chosen = fromHere ?? headFor(next, before);
    if (before?.tokens.join('\u0000') !== next.tokens.join('\u0000')) forgetCells();
    if (fromHere) restore();
    part('note').textContent = next.note || '';
    element.querySelector('.conclusion').textContent = next.said ?? '';
    view.status.textContent = '';
    table.draw();
    pick(view.chosen);
  }
  // The head that the page has chosen, or the one from before; the text's own for another model.
  function headFor(next, before) {
    if (!signed && isHead(chosenHead(), next)) return chosenHead();
    const sameShape = before && before.L === next.L && before.H === next.H && before.model === next.model;
    return sameShape ? view.chosen : next.start;
  }
  function forgetCells() {
    view.cell = view.hovered = null;
    for (const map of [large, ...steps.maps]) {
      map.setHover(null);
      map.setLocked(null);
    }
  }
  // A link names the head that it shows; it counts once, when its text is on the page.
  let fromLink = !signed;
  function wanted(next) {
    if (!fromLink || !isOfLink(next.text)) return null;
    fromLink = false;
    return headInLink(next);
  }
  // The rest of a linked view: how it is drawn, the cell that was clicked, and the zoom.
  let zoomFromLink = null;
  function restore() {
    const linked = viewInLink(view.value.tokens.length);
    view.cell = linked.cell ?? view.cell;
    zoomFromLink = linked.zoom;
    if (linked.mode && part(linked.mode + '-view')) setMode(linked.mode);
  }

  // --- the overview
  const grid = part('grid');
  function setPeek(at) {
    view.peek = at;
    heads.draw();
    drawHead();
  }
  grid.addEventListener('pointermove', e => {
    if (!view.value || e.pointerType !== 'mouse') return;
    const at = heads.headAt(e);
    if (at ? !view.peek || !same(at, view.peek) : view.peek) setPeek(at && !same(at, view.chosen) ? at : null);
  });
  grid.addEventListener('pointerleave', () => view.peek && setPeek(null));
  grid.addEventListener('click', e => {
    const at = view.value && heads.headAt(e);
    if (at) choose(at);
  });
  function byArrow(e) {
    const step = ARROWS[e.key];
    if (!step || !view.value || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    choose([wrap(view.chosen[0] + step[0], view.value.L), wrap(view.chosen[1] + step[1], view.value.H)]);
  }
  grid.addEventListener('keydown', byArrow);
  part('map').addEventListener('keydown', e => {
    if (e.shiftKey) byArrow(e);
  });

  // --- the chosen head
  const large = heatMap(part('map'), {
    kind: signed ? 'signed' : 'share',
    axes: true,
    causal: () => view.value?.causal,
    onHover: at => {
      view.hovered = at;
      detail.draw();
    },
    onLock: at => lock(at),
    onZoom: next => {
      for (const small of steps.maps) small.zoomTo(next);
    },
  });
  function lock(at) {
    view.cell = at;
    for (const map of [large, ...steps.maps]) map.setLocked(at);
    detail.draw();
    if (view.mode === 'lines') lines.draw();
    if (view.mode === 'steps') steps.sums();
    if (shares && at && !view.value.note) chooseToken(at[0] - view.value.from, hear);
  }
  // Marks the row of the page's chosen token, where the head attends most.
  function mark() {
    const {value, shown, cell} = view;
    const row = chosenToken() === null ? -1 : chosenToken() + value.from;
    if (!shares || !shown || value.note || row < 0 || row >= value.tokens.length || cell?.[0] === row) return;
    lock([row, strongest(shown.slice(row * value.tokens.length, (row + 1) * value.tokens.length))]);
  }
  // Shares the choice with the whole page.
  function choose(at) {
    pick(at);
    if (!signed) chooseHead(at, hear);
  }
  const hear = news => {
    if (isHead(news.head, view.value)) pick(news.head);
    if ('token' in news && view.value) mark();
  };
  if (!signed) onSentence(hear);
  function pick(at) {
    Object.assign(view, {chosen: at, peek: null});
    heads.reveal(at);
    const label = view.value ? `All heads. ${spoken(at)} is chosen. Arrow keys choose another.` : 'All heads';
    grid.setAttribute('aria-label', label);
    heads.draw();
    drawHead();
    table.mark();
    weights.mark();
  }
  const spoken = at => (view.value.signed ? nameOf(at) : `${nameOf(at)}, ${roleText(at)}`);
  function roleText(at) {
    const [role, leans] = view.value.roles[at[0]][at[1]],
      other = elsewhere(view.value, at);
    const here = `${leans && role !== 'mixed' ? 'leans to' : 'looks at'} ${ROLES[role][2]}`;
    return other ? `${here}; where tokens repeat, ${ROLES[other][2]}` : here;
  }

  // Shows a head's map: first from its thumbnail if that has every cell, then at full precision.
  async function drawHead() {
    if (!view.value) return;
    const at = view.inView(),
      of = view.value;
    title(at);
    const kept = maps.kept(at);
    view.preview = !kept;
    view.shown = kept || (of.side === of.tokens.length ? view.thumb.values(...at) : null);
    present(at);
    const matrix = await maps.exact(at);
    if (!matrix || of !== view.value || !same(at, view.inView())) return;
    maps.found();
    Object.assign(view, {shown: matrix, preview: false});
    present(at);
    mark();
  }
  function present(at) {
    const {shown, value, cell, mode} = view;
    part('map').classList.toggle('waits', !shown); // the map of another head
    if (!shown) return;
    large.show(shown, value.tokens, value.signed ? limitOf(shown) : 1);
    if (zoomFromLink) large.setZoom(zoomFromLink);
    zoomFromLink = null;
    large.setLocked(cell);
    detail.draw();
    if (mode === 'lines') lines.draw();
    if (mode === 'steps') steps.draw(at);
  }
  function title(at) {
    const [layer, head] = at;
    const {scores} = view.value;
    const percent = (100 * (scores.changed ?? scores.first)[layer][head]).toFixed(0);
    part('name').textContent = nameOf(at);
    part('role').textContent = view.value.signed
      ? `${percent}% of its attention moved`
      : `${roleText(at)} · ${percent}% rests on the first token`;
  }

  // --- views and tools
  const modes = element.querySelectorAll('[data-view]');
  for (const button of modes) button.addEventListener('click', () => setMode(button.dataset.view));
  function setMode(mode) {
    view.mode = mode;
    for (const button of modes) button.setAttribute('aria-pressed', button.dataset.view === mode);
    for (const name of ['map', 'lines', 'steps']) if (part(name + '-view')) part(name + '-view').hidden = name !== mode;
    if (part('sums')) part('sums').hidden = mode !== 'steps';
    part('detail').hidden = part('zoom').hidden = mode === 'lines';
    if (view.value) present(view.inView());
  }
  const heads = overview(view),
    detail = cellDetail(view),
    lines = lineView(view),
    steps = stepView(view),
    table = headTable(view),
    weights = headWeights(view);
  const tools = {...headTools(view, {large, maps, trigger}), induction: table.findInduction};
  onTools(element, () => view.value && tools);

  new ResizeObserver(() => {
    heads.draw();
    if (view.mode === 'lines') lines.draw();
  }).observe(part('scroll'));
  onLook(() => {
    heads.forget();
    heads.draw();
  });
  watch('value', take);
  setMode('map');
  take();
}
