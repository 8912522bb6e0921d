// Two sentences, one grid: by depth and place, how much of A's answer comes back when B gets A's value there.
// Model text goes into the page by textContent alone.
import {csvText, percent, visible} from '../shared/plain.js';
import {add, onTools, saveText} from '../shared/page.js';

// What a cell says in words.
export function cellText({a, b, answers, rows}, depth, place) {
  const share = rows[depth][place];
  const where = depth === rows.length - 1 ? 'behind the last block' : `before block ${depth}`;
  const token = a[place] === b[place] ? `“${visible(a[place])}”` : `“${visible(b[place])}” (A: “${visible(a[place])}”)`;
  return (
    `At ${token}, ${where}: with A's value here, ${Math.round(100 * Math.max(0, share))}% of the way ` +
    `from “${visible(answers[1])}” to “${visible(answers[0])}” comes back.`
  );
}

export function start({element, props, watch}) {
  const find = name => element.querySelector('.pt-' + name);
  const [message, body, table, detail, chances] = ['message', 'body', 'table', 'detail', 'chances'].map(find);
  let found = null;

  function take() {
    const next = props.value ? JSON.parse(props.value) : null;
    message.textContent = next?.message ?? '';
    body.hidden = !next || Boolean(next.message);
    if (body.hidden) return;
    found = next;
    element.querySelector('.conclusion').textContent = found.stopped
      ? 'Stopped; what was computed is kept.'
      : found.said || `Computing depth ${found.rows.length} of ${found.total}…`;
    draw();
  }

  function draw() {
    const name = label => visible(label).replace('␣', '');
    const [own, other] = found.chances;
    chances.textContent =
      `A goes on with “${name(found.answers[0])}” (${percent(own[0])}), ` +
      `B with “${name(found.answers[1])}” (${percent(other[1])}). ${found.often}`;
    table.textContent = '';
    for (const [which, labels] of [
      ['A', found.a],
      ['B', found.b],
    ]) {
      const head = add(table, 'tr');
      add(head, 'th', 'pt-side', which);
      labels.forEach((label, i) =>
        add(head, 'th', found.a[i] === found.b[i] ? 'pt-token' : 'pt-token changed', visible(label)),
      );
    }
    for (let depth = found.rows.length - 1; depth >= 0; depth--) {
      const row = add(table, 'tr');
      const last = depth === found.total - 1;
      add(row, 'th', 'pt-side', last ? 'end' : `block ${depth}`);
      found.rows[depth].forEach((share, place) => {
        const cell = add(
          row,
          'td',
          'pt-cell',
          Math.abs(share) < 0.05 ? '' : `${Math.round(100 * share)}%`.replace('-', '−'),
        );
        cell.style.setProperty('--share', Math.min(1, Math.max(0, share)));
        cell.classList.toggle('full', share > 0.55);
        cell.tabIndex = 0;
        const tell = () => {
          detail.textContent = cellText(found, depth, place);
        };
        cell.addEventListener('pointerenter', tell);
        cell.addEventListener('focus', tell);
      });
    }
  }

  table.addEventListener('keydown', event => {
    const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
    const cell = event.target.closest('td');
    if (!step || !cell) return;
    event.preventDefault();
    const row = table.rows[cell.parentNode.rowIndex + step[0]];
    row?.cells[cell.cellIndex + step[1]]?.focus();
  });
  onTools(element, () =>
    found
      ? {
          csv: () =>
            saveText(
              'patching.csv',
              'text/csv',
              csvText([['depth', ...found.b], ...found.rows.map((row, depth) => [depth, ...row])]),
            ),
        }
      : {},
  );
  watch('value', take);
  take();
}
