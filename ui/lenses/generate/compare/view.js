// What each strategy does, and what temperature, top-k and top-p make of one guess.
/** @import {Component} from '../../../shared/view/component' */
/** @import {GenerateServer} from '../../../shared/view/payloads' */
import {counted, percent, tickLabel, visible} from '../../../shared/view/plain.js';
import {asking} from '../../../shared/view/ask.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {holdsState, linked} from '../../../shared/view/link.js';
import {valueOf} from '../../../shared/view/store.js';
import {goTo} from '../../../shared/view/places.js';
import {put} from '../../../shared/view/svg.js';

// the curve's margins and height, in pixels
const [LEFT, RIGHT, BOTTOM, HEIGHT, TALL] = [34, 8, 165, 155, 196];
const COLUMNS = {
  temperature: {name: 'T', values: [0.5, 1, 2], step: 0.1, min: 0},
  top_k: {name: 'k', values: [2, 4, 8], step: 1, min: 1},
};

/** @param {Component<string, GenerateServer>} page */
export function start({element, server, trigger, given, answer}) {
  const find = name => element.querySelector(`.sg-${name}`);
  const [probabilities, curve, note] = ['probabilities', 'curve', 'note'].map(find);
  const [slide, logits] = ['slide', 'logits'].map(name => find(name).querySelector('input'));
  const values = ofColumns();
  const firstP = slide.defaultValue;
  function takeLink() {
    Object.assign(values, valuesInLink());
    logits.value = linked('logits') ?? '';
    slide.value = linked('cut_p') ?? firstP;
    const all = [...values.temperature, ...values.top_k];
    for (const [i, field] of [...probabilities.querySelectorAll('input')].entries())
      field.value = all[i] ?? '';
  }
  takeLink();
  let computed = null;
  let wide = 0; // the curve's width

  function use(settings) {
    trigger('pick', settings);
    goTo(new URLSearchParams('tab=generate&view=Write'));
  }

  for (const {cells, settings} of given.guides) {
    const row = add(element.querySelector('tbody'), 'tr');
    cells.forEach((cell, i) => add(row, i ? 'td' : 'th', '', cell));
    addButton(add(row, 'td'), 'sg-use', 'Use it', () =>
      use(settings),
    ).title = `Set the sliders to: ${cells[0]}`;
  }

  let prompt = '';
  const about = n =>
    logits.value.trim()
      ? `${counted(n, 'logit')} of your own`
      : `What comes after “…${visible(prompt.slice(-40))}”`;
  const ask = asking(
    answer,
    async () => {
      prompt = valueOf('prompt');
      return server.probabilities({
        model: valueOf('model'),
        text: prompt,
        ...values,
        logits: logits.value,
      });
    },
    next => {
      probabilities.classList.toggle('sg-old', Boolean(next.message)); // the drawing is stale
      note.textContent = next.message || `${about(next.vocabulary)}: change any of the six values.`;
      if (next.message) return;
      computed = next;
      drawAll();
    },
  );

  function drawAll() {
    if (!probabilities.children.length) drawHead();
    for (const cell of probabilities.querySelectorAll('.sg-cell, .sg-token')) cell.remove();
    const columns = Object.keys(COLUMNS).flatMap(name =>
      computed[name].map(([, chances]) => chances),
    );
    computed.tokens.forEach((label, i) => {
      const row = add(probabilities, 'div', 'sg-row u-type-sm sg-cell');
      row.setAttribute('role', 'row');
      add(row, 'span', 'sg-token u-token u-mono', visible(label)).setAttribute('role', 'rowheader');
      for (const chances of columns) {
        const p = chances[i];
        const cut = p > 0 ? '' : ' sg-cut u-muted';
        const cell = add(row, 'span', `sg-bar u-bar u-digits${cut}`, p > 0 ? percent(p) : 'cut');
        cell.setAttribute('role', 'cell');
        cell.style.setProperty('--p', `${100 * p}%`);
      }
    });
    drawCurve();
  }

  function drawHead() {
    const row = add(probabilities, 'div', 'sg-row u-type-sm');
    row.setAttribute('role', 'row');
    add(row, 'span', '').setAttribute('role', 'columnheader');
    for (const [name, column] of Object.entries(COLUMNS))
      values[name].forEach((value, i) => {
        const head = add(row, 'label', '', `${column.name} = `);
        head.setAttribute('role', 'columnheader');
        const field = add(head, 'input', '');
        Object.assign(field, {type: 'number', value, step: column.step, min: column.min});
        field.setAttribute('aria-label', `${name.replace('_', '-')}, column ${i + 1}`);
        field.addEventListener('input', () => {
          values[name][i] = field.value === '' ? null : +field.value;
          changed();
        });
      });
  }

  const across = n => LEFT + (wide * Math.log(n)) / Math.log(Math.max(2, computed.vocabulary));
  const up = p => BOTTOM - HEIGHT * p;

  const draw = (name, attributes, text) => put(curve, name, attributes, text);

  function drawCurve() {
    const p = +slide.value;
    const kept = computed.curve.find(([, sum]) => sum >= p - 1e-9) ?? computed.curve.at(-1);
    // as large as it is shown: letters keep their size
    wide = Math.max(200, curve.clientWidth - LEFT - RIGHT);
    curve.setAttribute('viewBox', `0 0 ${LEFT + wide + RIGHT} ${TALL}`);
    curve.textContent = '';
    for (const y of [0, 0.5, 1]) {
      draw('line', {class: 'fm-grid', x1: LEFT, x2: LEFT + wide, y1: up(y), y2: up(y)});
      draw('text', {x: LEFT - 4, y: up(y) + 4, 'text-anchor': 'end'}, y);
    }
    for (let n = 1; n <= computed.vocabulary; n *= 10)
      draw('text', {x: across(n), y: BOTTOM + 14, 'text-anchor': 'middle'}, tickLabel(n));
    draw(
      'text',
      {x: LEFT + wide, y: BOTTOM + 25, 'text-anchor': 'end'},
      'number of tokens, likeliest first',
    );
    draw('rect', {
      class: 'sg-kept',
      x: LEFT,
      y: up(1),
      width: across(kept[0]) - LEFT,
      height: HEIGHT,
    });
    const points = computed.curve.map(([n, sum]) => `${across(n)},${up(sum)}`);
    draw('polyline', {class: 'fm-line', points: points.join(' ')});
    draw('line', {class: 'sg-p', x1: LEFT, x2: LEFT + wide, y1: up(p), y2: up(p)});
    const roughly = kept[0] > 200 ? 'about ' : ''; // beyond 200, the curve is sampled
    element.querySelector('.sg-slide output').textContent =
      `${p.toFixed(2)} keeps ${roughly}${counted(kept[0], 'token')} of ${computed.vocabulary.toLocaleString('en')}`;
  }

  function drag(event) {
    if (!computed || !event.buttons) return;
    const box = curve.getBoundingClientRect();
    const y = ((event.clientY - box.top) / box.height) * TALL;
    slide.value = Math.min(1, Math.max(0.05, (BOTTOM - y) / HEIGHT));
    drawCurve();
  }
  curve.addEventListener('pointerdown', event => {
    curve.setPointerCapture(event.pointerId);
    drag(event);
  });
  curve.addEventListener('pointermove', drag);
  slide.addEventListener('input', () => computed && drawCurve());
  new ResizeObserver(() => computed && drawCurve()).observe(curve);
  element
    .querySelector('.sg-slide .sg-use')
    .addEventListener('click', () => use({top_p: +slide.value}));
  logits.addEventListener('input', changed);
  holdsState(
    'generate/compare',
    {
      logits: () => logits.value.trim() || null,
      cut_p: () => (slide.value === firstP ? null : slide.value),
      columns: () =>
        columnsText(values) === columnsText(ofColumns()) ? null : columnsText(values),
    },
    () => {
      takeLink();
      changed();
      if (computed) drawCurve();
    },
  );
  answer.ask = () => ask([], 0);
  changed();

  function changed() {
    answer.about(JSON.stringify([values, logits.value.trim()]));
  }
}

const ofColumns = () => ({
  temperature: [...COLUMNS.temperature.values],
  top_k: [...COLUMNS.top_k.values],
});

// The six values of a link, "0.5_1_2_2_4_8".
const columnsText = ({temperature, top_k: k}) =>
  [...temperature, ...k].map(value => value ?? '').join('_');

function valuesInLink() {
  const named = (linked('columns') ?? '').split('_').map(text => (text === '' ? null : +text));
  if (named.length !== 6 || named.some(Number.isNaN)) return ofColumns();
  return {temperature: named.slice(0, 3), top_k: named.slice(3)};
}
