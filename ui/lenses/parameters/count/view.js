// What a shape is made of: components with formulas, opened down to the tensor. The value is JSON
// of ui.lenses.parameters.handlers.shapes.
/** @import {Component} from '../../../shared/view/component' */
/** @import {Breakdown, ParametersServer} from '../../../shared/view/payloads' */
import {inkOn, partsOf} from '../../../shared/view/scales.js';
import {percent} from '../../../shared/view/plain.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {saveCsv, saveText, slides} from '../../../shared/view/files.js';

/** @param {Component<Breakdown, ParametersServer>} page */
export function start({element, props, watch, given}) {
  const part = name => element.querySelector('.bd-' + name);
  const count = n => n.toLocaleString('en');
  const product = sizes => sizes.reduce((a, b) => a * b, 1);
  let value = null;
  let opened = new Set();

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
    part('check').textContent =
      (value.agrees === true ? '✓ ' : value.agrees === false ? '✗ ' : '') + value.check;
    part('fewer').textContent = value.fewer;
    part('check').classList.toggle('failed', value.agrees === false);
    bar();
    rows();
  }
  // Reuses the segments, so that shape changes animate.
  function bar() {
    // the share that has room for its name
    const [box, labelled] = [part('bar'), innerWidth < 640 ? 0.2 : 0.09];
    while (box.children.length < value.rows.length) add(box, 'span');
    while (box.children.length > value.rows.length) box.lastChild.remove();
    value.rows.forEach((row, i) => {
      const piece = box.children[i];
      piece.textContent = row.share > labelled ? `${row.module} ${percent(row.share)}` : '';
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
      const line = add(body, 'tr');
      const mark = row.tensors.length ? (opened.has(i) ? '▾ ' : '▸ ') : '';
      const button = addButton(add(line, 'td'), 'bd-open u-bare', mark + row.name, () => {
        if (!opened.delete(i)) opened.add(i);
        rows();
        part('rows').querySelectorAll('.bd-open')[i].focus();
      });
      button.disabled = !row.tensors.length;
      button.setAttribute('aria-expanded', opened.has(i));
      button.style.setProperty('--hue', given.hues[i]);
      cells(
        line,
        [row.formula, row.numbers],
        [count(row.count), row.count ? percent(row.share) : '–'],
      );
      for (const [tensor, shape, times] of opened.has(i) ? row.tensors : []) {
        const size = product(shape);
        const sized = (times > 1 ? `${count(times)} · ` : '') + count(size);
        const formulas = [tensor, `[${shape.map(count).join(', ')}]`, sized];
        cells(add(body, 'tr', 'bd-tensor'), formulas, [
          count(size * times),
          percent((size * times) / value.total),
        ]);
      }
    });
  }
  function cells(line, formulas, numbers) {
    for (const text of formulas) add(line, 'td', 'bd-formula u-type-sm u-mono', text);
    for (const text of numbers) add(line, 'td', 'u-number', text);
  }
  function tensorRow(name, [tensor, shape, times]) {
    const [size, all] = [product(shape), times * product(shape)];
    return [name, tensor, shape.join(' x '), `${times} x ${size}`, all, all / value.total];
  }
  onTools(element.querySelector('.ts-tools'), () => {
    if (!value) return {};
    const status = part('said');
    const name = value.name || 'shape';
    return {
      csv: () =>
        saveCsv(`${name}-parameters`, [
          [
            'component',
            'tensor',
            'formula or shape',
            'with numbers or count',
            'parameters',
            'share',
          ],
          ...value.rows.flatMap(row => [
            [row.name, '', row.formula, row.numbers, row.count, row.share],
            ...row.tensors.map(tensor => tensorRow(row.name, tensor)),
          ]),
          ['total', '', '', '', value.total, 1],
        ]),
      config: () => {
        const file = saveText(
          `${name}-config.json`,
          'application/json',
          JSON.stringify(value.config, null, 2),
        );
        status.textContent = `Train it with: python -m gptcore.training --config ${file} --corpus …`;
      },
      ...slides(status, `${name}-parameters`, ({bars}) => {
        const shown = value.rows
          .map((row, i) => ({...row, hue: given.hues[i]}))
          .filter(row => row.count);
        const values = shown.map(row => row.count / value.total);
        const texts = shown.map(row => `${row.numbers} = ${count(row.count)}`);
        return bars({
          title: `${value.name || 'this shape'}: ${count(value.total)} parameters`,
          axis: 'share of all parameters',
          names: shown.map(row => row.name),
          series: [{values, texts, colours: shown.map(row => row.hue)}],
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
