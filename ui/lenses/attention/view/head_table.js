// What every head does, as a table to sort.
import {add, addButton} from '../../../shared/view/page.js';
import {ROLES, elsewhere, nameOf} from './roles.js';

export function headTable(view) {
  const {element, part, pick} = view;
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
  // All heads by the column that orders them; those without a number last.
  function ranked() {
    const {L, H} = view.value,
      by = COLUMNS[order[0]];
    const all = Array.from({length: L * H}, (_, i) => [Math.floor(i / H), i % H]);
    return all.sort((a, b) => {
      const [x, y] = [score(by, a), score(by, b)];
      return x === null ? 1 : y === null ? -1 : order[1] * (x - y);
    });
  }
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
      add(groups, 'th', '', 'in this text').colSpan = 7;
      const random = `on repeated random tokens${value.random ? '' : ' (being measured…)'}`;
      add(groups, 'th', '', random).colSpan = 4;
    }
    const names = add(top, 'tr');
    add(names, 'th', '', 'head');
    if (!view.signed) add(names, 'th', '', 'what it does');
    COLUMNS.forEach((column, i) => {
      const cellOf = add(names, 'th'),
        [arrow, sort] = order[0] !== i ? ['', 'none'] : order[1] < 0 ? [' ↓', 'descending'] : [' ↑', 'ascending'];
      cellOf.setAttribute('aria-sort', sort);
      addButton(cellOf, 'u-bare', column[1] + arrow, () => {
        order = [i, order[0] === i ? -order[1] : -1];
        draw();
        element.querySelectorAll('.at-heads th button')[i].focus();
      }).title = 'Sort by this column';
    });
    const body = add(grid, 'tbody'),
      all = ranked();
    for (const at of all.slice(0, rowsShown)) {
      const row = add(body, 'tr');
      row.dataset.head = at.join();
      addButton(add(row, 'td'), 'u-bare', at.join('.'), () => pick(at)).title = nameOf(at);
      if (!view.signed) {
        const [role, leans] = value.roles[at[0]][at[1]];
        const other = elsewhere(value, at);
        const more = other ? ` (${ROLES[other][1]} where tokens repeat)` : '';
        add(row, 'td', '', (leans && role !== 'mixed' ? '~ ' : '') + ROLES[role][1] + more);
      }
      for (const column of COLUMNS) {
        const digits = ['distance', 'entropy'].includes(column[0]) ? 1 : 2;
        add(row, 'td', '', score(column, at)?.toFixed(digits) ?? 'n/a');
      }
    }
    if (all.length > rowsShown)
      addButton(box, 'at-more', `Show all ${all.length} heads`, () => {
        rowsShown = Infinity;
        draw();
      });
    mark();
  }
  function mark() {
    for (const row of element.querySelectorAll('.at-heads [data-head]'))
      row.classList.toggle('chosen', row.dataset.head === view.chosen.join());
  }
  function findInduction() {
    const {value, status} = view;
    order = [value.random ? 7 : 0, -1];
    draw();
    const [best] = ranked(),
      most = score(COLUMNS[order[0]], best);
    const sure = value.elsewhere ?? value.roles.map(row => row.map(([role, leans]) => (leans ? '' : role)));
    const n = sure.flat().filter(role => role === 'induction').length;
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
