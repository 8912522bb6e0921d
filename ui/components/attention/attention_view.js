// Thumbnails of all heads; one head in detail. The value is JSON of ui.handlers.attention.maps.describe, or of
// the comparison, where cells are differences. Token text goes into the page by textContent alone.
/** @import {Answered, Component} from '../component' */
/** @import {AttentionMaps, AttentionServer} from '../payloads' */
import {csvText, visible} from '../shared/plain.js';
import {decodeMap, decodeThumbs} from '../shared/coding.js';
import {limitOf, placeOf, ramp} from '../shared/scales.js';
import {chooseHead, chooseToken, chosenHead, chosenInLink, chosenToken, onSentence} from '../shared/sentence.js';
import {addButton, isDark, onLook, saveMade, saveText, shareLink, slides} from '../shared/page.js';
import {fitted, heatMap} from './heatmap.js';
import {headQuiz} from './head_quiz.js';
import {headTable} from './head_table.js';
import {headWeights} from './head_weights.js';
import {lineView} from './line_view.js';
import {ROLES, same} from './roles.js';
import {stepView} from './step_view.js';

const IN_FRONT = 'end-of-text in front';
const NARROW = 50; // pixels of a small picture that has no room for a word

/** @param {Component<AttentionMaps, AttentionServer>} page */
export function start({element, props, server, trigger, watch, given, choices = () => () => {}}) {
  const part = name => element.querySelector('.at-' + name);
  const shares = given.shares === true, // the token that is chosen on the page
    signedView = given.signed === true,
    said = part('said');
  let value = null,
    thumb = null,
    picture = null,
    /** @type {[number, number]} */ chosen = [0, 0],
    wished = null,
    peek = null,
    cell = null,
    hovered = null,
    mode = 'map';
  let maps = new Map(),
    shown = null,
    asked = 0,
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
    [value, thumb, maps, picture, shown, asked] = [next, decoded, new Map(), null, null, 0];
    value.from = value.mode === IN_FRONT ? 1 : 0; // the place of the text's first token
    const fromHere = wanted(next);
    const onPage = !signedView && isHead(chosenHead(), next) ? chosenHead() : null;
    if (fromHere || onPage || !sameShape) chosen = fromHere || onPage || next.start;
    if (isHead(wished, next)) chosen = wished;
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
    said.textContent = '';
    table.draw();
    pick(chosen);
  }
  // A link names the head that it shows; it counts once, when its text is on the page.
  let fromLink = !signedView;
  function wanted(next) {
    const query = new URLSearchParams(location.search),
      at = ['layer', 'head'].map(name => parseInt(query.get(name) ?? '', 10));
    if (!fromLink || (query.has('text') && query.get('text') !== next.text)) return null;
    fromLink = false;
    return at[0] >= 0 && at[0] < next.L && at[1] >= 0 && at[1] < next.H ? at : null;
  }
  // The rest of a linked view: how it is drawn, the cell that was clicked, and the zoom.
  let zoomFromLink = null;
  function restore() {
    const query = new URLSearchParams(location.search),
      n = value.tokens.length;
    const numbers = name => (query.get(name) || '').split('-').filter(Boolean).map(Number).filter(Number.isInteger);
    const [q, k] = numbers('cell'),
      zoom = numbers('zoom');
    if (q < n && k < n) cell = [q, k];
    if (zoom.length === 4 && zoom.every(x => x >= 0 && x <= n) && zoom[1] - zoom[0] > 1 && zoom[3] - zoom[2] > 1)
      zoomFromLink = {q0: zoom[0], q1: zoom[1], k0: zoom[2], k1: zoom[3]};
    if (['lines', 'steps'].includes(query.get('view')) && part(query.get('view') + '-view')) setMode(query.get('view'));
  }

  // --- the overview
  const grid = part('grid');
  function layout() {
    const width = part('scroll').clientWidth - 2,
      room = Math.max(260, parseFloat(getComputedStyle(grid).getPropertyValue('--at-height')) || 420);
    const gutter = 18,
      size = Math.max(26, Math.min((width - gutter) / value.H, (room - gutter) / value.L, 110));
    return {gutter, size, width: gutter + size * value.H, height: gutter + size * value.L};
  }
  function drawGrid() {
    if (!value || !part('scroll').clientWidth) return;
    const box = layout(),
      text = getComputedStyle(grid);
    grid.style.width = box.width + 'px';
    grid.style.height = box.height + 'px';
    const [ctx] = fitted(grid),
      color = name => text.getPropertyValue(name);
    picture = picture || atlas(thumb, value);
    legend(box.size < NARROW);
    const size = box.size - 3,
      small = Math.max(9, Math.min(13, size * 0.21));
    ctx.font = `11px ${text.fontFamily}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = color('--body-text-color-subdued');
    for (let head = 0; head < value.H; head++) ctx.fillText(head, box.gutter + (head + 0.5) * box.size, 8);
    for (let layer = 0; layer < value.L; layer++) ctx.fillText(layer, 8, box.gutter + (layer + 0.5) * box.size);
    for (let layer = 0; layer < value.L; layer++)
      for (let head = 0; head < value.H; head++) {
        const x = box.gutter + head * box.size,
          y = box.gutter + layer * box.size;
        ctx.imageSmoothingEnabled = value.side > size;
        ctx.fillStyle = color('--lens-blank');
        ctx.fillRect(x, y, size, size);
        ctx.drawImage(picture, head * value.side, layer * value.side, value.side, value.side, x, y, size, size);
        if (size >= 24 && !quiz.open) badges(ctx, [layer, head], x + size - 2, y + 2, small, text);
        const own = same([layer, head], chosen),
          near = peek && same([layer, head], peek);
        ctx.strokeStyle = color(own ? '--lens-accent' : near ? '--lens-line' : '--border-color-primary');
        ctx.lineWidth = own ? 3 : near ? 2 : 1;
        ctx.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
      }
  }
  // The future half of a thumbnail is free: role and share on the first token stand there.
  function badges(ctx, [layer, head], right, top, size, style) {
    ctx.textAlign = 'right';
    ctx.textBaseline = 'top';
    ctx.fillStyle = style.getPropertyValue('--body-text-color');
    const lines = value.signed
      ? [value.scores.changed[layer][head].toFixed(2)]
      : layout().size < NARROW
        ? [badge(value.roles[layer][head], true)]
        : [badge(value.roles[layer][head], false), `${Math.round(100 * shareOf([layer, head]))}%`];
    if (!value.causal) {
      ctx.lineWidth = 3;
      ctx.strokeStyle = style.getPropertyValue('--lens-paper');
    }
    lines.forEach((text, i) => {
      ctx.font = `${i || value.signed ? '' : 'bold '}${size}px ${style.fontFamily}`;
      if (!value.causal) ctx.strokeText(text, right, top + i * size * 1.1);
      ctx.fillText(text, right, top + i * size * 1.1);
    });
  }
  const badge = ([role, leans], short) => {
    const word = short ? ROLES[role][0].slice(0, 1) : ROLES[role][0];
    return (leans && word ? '~' : '') + word;
  };
  function legend(narrow) {
    const text = value.signed
      ? 'Orange: A looks there more. Blue: B does. The number says how much of the attention moved, 0 to 1.'
      : Object.entries(ROLES)
          .filter(([name]) => name !== 'mixed')
          .map(([, [word, , what]]) => `${word}: ${what.split(':')[0]}`)
          .join(' · ') + ` · ~ leans that way${narrow ? '' : ' · %: attention on the first token'}`;
    part('legend').textContent = text;
  }
  function headAt(event) {
    const box = layout(),
      frame = grid.getBoundingClientRect();
    const head = Math.floor((event.clientX - frame.left - box.gutter) / box.size),
      layer = Math.floor((event.clientY - frame.top - box.gutter) / box.size);
    return head >= 0 && layer >= 0 && head < value.H && layer < value.L ? [layer, head] : null;
  }
  grid.addEventListener('pointermove', e => {
    if (!value || e.pointerType !== 'mouse') return;
    const at = headAt(e);
    if (at ? !peek || !same(at, peek) : peek) {
      peek = at && !same(at, chosen) ? at : null;
      drawGrid();
      drawHead();
    }
  });
  grid.addEventListener('pointerleave', () => {
    if (peek) {
      peek = null;
      drawGrid();
      drawHead();
    }
  });
  grid.addEventListener('click', e => {
    const at = value && headAt(e);
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
      detail();
    },
    onLock: at => lock(at),
    onZoom: next => {
      for (const small of steps.maps) small.adopt(next);
    },
  });
  function lock(at) {
    cell = at;
    large.setLocked(at);
    for (const small of steps.maps) small.setLocked(at);
    detail();
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
  const told = choices(choice => {
    const at = JSON.parse(choice);
    if (isHead(at, value)) pick(at);
    wished = at; // applied once the text is decoded
  });
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
    told(JSON.stringify(at));
    wished = null;
    if (!same(at, chosen)) quiz.another();
    chosen = at;
    peek = null;
    const box = layout(),
      scroll = part('scroll');
    if (scroll.scrollWidth > scroll.clientWidth)
      scroll.scrollLeft = Math.min(
        Math.max(scroll.scrollLeft, box.gutter + (at[1] + 1) * box.size - scroll.clientWidth),
        at[1] * box.size,
      );
    grid.setAttribute(
      'aria-label',
      value ? `All heads. ${spoken(at)} is chosen. Arrow keys choose another.` : 'All heads',
    );
    drawGrid();
    drawHead();
    table.mark();
    weights.mark();
    quiz.ask();
  }
  const spoken = at => (value.signed || quiz.open ? nameOf(at) : `${nameOf(at)}, ${roleText(at)}`);
  function roleText([layer, head]) {
    const [role, leans] = value.roles[layer][head];
    return leans && role !== 'mixed' ? `leans to ${ROLES[role][2]}` : `looks at ${ROLES[role][2]}`;
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
      said.textContent =
        'The server does not answer; what is shown is a preview. Check the connection, then choose a head again.';
      return;
    }
    said.textContent = 'The server no longer has this text; re-reading.';
    if (!asked++) trigger('expired', {});
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
    const found = await exact(at);
    if (found && of === value && same(at, inView())) {
      shown = found;
      preview = false;
      present(at);
      mark();
    }
  }
  function present(at) {
    if (!shown) return;
    large.show(shown, value.tokens, value.signed ? limitOf(shown) : 1);
    if (zoomFromLink) {
      large.setZoom(zoomFromLink);
      zoomFromLink = null;
    }
    large.setLocked(cell);
    detail();
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
  function detail() {
    const at = hovered || cell,
      line = part('detail');
    if (!at || !shown) {
      line.textContent = matchMedia('(pointer: coarse)').matches
        ? 'Tap a cell for its value; + and − zoom in on it.'
        : 'Point at a cell, or use the arrow keys, for its value. Drag to zoom, double-click to see all; ' +
          'Shift with an arrow key goes to the next head.';
      return;
    }
    const [q, k] = at,
      weight = shown[q * value.tokens.length + k];
    const amount =
      value.causal && k > q
        ? 'n/a, the future is hidden'
        : Number.isNaN(weight)
          ? 'n/a, there is nothing else to look at'
          : (preview ? '≈ ' : '') + (value.signed && weight > 0 ? '+' : '') + weight.toFixed(preview ? 1 : 4);
    line.textContent = `reading token ${token(q)} (no. ${q}) → looked at ${token(k)} (no. ${k}): ${amount} `;
    if (server.why_there && cell && same(at, cell) && !(value.causal && k > q))
      addButton(line, 'lens-plain at-why', 'Why there?', () => whyThere(line, [q, k]));
  }
  // What draws the head's attention from one token to the other, behind the cell's value.
  async function whyThere(line, at) {
    const of = value;
    const answer = await server
      .why_there({...question(inView(), of), row: at[0], column: at[1]})
      .catch(() => undefined);
    if (of !== value || String(at) !== String(cell)) return;
    if (!answer) lost(answer);
    else line.querySelector('.at-why')?.replaceWith(answer.said);
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
  // What a link holds of the view: head, kind of view, cell, and zoom.
  function linked() {
    const zoom = large.zoom(),
      n = value.tokens.length;
    const whole = zoom.q1 - zoom.q0 === n && zoom.k1 - zoom.k0 === n;
    return {
      tab: 'attention',
      model: value.model,
      text: value.text,
      sink: value.mode,
      keep: value.keep,
      layer: chosen[0],
      head: chosen[1],
      ...(mode === 'map' ? {} : {view: mode}),
      token: chosenInLink().token,
      ...(cell ? {cell: cell.join('-')} : {}),
      ...(whole ? {} : {zoom: [zoom.q0, zoom.q1, zoom.k0, zoom.k1].map(Math.round).join('-')}),
    };
  }
  const link = async () => {
    said.textContent = await shareLink(linked());
  };
  async function csv() {
    const found = await exact(chosen); // never the preview
    if (!found) return;
    const n = value.tokens.length,
      rows = [['reading \\ looked at', ...value.tokens]];
    for (let q = 0; q < n; q++)
      rows.push([
        value.tokens[q],
        ...Array.from({length: n}, (_, k) => (Number.isNaN(found[q * n + k]) ? '' : +found[q * n + k].toFixed(5))),
      ]);
    saveText(fileName() + '.csv', 'text/csv', csvText(rows));
  }
  const fileName = () => `attention-layer${chosen[0]}-head${chosen[1]}`;
  const actions = {
    ...slides(
      said,
      () => fileName(),
      (format, dark) => server.picture({...question(chosen), format, dark}),
    ),
    html: () =>
      saveMade(said, 'attention.html', () =>
        server.standalone({...question(chosen), value: JSON.stringify({...value, start: chosen})}),
      ),
    npz: () => saveMade(said, 'attention.npz', () => server.arrays(question(chosen))),
    csv,
    link,
    plus: () => large.zoomBy(0.6),
    minus: () => large.zoomBy(1 / 0.6),
    all: () => large.unzoom(),
    wake: () => {
      said.textContent = 'Looking for a text that activates this head…';
      trigger('wake', {layer: chosen[0], head: chosen[1]});
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
    drawGrid();
    if (mode === 'lines') lines.draw();
  }).observe(part('scroll'));
  onLook(() => {
    picture = null;
    drawGrid();
  });

  // Current state, shared with the parts of the view.
  const view = {
    element,
    part,
    server,
    said,
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
    adopt: next => large.adopt(next),
  };
  const lines = lineView(view),
    steps = stepView(view),
    table = headTable(view),
    weights = headWeights(view),
    quiz = headQuiz(view);
  watch('value', take);
  setMode('map');
  take();
}

// All heads in one canvas, side x side pixels each; 16 codes are 16 colours.
function atlas(thumbs, {L, H, side, causal, signed}) {
  const kind = signed ? 'signed' : 'share',
    lut = ramp(kind, isDark());
  const colours = Array.from({length: 16}, (_, code) => lut[placeOf(thumbs.read(code), kind, 1)]);
  const canvas = document.createElement('canvas'),
    width = (canvas.width = side * H);
  const image = new ImageData(width, (canvas.height = side * L)),
    pixels = new Uint32Array(image.data.buffer);
  for (let layer = 0; layer < L; layer++)
    for (let head = 0; head < H; head++)
      for (let q = 0, at = thumbs.first(layer, head); q < side; q++)
        for (let k = 0, to = (layer * side + q) * width + head * side; k <= (causal ? q : side - 1); k++)
          pixels[to + k] = colours[thumbs.code(at++)];
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}
