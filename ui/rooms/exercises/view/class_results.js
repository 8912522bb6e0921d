// What the room has made of the exercises: how many pages have solved each, and the commonest wrong
// answers.
import {add, addButton} from '../../../shared/view/dom.js';

const EVERY = 2000; // milliseconds
let panel = null;
let timer = 0;

function stopResults() {
  clearTimeout(timer);
  panel?.remove();
  panel = null;
}

// Shows them until they are closed, or asked for again. ask: gives the rows, or null; "" closes
// them.
export function showResults(ask) {
  if (panel || !ask) return stopResults();
  panel = add(document.body, 'aside', 'hall-results u-panel lens-component');
  panel.setAttribute('aria-label', 'Exercises of the room');
  const head = add(panel, 'div', 'u-row');
  add(head, 'b', 'u-type-lg', 'Exercises');
  addButton(head, '', 'Close', stopResults);
  const table = add(panel, 'table', 'u-table');
  const status = add(panel, 'p', 'u-muted', '');
  const look = async () => {
    const rows = await ask();
    if (!panel) return;
    status.textContent = rows ? '' : 'The server does not answer; reconnecting…';
    if (rows) draw(table, rows);
    timer = setTimeout(look, EVERY);
  };
  look();
}

function draw(table, rows) {
  table.textContent = '';
  const head = add(table, 'tr');
  for (const title of ['exercise', 'solved', 'commonest wrong answers']) add(head, 'th', '', title);
  for (const {title, solved, wrong} of rows) {
    const row = add(table, 'tr');
    add(row, 'td', '', title);
    add(row, 'td', 'u-digits', solved || '–');
    add(row, 'td', '', wrong.map(([answer, n]) => `${answer} (${n})`).join(', '));
  }
}
