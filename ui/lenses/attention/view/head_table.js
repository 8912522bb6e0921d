// What every head does, as a table to sort.
import {add} from '../../../shared/view/page.js';
import {ROLES} from './roles.js';

export function headTable(view) {
  const {element, part, pick, nameOf} = view;
  /** @type {[string, string, string][]} */
  const COLUMNS = view.signed
    ? [['changed', 'attention moved', 'scores']]
    : [
        ['induction', 'induction', 'scores'],
        ['duplicate', 'same token', 'scores'],
        ['previous', 'token before', 'scores'],
        ['itself', 'itself', 'scores'],
        ['first', 'first token', 'scores'],
        ['distance', 'tokens back', 'scores'],
        ['entropy', 'entropy (bits)', 'scores'],
        ['induction', 'induction', 'random'],
        ['duplicate', 'same token', 'random'],
        ['previous', 'token before', 'random'],
        ['first', 'first token', 'random'],
      ];
  let order = [0, -1],
    rowsShown = 24;
  /** @type {(column: [string, string, string], at: number[]) => number | null} */
  const score = ([name, , of], [layer, head]) => view.value[of]?.[name]?.[layer]?.[head] ?? null;
  function draw() {
    const {value} = view,
      box = part('heads');
    box.textContent = '';
    const grid = add(box, 'table', 'at-table u-type-sm u-digits'),
      top = add(grid, 'thead');
    grid.setAttribute('aria-label', 'Scores of every head');
    if (!view.signed) {
      const groups = add(top, 'tr');
      add(groups, 'th').colSpan = 2;
      const text = add(groups, 'th', '', 'in this text');
      text.colSpan = 7;
      const random = add(
        groups,
        'th',
        '',
        value.random ? 'on repeated random tokens' : 'on repeated random tokens (being measured…)',
      );
      random.colSpan = 4;
    }
    const names = add(top, 'tr');
    add(names, 'th', '', 'head');
    if (!view.signed) add(names, 'th', '', 'what it does');
    COLUMNS.forEach((column, i) => {
      const cellOf = add(names, 'th'),
        button = add(cellOf, 'button', 'u-bare', column[1] + (order[0] === i ? (order[1] < 0 ? ' ↓' : ' ↑') : ''));
      cellOf.setAttribute('aria-sort', order[0] === i ? (order[1] < 0 ? 'descending' : 'ascending') : 'none');
      button.type = 'button';
      button.title = 'Sort by this column';
      button.addEventListener('click', () => {
        order = [i, order[0] === i ? -order[1] : -1];
        draw();
        element.querySelectorAll('.at-heads th button')[i].focus();
      });
    });
    const all = Array.from({length: value.L * value.H}, (_, i) => [Math.floor(i / value.H), i % value.H]),
      by = COLUMNS[order[0]];
    all.sort((a, b) => {
      const [x, y] = [score(by, a), score(by, b)];
      return x === null ? 1 : y === null ? -1 : order[1] * (x - y);
    });
    const body = add(grid, 'tbody');
    for (const at of all.slice(0, rowsShown)) {
      const row = add(body, 'tr');
      row.dataset.head = at.join();
      const button = add(add(row, 'td'), 'button', 'u-bare', `${at[0]}.${at[1]}`);
      button.type = 'button';
      button.title = nameOf(at);
      button.addEventListener('click', () => pick(at));
      if (!view.signed)
        add(
          row,
          'td',
          '',
          (value.roles[at[0]][at[1]][1] && value.roles[at[0]][at[1]][0] !== 'mixed' ? '~ ' : '') +
            ROLES[value.roles[at[0]][at[1]][0]][1] +
            repeating(at[0], at[1]),
        );
      for (const column of COLUMNS) {
        const v = score(column, at);
        add(
          row,
          'td',
          '',
          v === null ? 'n/a' : column[0] === 'distance' || column[0] === 'entropy' ? v.toFixed(1) : v.toFixed(2),
        );
      }
    }
    if (all.length > rowsShown) {
      const more = add(box, 'button', 'at-more', `Show all ${all.length} heads`);
      more.type = 'button';
      more.addEventListener('click', () => {
        rowsShown = Infinity;
        draw();
      });
    }
    mark();
  }
  // A head's role where tokens repeat, if that is another than here.
  function repeating(layer, head) {
    const role = view.value.elsewhere?.[layer][head];
    return role && role !== view.value.roles[layer][head][0] ? ` (${ROLES[role][1]} where tokens repeat)` : '';
  }
  function mark() {
    for (const row of element.querySelectorAll('.at-heads [data-head]'))
      row.classList.toggle('chosen', row.dataset.head === view.chosen.join());
  }
  function findInduction() {
    const {value, status} = view;
    const at = value.random ? 7 : 0,
      by = COLUMNS[at];
    order = [at, -1];
    draw();
    let best = [0, 0];
    for (let layer = 0; layer < value.L; layer++)
      for (let head = 0; head < value.H; head++)
        if ((score(by, [layer, head]) ?? -1) > (score(by, best) ?? -1)) best = [layer, head];
    const n = (value.elsewhere ?? value.roles.map(row => row.map(([role, leans]) => (leans ? '' : role))))
        .flat()
        .filter(role => role === 'induction').length,
      most = score(by, best);
    pick(best);
    part('all-heads').open = true;
    status.textContent =
      most === null
        ? 'Nothing repeats in this text, so nothing can be said. Write a name twice.'
        : most >= 0.4
          ? `${n} induction head${n === 1 ? '' : 's'}; the clearest is ${nameOf(best)} with ${most.toFixed(2)}.`
          : `No head of ${value.model} reaches 0.40; the nearest is ${nameOf(best)} with ${most.toFixed(2)}.` +
            (value.model === 'induction' ? '' : ' The bundled model “induction” has four.');
  }

  return {draw, mark, findInduction};
}
