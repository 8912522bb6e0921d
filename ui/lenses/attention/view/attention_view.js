// Thumbnails of all heads; one head in detail. The value is JSON of ui.lenses.attention.handlers.maps.describe, or of
// the comparison, where cells are differences. Token text goes into the page by textContent alone.
/** @import {Answered, Component} from '../../../shared/view/component' */
/** @import {AttentionMaps, AttentionServer} from '../../../shared/view/payloads' */
import {csvText, visible} from '../../../shared/view/plain.js';
import {decodeMap, decodeThumbs} from '../../../shared/view/coding.js';
import {limitOf} from '../../../shared/view/scales.js';
import {
  chooseHead,
  chooseToken,
  chosenHead,
  chosenInLink,
  chosenToken,
  onSentence,
} from '../../../shared/view/sentence.js';
import {onLook, saveMade, saveText, shareLink, slides} from '../../../shared/view/page.js';
import {cellDetail} from './cell_detail.js';
import {heatMap} from './heatmap.js';
import {headQuiz} from './head_quiz.js';
import {headTable} from './head_table.js';
import {headWeights} from './head_weights.js';
import {lineView} from './line_view.js';
import {headInLink, isOfLink, linkOf, viewInLink} from './link.js';
import {overview} from './overview.js';
import {ROLES, same} from './roles.js';
import {stepView} from './step_view.js';

const IN_FRONT = 'end-of-text in front';
const RETRIES = [300, 1000, 3000, 8000]; // milliseconds after which a text that is being read again is asked for

/** @param {Component<AttentionMaps, AttentionServer>} page */
export function start({element, props, server, trigger, watch, given}) {
  const part = name => element.querySelector('.at-' + name);
  const shares = given.shares === true, // the token that is chosen on the page
    signedView = given.signed === true,
    status = part('said');
  let value = null,
    thumb = null,
    /** @type {[number, number]} */ chosen = [0, 0],
    peek = null,
    cell = null,
    hovered = null,
    mode = 'map';
  let maps = new Map(),
    shown = null,
    retries = 0,
    drawn = '',
    taken = 0;

  const nameOf = ([layer, head]) => `Layer ${layer} · head ${head}`;
  const shareOf = ([layer, head]) => value.scores.first[layer][head];
  const isHead = (at, of) => Boolean(at && of?.roles[at[0]]?.[at[1]]);
  const inView = () => peek || chosen;
  const token = place => visible(value.tokens[place]);

  async function take() {
    const text = props.value || '';
    if (text === drawn) return;
    drawn = text;
    const ticket = ++taken;
    const next = text
      ? JSON.parse(text)
      : /** @type {AttentionMaps & Answered} */ ({message: 'Write a text to see where the heads look.'});
    part('message').textContent = next.message || '';
    part('body').hidden = Boolean(next.message);
    if (next.message) return; // the head that was chosen stays chosen
    const decoded = await decodeThumbs(next);
    if (ticket !== taken) return; // superseded by a newer one
    const before = value;
    const sameShape = before && before.L === next.L && before.H === next.H && before.model === next.model;
    [value, thumb, maps, shown, retries] = [next, decoded, new Map(), null, 0];
    heads.forget();
    value.from = value.mode === IN_FRONT ? 1 : 0; // the place of the text's first token
    const fromHere = wanted(next);
    const onPage = !signedView && isHead(chosenHead(), next) ? chosenHead() : null;
    if (fromHere || onPage || !sameShape) chosen = fromHere || onPage || next.start;
    const sameText = before && before.tokens.join('\u0000') === next.tokens.join('\u0000');
    if (!sameText) {
      cell = hovered = null;
      for (const map of [large, ...steps.maps]) {
        map.setHover(null);
        map.setLocked(null);
      }
      if (quiz.open) quiz.end();
    }
    if (fromHere) restore();
    peek = null;
    part('note').textContent = next.note || '';
    element.querySelector('.conclusion').textContent = next.said ?? '';
    status.textContent = '';
    table.draw();
    pick(chosen);
  }
  // A link names the head that it shows; it counts once, when its text is on the page.
  let fromLink = !signedView;
  function wanted(next) {
    if (!fromLink || !isOfLink(next.text)) return null;
    fromLink = false;
    return headInLink(next);
  }
  // The rest of a linked view: how it is drawn, the cell that was clicked, and the zoom.
  let zoomFromLink = null;
  function restore() {
    const linked = viewInLink(value.tokens.length);
    cell = linked.cell ?? cell;
    zoomFromLink = linked.zoom;
    if (linked.mode && part(linked.mode + '-view')) setMode(linked.mode);
  }

  // --- the overview
  const grid = part('grid');
  grid.addEventListener('pointermove', e => {
    if (!value || e.pointerType !== 'mouse') return;
    const at = heads.headAt(e);
    if (at ? !peek || !same(at, peek) : peek) {
      peek = at && !same(at, chosen) ? at : null;
      heads.draw();
      drawHead();
    }
  });
  grid.addEventListener('pointerleave', () => {
    if (peek) {
      peek = null;
      heads.draw();
      drawHead();
    }
  });
  grid.addEventListener('click', e => {
    const at = value && heads.headAt(e);
    if (at) choose(at);
  });
  const wrap = (x, n) => (x + n) % n;
  const ARROWS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  function byArrow(e) {
    const step = ARROWS[e.key];
    if (!step || !value || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    choose([wrap(chosen[0] + step[0], value.L), wrap(chosen[1] + step[1], value.H)]);
  }
  grid.addEventListener('keydown', byArrow);
  part('map').addEventListener('keydown', e => {
    if (e.shiftKey) byArrow(e);
  });

  // --- the chosen head
  const large = heatMap(part('map'), {
    kind: signedView ? 'signed' : 'share',
    axes: true,
    causal: () => value?.causal,
    onHover: at => {
      hovered = at;
      detail.draw();
    },
    onLock: at => lock(at),
    onZoom: next => {
      for (const small of steps.maps) small.zoomTo(next);
    },
  });
  function lock(at) {
    cell = at;
    large.setLocked(at);
    for (const small of steps.maps) small.setLocked(at);
    detail.draw();
    if (mode === 'lines') lines.draw();
    if (mode === 'steps') steps.sums();
    if (shares && at && !value.note) chooseToken(at[0] - value.from, hear);
  }
  // Marks the row of the page's chosen token, where the head attends most.
  function mark() {
    const row = chosenToken() === null ? -1 : chosenToken() + value.from;
    if (!shares || !shown || value.note || row < 0 || row >= value.tokens.length || cell?.[0] === row) return;
    const weights = shown.slice(row * value.tokens.length, (row + 1) * value.tokens.length);
    let best = 0;
    weights.forEach((weight, place) => {
      if (weight > weights[best]) best = place;
    });
    lock([row, best]);
  }
  // Shares the choice with the whole page.
  function choose(at) {
    pick(at);
    if (!signedView) chooseHead(at, hear);
  }
  const hear = news => {
    if (isHead(news.head, value)) pick(news.head);
    if ('token' in news && value) mark();
  };
  if (!signedView) onSentence(hear);
  function pick(at) {
    if (!same(at, chosen)) quiz.another();
    chosen = at;
    peek = null;
    heads.reveal(at);
    grid.setAttribute(
      'aria-label',
      value ? `All heads. ${spoken(at)} is chosen. Arrow keys choose another.` : 'All heads',
    );
    heads.draw();
    drawHead();
    table.mark();
    weights.mark();
    quiz.ask();
  }
  const spoken = at => (value.signed || quiz.open ? nameOf(at) : `${nameOf(at)}, ${roleText(at)}`);
  function roleText([layer, head]) {
    const [role, leans] = value.roles[layer][head];
    return (
      (leans && role !== 'mixed' ? `leans to ${ROLES[role][2]}` : `looks at ${ROLES[role][2]}`) + elsewhere(layer, head)
    );
  }
  // What a head does where tokens repeat, if that is something else than here.
  function elsewhere(layer, head) {
    const role = value.elsewhere?.[layer][head];
    return role && role !== value.roles[layer][head][0] ? `; where tokens repeat, ${ROLES[role][2]}` : '';
  }

  // How the server is asked about a head of a reading.
  const question = ([layer, head], of = value) => ({key: of.key, layer, head, mode: of.mode});
  // Shows a head's map: first from its thumbnail if that has every cell, then at full precision.
  async function exact([layer, head]) {
    const key = layer + ',' + head,
      of = value;
    if (!maps.has(key)) {
      const reply = await server.head_map(question([layer, head], of)).catch(() => undefined);
      if (of !== value) return null;
      if (!reply) {
        lost(reply);
        return null;
      }
      maps.set(key, await decodeMap(reply.map, of.tokens.length, of.causal, of.signed));
      if (maps.size > 48) maps.delete(maps.keys().next().value);
    }
    return of === value ? maps.get(key) : null;
  }
  // The reading was evicted or the server restarted: retries once. Reports a missing answer.
  function lost(reply) {
    if (reply === undefined) {
      status.textContent =
        'The server does not answer; what is shown is a preview. Check the connection, then choose a head again.';
      return;
    }
    status.textContent = 'The server no longer has this text; re-reading.';
    if (retries++) return;
    trigger('expired', {});
    // Read again by the same model, it has the same key, and the value does not change.
    const of = value;
    for (const wait of RETRIES)
      setTimeout(() => {
        if (of !== value || !status.textContent.endsWith('re-reading.')) return;
        drawHead();
      }, wait);
  }
  let preview = false;
  async function drawHead() {
    if (!value) return;
    const at = inView(),
      of = value,
      T = value.tokens.length;
    title(at);
    preview = !maps.has(at.join());
    shown = maps.get(at.join()) || (value.side === T ? thumb.values(...at) : null);
    present(at);
    const matrix = await exact(at);
    if (matrix && of === value && same(at, inView())) {
      if (status.textContent.endsWith('re-reading.')) [status.textContent, retries] = ['', 0];
      shown = matrix;
      preview = false;
      present(at);
      mark();
    }
  }
  function present(at) {
    part('map').classList.toggle('waits', !shown); // the map of another head
    if (!shown) return;
    large.show(shown, value.tokens, value.signed ? limitOf(shown) : 1);
    if (zoomFromLink) {
      large.setZoom(zoomFromLink);
      zoomFromLink = null;
    }
    large.setLocked(cell);
    detail.draw();
    if (mode === 'lines') lines.draw();
    if (mode === 'steps') steps.draw(at);
  }
  function title(at) {
    part('name').textContent = nameOf(at);
    part('role').textContent = quiz.open
      ? 'What does this head do?'
      : value.signed
        ? `${(100 * value.scores.changed[at[0]][at[1]]).toFixed(0)}% of its attention moved`
        : `${roleText(at)} · ${(100 * shareOf(at)).toFixed(0)}% rests on the first token`;
  }
  // --- views and tools
  for (const button of element.querySelectorAll('[data-view]'))
    button.addEventListener('click', () => setMode(button.dataset.view));
  function setMode(next) {
    mode = next;
    for (const button of element.querySelectorAll('[data-view]'))
      button.setAttribute('aria-pressed', button.dataset.view === mode);
    for (const name of ['map', 'lines', 'steps']) if (part(name + '-view')) part(name + '-view').hidden = name !== mode;
    if (part('sums')) part('sums').hidden = mode !== 'steps';
    part('detail').hidden = part('zoom').hidden = mode === 'lines';
    if (value) present(inView());
  }
  const link = async () => {
    status.textContent = await shareLink({
      ...linkOf({value, head: chosen, mode, cell, zoom: large.zoom()}),
      token: chosenInLink().token,
    });
  };
  async function csv() {
    const matrix = await exact(chosen); // never the preview
    if (!matrix) return;
    const n = value.tokens.length,
      rows = [['reading \\ looked at', ...value.tokens]];
    for (let q = 0; q < n; q++)
      rows.push([
        value.tokens[q],
        ...Array.from({length: n}, (_, k) => (Number.isNaN(matrix[q * n + k]) ? '' : +matrix[q * n + k].toFixed(5))),
      ]);
    saveText(fileName() + '.csv', 'text/csv', csvText(rows));
  }
  const fileName = () => `attention-layer${chosen[0]}-head${chosen[1]}`;
  const actions = {
    ...slides(
      status,
      () => fileName(),
      (format, dark) => server.picture({...question(chosen), format, dark}),
    ),
    html: () =>
      saveMade(status, 'attention.html', () =>
        server.standalone({...question(chosen), value: JSON.stringify({...value, start: chosen})}),
      ),
    npz: () => saveMade(status, 'attention.npz', () => server.arrays(question(chosen))),
    csv,
    link,
    plus: () => large.zoomBy(0.6),
    minus: () => large.zoomBy(1 / 0.6),
    all: () => large.unzoom(),
    wake: () => {
      status.textContent = 'Looking for a text that activates this head…';
      trigger('activate', {layer: chosen[0], head: chosen[1]});
    },
    off: () => trigger('off', {layer: chosen[0], head: chosen[1]}),
    induction: () => table.findInduction(),
    quiz: () => quiz.toggle(),
  };
  element.addEventListener('click', e => {
    const run = value && actions[e.target.dataset?.do];
    if (run) run();
  });

  new ResizeObserver(() => {
    heads.draw();
    if (mode === 'lines') lines.draw();
  }).observe(part('scroll'));
  onLook(() => {
    heads.forget();
    heads.draw();
  });

  // Current state, shared with the parts of the view.
  const view = {
    element,
    part,
    server,
    status,
    signed: signedView,
    token,
    nameOf,
    roleText,
    pick: choose,
    lock,
    lost,
    inView,
    question,
    get value() {
      return value;
    },
    get shown() {
      return shown;
    },
    get chosen() {
      return chosen;
    },
    get peek() {
      return peek;
    },
    get thumb() {
      return thumb;
    },
    get preview() {
      return preview;
    },
    get asks() {
      return quiz.open;
    },
    get mode() {
      return mode;
    },
    get cell() {
      return cell;
    },
    get hovered() {
      return hovered;
    },
    set hovered(at) {
      hovered = at;
    },
    get zoom() {
      return large.zoom();
    },
    zoomTo: next => large.zoomTo(next),
  };
  const heads = overview(view),
    detail = cellDetail(view),
    lines = lineView(view),
    steps = stepView(view),
    table = headTable(view),
    weights = headWeights(view),
    quiz = headQuiz(view);
  watch('value', take);
  setMode('map');
  take();
}
