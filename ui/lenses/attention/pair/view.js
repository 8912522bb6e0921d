// Activation patching grid: by depth and place, how much of A's answer returns when B gets A's
// value there. Model text goes into the page by textContent alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {AttentionServer, PairLists, PatchingGrid} from '../../../shared/view/payloads' */
import {percent, visible} from '../../../shared/view/plain.js';
import {add, onTools} from '../../../shared/view/dom.js';
import {saveCsv} from '../../../shared/view/files.js';
import {holdsState, linked} from '../../../shared/view/link.js';
import {oneStop} from '../view/cells.js';

// What a cell says in words.
export function cellText({a, b, answers, rows}, depth, place) {
  const share = rows[depth][place];
  const where = depth === rows.length - 1 ? 'behind the last block' : `before block ${depth}`;
  const [ofA, ofB] = [a, b].map(tokens => `“${visible(tokens[place])}”`);
  const token = a[place] === b[place] ? ofA : `${ofB} (A: ${ofA})`;
  return (
    `Copying A's value at ${token}, ${where}, moves B ${Math.round(100 * Math.max(0, share))}% of the way ` +
    `from “${visible(answers[1])}” to “${visible(answers[0])}”.`
  );
}

/** @param {Component<PatchingGrid & Partial<PairLists>, AttentionServer>} page */
export function start({element, props, server, watch, answer}) {
  const find = name => element.querySelector('.pt-' + name);
  const [message, body, table, detail, chances] = [
    'message',
    'body',
    'table',
    'detail',
    'chances',
  ].map(find);
  let patching = null,
    number = 0;
  let patchedInLink = cellsInLink();
  const carried = new Set(); // "depth,place" of the cells in which B has A's value

  function take() {
    const next = props.value ? JSON.parse(props.value) : null;
    message.textContent = next?.message ?? '';
    body.hidden = !next || Boolean(next.message);
    drawLists(next?.both ?? []);
    if (body.hidden) return;
    const same =
      patching && patching.texts.join() === next.texts.join() && patching.model === next.model;
    patching = next;
    if (!same) {
      number += 1; // an answer on its way is of another pair
      takePatched();
    }
    element.querySelector('.conclusion').textContent = patching.stopped
      ? 'Stopped; what was computed is kept.'
      : patching.said || `Computing depth ${patching.rows.length} of ${patching.total}…`;
    redraw(draw);
  }

  // Carries the cells that the link names, which count once.
  function takePatched() {
    carried.clear();
    for (const at of patchedInLink) carried.add(at);
    patchedInLink = [];
    if (carried.size) patch();
    else drawNext(patching.next);
  }

  function draw() {
    const name = label => visible(label).replace('␣', '');
    const [own, other] = patching.chances;
    chances.textContent =
      `A continues with “${name(patching.answers[0])}” (${percent(own[0])}), ` +
      `B with “${name(patching.answers[1])}” (${percent(other[1])}).`;
    for (const which of ['a', 'b']) {
      const head = add(table, 'tr');
      add(head, 'th', 'pt-side u-muted', which.toUpperCase());
      patching[which].forEach((label, place) => {
        const changed = patching.a[place] === patching.b[place] ? '' : ' changed';
        add(head, 'th', `pt-token u-mono${changed}`, visible(label));
      });
    }
    for (let depth = patching.total - 1; depth >= 0; depth--) {
      const row = add(table, 'tr');
      const last = depth === patching.total - 1;
      add(row, 'th', 'pt-side u-muted', last ? 'end' : `block ${depth}`);
      const waits = depth >= patching.rows.length;
      (waits ? patching.b.map(() => 0) : patching.rows[depth]).forEach((share, place) => {
        const percents =
          Math.abs(share) < 0.05 ? '' : `${Math.round(100 * share)}%`.replace('-', '−');
        const looks = `pt-cell u-type-xs u-digits${share > 0.55 ? ' full' : ''}${waits ? ' waits' : ''}`;
        const cell = add(row, 'td', looks, waits ? '…' : percents);
        cell.style.setProperty('--share', Math.min(1, Math.max(0, share)));
        cell.dataset.at = `${depth},${place}`;
        cell.setAttribute('role', 'button');
        cell.setAttribute(
          'aria-label',
          waits ? 'not computed yet' : cellText(patching, depth, place),
        );
        showCarried(cell);
      });
    }
  }

  function tell(cell) {
    const [depth, place] = cell.dataset.at.split(',').map(Number);
    if (depth < patching.rows.length) detail.textContent = cellText(patching, depth, place);
  }
  const {redraw} = oneStop(table, () => patching.a.length, tell);

  // A click, or a drag over several cells, patches A's values into B and updates B's next words.
  let painting = null;
  let painted = false; // the click that ends it changes nothing more
  const onCells = (name, call) =>
    table.addEventListener(name, event => event.target.matches('td') && call(event.target, event));
  const turn = cell => carry(cell, !carried.has(cell.dataset.at));
  onCells('pointerover', (cell, event) => {
    tell(cell);
    if (event.buttons && painting !== null) carry(cell, painting);
  });
  onCells('pointerdown', (cell, event) => {
    if (event.button || event.pointerType !== 'mouse') return; // a finger may begin to scroll here
    painted = true;
    painting = !carried.has(cell.dataset.at);
    carry(cell, painting);
  });
  onCells('click', cell => painted || turn(cell));
  onCells('keydown', (cell, event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    turn(cell);
  });
  addEventListener('pointerup', () => {
    painting = null;
    setTimeout(() => (painted = false));
  });

  function showCarried(cell) {
    const on = carried.has(cell.dataset.at);
    cell.classList.toggle('carried', on);
    cell.setAttribute('aria-pressed', on);
  }

  async function carry(cell, on) {
    carried[on ? 'add' : 'delete'](cell.dataset.at);
    showCarried(cell);
    await patch();
  }

  async function patch() {
    const mine = ++number;
    const cells = [...carried].map(item => item.split(',').map(Number));
    const [first, second] = patching.texts;
    const reply = await server.patched({model: patching.model, first, second, cells});
    if (mine !== number || !reply) return;
    const value = JSON.parse(reply);
    if (value.message) detail.textContent = value.message;
    else drawNext(value.next);
  }

  // What each sentence goes on with, where they cannot be compared place by place.
  function drawLists(both) {
    const lists = find('lists');
    lists.textContent = '';
    lists.hidden = !both.length;
    both.forEach((list, i) => {
      const column = add(lists, 'div', 'ct-next');
      add(column, 'b', '', `${'AB'[i]} continues with`);
      for (const [label, p] of list) drawBar(column, label, p, percent(p));
    });
  }

  function drawBar(box, label, p, figures) {
    const row = add(box, 'span', 'ct-bar u-bar u-spread u-type-sm u-mono');
    row.style.setProperty('--p', `${100 * p}%`);
    add(row, 'span', '', visible(label).replace('␣', ''));
    add(row, 'span', '', figures);
  }

  // B's next tokens, with their previous probabilities.
  function drawNext(list) {
    const box = find('next');
    box.textContent = '';
    const where = carried.size === 1 ? 'one cell' : `${carried.size} cells`;
    add(
      box,
      'b',
      '',
      carried.size ? `B, with A's values in ${where}, continues with` : 'B continues with',
    );
    const before = new Map(patching.next);
    for (const [label, p] of list) {
      const was = before.get(label);
      drawBar(
        box,
        label,
        p,
        carried.size && was !== undefined ? `${percent(was)} → ${percent(p)}` : percent(p),
      );
    }
  }

  const actions = {
    none() {
      number += 1;
      carried.clear();
      redraw(draw);
      drawNext(patching.next);
    },
    csv: () =>
      saveCsv('patching', [
        ['depth', ...patching.b],
        ...patching.rows.map((row, depth) => [depth, ...row]),
      ]),
  };
  onTools(element, () => patching && actions);
  const patched = () => [...carried].map(at => at.replace(',', '-')).join('.') || null;
  holdsState('attention/pair', {patched}, () => {
    if (patched() === linked('patched')) return;
    patchedInLink = cellsInLink();
    if (!patching) return;
    number += 1;
    if (answer.isStale) carried.clear(); // the cells of the link are of the pair that is to come
    else takePatched();
    redraw(draw);
  });
  watch('value', take);
  take();
}

// The cells that the link names, "depth-place.depth-place", as "depth,place" each.
function cellsInLink() {
  const cells = (linked('patched') ?? '').split('.').filter(at => /^\d{1,4}-\d{1,4}$/.test(at));
  return cells.map(at => at.replace('-', ','));
}
