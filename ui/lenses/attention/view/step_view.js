// Computation of the map in steps: scores, mask, softmax, and the arithmetic of one row.
import {figure} from '../../../shared/view/plain.js';
import {inflate} from '../../../shared/view/coding.js';
import {limitOf} from '../../../shared/view/scales.js';
import {add} from '../../../shared/view/dom.js';
import {heatMap} from './heatmap.js';
import {same, strongest} from './roles.js';

const SUM = 'at-sum u-type-sm u-mono';

export function stepView(view) {
  const {part, server, token, inView, lock, maps: ofHeads, large} = view;
  if (view.signed) return {maps: [], draw: () => {}, sums: () => {}}; // differences have no steps
  const maps = ['scores', 'masked', 'softmax'].map((name, i) =>
    heatMap(part(name), {
      kind: i < 2 ? 'signed' : 'share',
      axes: false,
      causal: () => view.value?.causal,
      onHover: at => {
        view.hovered = at;
        for (const other of maps) other.setHover(at);
        stepDetail();
      },
      onLock: lock,
      onZoom: next => {
        for (const other of maps) other.zoomTo(next);
        large.zoomTo(next);
      },
    }),
  );
  let raw = null,
    rawOf = '';
  async function draw(at) {
    const of = view.value,
      key = of.key + at.join();
    if (rawOf !== key) {
      const reply = await server.steps(ofHeads.question(at));
      if (of !== view.value || !same(at, inView())) return;
      if (!ofHeads.isThere(reply)) return;
      raw = {values: new Float32Array(await inflate(reply.scores)), largest: reply.largest};
      rawOf = key;
    }
    const n = of.tokens.length,
      masked = raw.values.map((v, i) => (of.causal && i % n > Math.floor(i / n) ? NaN : v));
    raw.masked = masked;
    raw.largestSeen = limitOf(masked);
    raw.weights = view.shown;
    maps[0].show(raw.values, of.tokens, raw.largest);
    maps[1].show(masked, of.tokens, raw.largestSeen);
    maps[2].show(view.shown, of.tokens, 1);
    for (const small of maps) {
      small.zoomTo(large.zoom());
      small.setLocked(view.cell);
    }
    scale(part('scores-bar'), -raw.largest, raw.largest);
    scale(part('masked-bar'), -raw.largestSeen, raw.largestSeen);
    scale(part('softmax-bar'), 0, 1);
    stepDetail();
    sums();
  }
  function scale(bar, from, to) {
    bar.textContent = '';
    add(bar, 'span', '', figure(from));
    add(bar, 'span', 'at-ramp u-ramp u-grow ' + (from < 0 ? 'signed' : 'share'));
    add(bar, 'span', '', (from < 0 ? '+' : '') + figure(to));
  }
  function stepDetail() {
    const {value, mode} = view,
      at = view.hovered || view.cell;
    if (!at || !raw || mode !== 'steps') return;
    const [q, k] = at,
      i = q * value.tokens.length + k,
      hidden = value.causal && k > q;
    part('detail').textContent =
      `${token(q)} → ${token(k)}: score ${figure(raw.values[i])} · ${hidden ? 'masked: −∞' : 'kept'} · ` +
      `after softmax ${hidden ? 'exactly 0' : Number.isNaN(raw.weights[i]) ? 'n/a' : raw.weights[i].toFixed(4)}`;
  }
  // The arithmetic of one row, with the real numbers. Without a clicked cell it is the last
  // token's.
  let sumsOf = '';
  async function sums() {
    const {value: of, shown, cell} = view,
      at = inView(),
      n = of.tokens.length,
      q = cell ? cell[0] : n - 1;
    const k =
        cell && !(of.causal && cell[1] > q) ? cell[1] : strongest(shown.slice(q * n, (q + 1) * n)),
      key = [of.key, ...at, q, k].join();
    if (sumsOf === key) return;
    sumsOf = key;
    const made = await server.arithmetic({...ofHeads.question(at), row: q, column: k});
    if (of !== view.value || sumsOf !== key) return;
    if (!ofHeads.isThere(made)) {
      sumsOf = '';
      return;
    }
    const box = part('sums');
    box.textContent = '';
    const say = (className, text) => add(box, 'p', className, text);
    say(
      '',
      `Reading token ${token(q)} (no. ${q}) compares its query with the key of every token it may see.`,
    );
    const products = made.products.slice(0, 3).map(figure).join(' + ').replaceAll('+ -', '− ');
    const [dot, root, score] = [made.dots[k], Math.sqrt(made.width), made.scores[k]].map(figure);
    say(SUM, `q · k of ${token(k)} = ${products} + … (${made.width} products) = ${dot}`);
    say(SUM, `÷ √${made.width} = ${dot} ÷ ${root} = ${score}`);
    const rows = made.weights.map((weight, place) => [place, weight]).sort((a, b) => b[1] - a[1]),
      top = rows.slice(0, 8);
    if (!top.some(([place]) => place === k)) top.push(rows.find(([place]) => place === k));
    const grid = add(box, 'table', 'at-table u-type-sm u-digits'),
      head = add(add(grid, 'thead'), 'tr'),
      body = add(grid, 'tbody');
    grid.setAttribute('aria-label', 'One cell, worked out');
    const taken = `exp(score ${made.largest < 0 ? '+' : '−'} ${figure(Math.abs(made.largest))})`;
    for (const name of ['looked at', 'score', taken, `÷ ${figure(made.sum)} = attention`])
      add(head, 'th', '', name);
    for (const [place, weight] of top) {
      const row = add(body, 'tr', place === k ? 'chosen' : '');
      add(row, 'td', 'at-token u-mono', token(place));
      for (const number of [
        figure(made.scores[place]),
        made.exps[place].toPrecision(3),
        weight.toFixed(4),
      ])
        add(row, 'td', '', number);
    }
    const rest = rows.length - top.length;
    const added = `${rest > 0 ? `and ${rest} more. ` : ''}The exponentials of all ${rows.length} add up to`;
    const largest = `${figure(made.largest)} is the largest score, taken off first so that nothing overflows`;
    say('at-muted u-muted u-type-xs', `${added} ${figure(made.sum)}; ${largest}.`);
    if (of.mode === 'without the first token' && q > 0) {
      const others = 1 - made.weights[0];
      const [first, own, then] = [made.weights[0], made.weights[k], made.weights[k] / others].map(
        w => w.toFixed(4),
      );
      const shares = k > 0 && others > 1e-6 ? `: ${token(k)} ${own} → ${then}` : '';
      const left = `the first token’s ${first} is then left out and the others are divided by the rest`;
      say('', `In this mode ${left}, ${others.toFixed(4)}${shares}.`);
    }
  }

  return {maps, draw, sums};
}
