// What a shape is made of: components with formulas, opened down to the tensor. The value is JSON of
// ui.lenses.parameters.handlers.shapes.
/** @import {Component} from '../../../shared/view/component' */
/** @import {Breakdown, ParametersServer} from '../../../shared/view/payloads' */
import {inkOn, partsOf} from '../../../shared/view/scales.js';
import {percent} from '../../../shared/view/plain.js';
import {add, onTools, saveCsv, saveText, slides} from '../../../shared/view/page.js';

/** @param {Component<Breakdown, ParametersServer>} page */
export function start({element, props, watch, given}) {
  const part = name => element.querySelector('.bd-' + name);
  const count = n => n.toLocaleString('en');
  let value = null,
    opened = new Set();

  function take() {
    if (!props.value) return;
    const next = JSON.parse(props.value);
    part('message').textContent = next.message || '';
    part('body').hidden = Boolean(next.message);
    if (next.message) return;
    value = next;
    part('total').textContent = count(value.total);
    element.querySelector('.conclusion').textContent = value.said;
    part('name').textContent = value.name ? `parameters: the shape of ${value.name}` : 'parameters';
    part('check').textContent = (value.agrees === true ? '✓ ' : value.agrees === false ? '✗ ' : '') + value.check;
    part('fewer').textContent = value.fewer;
    part('check').classList.toggle('failed', value.agrees === false);
    bar();
    rows();
  }
  // Reuses the segments, so that shape changes animate.
  function bar() {
    const box = part('bar');
    while (box.children.length < value.rows.length) add(box, 'span');
    while (box.children.length > value.rows.length) box.lastChild.remove();
    value.rows.forEach((row, i) => {
      const piece = box.children[i];
      piece.textContent = row.share > 0.09 ? `${row.module} ${percent(row.share)}` : '';
      piece.className = row.count ? '' : 'bd-none';
      piece.style.flexGrow = row.count / value.total;
      piece.style.setProperty('--hue', given.hues[i]);
      piece.style.color = inkOn(partsOf(given.hues[i]));
      piece.title = `${row.name}: ${count(row.count)}, ${percent(row.share)}`;
    });
  }
  function rows() {
    const body = part('rows');
    body.textContent = '';
    value.rows.forEach((row, i) => {
      const line = add(body, 'tr'),
        name = add(line, 'td'),
        mark = row.tensors.length ? (opened.has(i) ? '▾ ' : '▸ ') : '',
        button = add(name, 'button', 'bd-open u-bare', mark + row.name);
      button.type = 'button';
      button.disabled = !row.tensors.length;
      button.setAttribute('aria-expanded', opened.has(i));
      button.style.setProperty('--hue', given.hues[i]);
      button.addEventListener('click', () => {
        if (!opened.delete(i)) opened.add(i);
        rows();
        part('rows').querySelectorAll('.bd-open')[i].focus();
      });
      for (const [text, kind] of [
        [row.formula, 'bd-formula u-type-sm u-mono'],
        [row.numbers, 'bd-formula u-type-sm u-mono'],
        [count(row.count), 'u-number'],
        [row.count ? percent(row.share) : '–', 'u-number'],
      ])
        add(line, 'td', kind, text);
      if (opened.has(i))
        for (const [tensor, shape, times] of row.tensors) {
          const size = shape.reduce((a, b) => a * b, 1),
            inner = add(body, 'tr', 'bd-tensor');
          add(inner, 'td', 'bd-formula u-type-sm u-mono', tensor);
          add(inner, 'td', 'bd-formula u-type-sm u-mono', `[${shape.map(count).join(', ')}]`);
          add(inner, 'td', 'bd-formula u-type-sm u-mono', times > 1 ? `${count(times)} · ${count(size)}` : count(size));
          add(inner, 'td', 'u-number', count(size * times));
          add(inner, 'td', 'u-number', percent((size * times) / value.total));
        }
    });
  }
  onTools(element.querySelector('.ts-tools'), () => {
    if (!value) return {};
    const status = part('said'),
      name = value.name || 'shape';
    return {
      csv: () =>
        saveCsv(`${name}-parameters`, [
          ['component', 'tensor', 'formula or shape', 'with numbers or count', 'parameters', 'share'],
          ...value.rows.flatMap(row => [
            [row.name, '', row.formula, row.numbers, row.count, row.share],
            ...row.tensors.map(([tensor, shape, times]) => {
              const size = shape.reduce((a, b) => a * b, 1);
              return [
                row.name,
                tensor,
                shape.join(' x '),
                `${times} x ${size}`,
                size * times,
                (size * times) / value.total,
              ];
            }),
          ]),
          ['total', '', '', '', value.total, 1],
        ]),
      config: () => {
        saveText('config.json', 'application/json', JSON.stringify(value.config, null, 2));
        status.textContent = 'Train it with: python -m gptcore.training --config config.json --corpus …';
      },
      ...slides(status, `${name}-parameters`, ({bars}) => {
        const shown = value.rows.map((row, i) => ({...row, hue: given.hues[i]})).filter(row => row.count);
        return bars({
          title: `${value.name || 'this shape'}: ${count(value.total)} parameters`,
          axis: 'share of all parameters',
          names: shown.map(row => row.name),
          series: [
            {
              values: shown.map(row => row.count / value.total),
              texts: shown.map(row => `${row.numbers} = ${count(row.count)}`),
              colours: shown.map(row => row.hue),
            },
          ],
        });
      }),
      all: () => {
        opened = opened.size ? new Set() : new Set(value.rows.keys());
        rows();
      },
    };
  });
  watch('value', take);
  take();
}
