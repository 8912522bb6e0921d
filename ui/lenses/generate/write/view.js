// Rows are tokens, columns are stages of the pipeline. Model text goes into the page by textContent
// alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {Distribution, GenerateServer} from '../../../shared/view/payloads' */
import {counted, percent, visible} from '../../../shared/view/plain.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {saveCsv, slides} from '../../../shared/view/files.js';

/** @param {Component<Distribution, GenerateServer>} page */
export function start({element, props, trigger, watch}) {
  const table = element.querySelector('.dv-table');
  const status = element.querySelector('.ts-said');
  // Plain and technical, and what fits on a phone.
  // prettier-ignore
  const TITLES = {
    softmax: ['Its guess (softmax)', 'softmax'], penalties: ['Penalties', 'penalties'], temperature: ['Temperature', 'T'],
    'top-k': ['Top-k', 'top-k'], 'top-p': ['Top-p', 'top-p'], 'min-p': ['Min-p', 'min-p'],
  };
  let data = null;

  function draw() {
    table.textContent = '';
    data = props.value ? JSON.parse(props.value) : null;
    element.querySelector('.conclusion').textContent = data?.said ?? '';
    if (!data || data.message) {
      const empty = data?.message ?? 'Write a prompt to see what the model expects next.';
      add(table, 'div', 'dv-empty u-all u-muted', empty);
      data = null;
      return;
    }
    table.style.setProperty('--n', data.stages.length);
    table.setAttribute('aria-label', 'Probability of the next token, by stage');
    const head = add(table, 'div', 'dv-row');
    head.setAttribute('role', 'row');
    const first = add(head, 'div', 'dv-head u-strong', 'Next token');
    first.setAttribute('role', 'columnheader');
    if (data.after)
      add(first, 'small', 'dv-after', `after “${visible(data.after)}”`).title = data.after;
    for (const stage of data.stages) {
      const cell = add(head, 'div', 'dv-head u-strong');
      TITLES[stage.name].forEach((title, i) =>
        add(cell, 'span', i ? 'dv-short' : 'dv-long', title),
      );
      cell.setAttribute('role', 'columnheader');
      add(cell, 'small', '', counted(stage.candidates, 'candidate'));
      add(cell, 'small', '', `${stage.entropy.toFixed(2)} bits entropy`);
      if (stage.removed > 0) add(cell, 'small', '', `${percent(stage.removed)} cut`);
    }
    // One scale for all columns, so that bars can be compared across them.
    const most = Math.max(...data.rows.flatMap(row => row.p), 1e-9);
    add(first, 'small', 'dv-scale', `longest bar: ${percent(most)}`);
    for (const row of data.rows) {
      const line = add(table, 'div', 'dv-row');
      line.setAttribute('role', 'row');
      const header = add(line, 'div', '');
      header.setAttribute('role', 'rowheader');
      const pick = () => trigger('pick', {id: row.id});
      const name = addButton(header, 'dv-token u-bare u-token u-mono', visible(row.label), pick);
      name.title = `${visible(row.label)} · token ${row.id} · click to write it and go on`;
      row.p.forEach(p => {
        const shown = p > 0 ? p : row.p[0];
        const kind = `dv-cell u-bar u-digits u-type-xs${p > 0 ? '' : ' dv-cut u-muted'}`;
        const cell = add(line, 'div', kind, p > 0 ? percent(p) : 'cut');
        cell.setAttribute('role', 'cell');
        cell.style.setProperty('--p', Math.max(0.4, (100 * shown) / most) + '%');
      });
    }
    drawStruck();
  }

  // Tokens that an option forbids at this step, and which.
  function drawStruck() {
    const forbidden = {
      no_repeat_ngram_size: 'would repeat a sequence of tokens (No-repeat n-grams)',
      min_new_tokens: 'would end the text too early (Minimum length)',
    };
    const by = Object.groupBy(data.struck ?? [], token => token.by);
    for (const [option, tokens] of Object.entries(by)) {
      const names = tokens.map(token => `“${visible(token.label)}”`).join(', ');
      add(
        table,
        'div',
        'dv-struck u-all u-apart',
        `Struck out here, because it ${forbidden[option]}: ${names}`,
      );
    }
  }

  // A stage's name on a slide, over its figures.
  const named = ({name, candidates, entropy}) =>
    `${TITLES[name]?.[0] ?? name}\n${candidates} candidates\n${entropy.toFixed(2)} bits`;
  const actions = {
    csv: () => {
      const head = ['id', 'token', ...data.stages.map(s => s.name)];
      saveCsv('next-token', [head, ...data.rows.map(r => [r.id, r.label, ...r.p])]);
    },
    ...slides(status, 'next-token', ({bars, look}) =>
      bars({
        title: `Next token after “${visible(data.after)}”`,
        axis: 'probability',
        names: data.rows.map(row => row.label),
        apart: true,
        series: data.stages.map((stage, i) => ({
          name: named(stage),
          values: data.rows.map(row => row.p[i] || row.p[0]),
          texts: data.rows.map(row => (row.p[i] > 0 ? percent(row.p[i]) : 'cut')),
          colours: data.rows.map(row => (row.p[i] > 0 ? look.bar : look.cut)),
        })),
      }),
    ),
  };
  onTools(element.querySelector('.dv-tools'), () => data && actions);

  watch('value', draw);
  draw();
}
