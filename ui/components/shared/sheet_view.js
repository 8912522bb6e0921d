// Tables in sections, as JSON of ui.handlers.sheets; cell text goes into the page by textContent alone.
import {csvText} from './plain.js';
import {add, saveText} from './page.js';

export function start({element, props, watch, given}) {
  const box = element.querySelector('.sh-box');
  let value = null;

  const number = cell => typeof cell === 'number';
  const shown = cell => (number(cell) ? (cell < 0 ? '−' : '') + Math.abs(cell).toLocaleString('en') : cell);
  function take() {
    if (!props.value) return;
    value = JSON.parse(props.value);
    box.textContent = '';
    element.querySelector('.ts-tools').hidden = Boolean(value.message);
    if (value.message) {
      add(box, 'p', 'sh-message', value.message);
      return;
    }
    for (const section of value.sections) {
      const part = add(box, 'section', 'sh-section');
      add(part, 'h3', '', section.title);
      if (section.text) add(part, 'p', 'sh-text', section.text);
      const scroll = add(part, 'div', 'sh-scroll');
      scroll.tabIndex = 0; // on a phone it scrolls sideways
      const table = add(scroll, 'table', 'sh-table'),
        head = add(add(table, 'thead'), 'tr'),
        body = add(table, 'tbody');
      section.columns.forEach((name, i) =>
        add(head, 'th', section.rows.length && section.rows.every(row => number(row[i])) ? 'sh-number' : '', name),
      );
      section.rows.forEach((row, i) => {
        const line = add(body, 'tr', section.sums.includes(i) ? 'sh-sum' : '');
        row.forEach((cell, k) =>
          add(
            line,
            'td',
            number(cell) || (k > 1 && /^[−+]?[\d.,]+( \w+| ?[×x%])?$|^[\d.]+e/.test(cell)) ? 'sh-number' : '',
            shown(cell),
          ),
        );
      });
      if (section.source) add(part, 'p', 'sh-source', 'Source: ' + section.source);
    }
  }
  element.querySelector('.ts-tools').addEventListener('click', e => {
    if (e.target.dataset.do !== 'csv' || !value?.sections) return;
    saveText(
      (given.name || 'tables') + '.csv',
      'text/csv',
      csvText(value.sections.flatMap(s => [[s.title], s.columns, ...s.rows, []])),
    );
  });
  watch('value', take);
  take();
}
