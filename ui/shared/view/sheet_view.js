// Tables in sections, as JSON of ui.shared.sheets; cell text goes into the page by textContent
// alone.
import {add, addButton, onTools} from './dom.js';
import {saveCsv} from './files.js';
import {follow} from './places.js';

const number = cell => typeof cell === 'number';
const plain = cell => cell?.text ?? cell; // of a link, what stands there
const FOLDED_FROM = 12; // rows of a table that has bars
const FIGURE = /^[−+]?[\d.,]+( \w+| ?[×x%])?$|^[\d.]+e/;

// Whether a column is numeric: numbers, or mostly numeric texts.
function isFigures(rows, k) {
  const cells = rows.map(row => row[k]).filter(cell => cell !== '');
  return k > 1 && 2 * cells.filter(cell => number(cell) || FIGURE.test(cell)).length > cells.length;
}

function drawCell(line, cell, counts) {
  const shown = number(cell) ? (cell < 0 ? '−' : '') + Math.abs(cell).toLocaleString('en') : cell;
  if (!cell?.to) add(line, 'td', counts ? 'u-number' : '', shown);
  else addButton(add(line, 'td'), 'sh-link', cell.text, () => follow(new URLSearchParams(cell.to)));
}

function picture(parent, className, label) {
  const chart = add(parent, 'div', className);
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', label);
  return chart;
}

// Shares as bars with their intervals; a mark where guessing is.
function drawBars(part, bars) {
  const chart = picture(
    part,
    'sh-bars u-type-sm',
    'Shares with their 95% intervals; the table below has the figures',
  );
  for (const {label, value, low, high, says, chance} of bars) {
    add(chart, 'span', 'sh-bar-name', label).title = label;
    const track = add(chart, 'span', 'u-track');
    const place = (name, from, to) => {
      const node = add(track, 'i', name);
      node.style.left = `${100 * from}%`;
      node.style.width = `${100 * (to - from)}%`;
    };
    place('', 0, value);
    place('sh-interval', low, high);
    if (chance !== null) place('sh-chance', chance, chance);
    add(chart, 'span', 'sh-bar-figure u-digits', says);
  }
}

const PARTS = ['accent', 'line', 'bar', 'series-2', 'cut'];

// Numbers as sums of parts that all share, longest last, with a key to the parts.
function drawStacks(box, {parts, stacks}) {
  const total = stack => stack.parts.reduce((sum, count) => sum + count, 0);
  const longest = Math.max(...stacks.map(total));
  const key = add(box, 'div', 'u-key u-row u-type-sm');
  const coloured = (parent, i) => {
    const piece = add(parent, 'i');
    piece.style.setProperty('--hue', `var(--lens-${PARTS[i]})`);
    return piece;
  };
  parts.forEach((name, i) => coloured(add(key, 'span'), i).after(name));
  const chart = picture(
    box,
    'sh-stacks',
    'Numbers as sums of their parts; the table below has the figures',
  );
  for (const stack of stacks) {
    add(chart, 'b', '', stack.label);
    const bar = add(chart, 'span', 'sh-stack');
    stack.parts.forEach((count, i) => {
      const piece = coloured(bar, i);
      piece.style.width = `${(100 * count) / longest}%`;
      piece.title = `${parts[i]}: ${count.toLocaleString('en')}`;
    });
    add(chart, 'span', 'sh-says', stack.says);
  }
}

// One table with its title, its sentence and its source; it is folded where a drawing says the
// same, or on wish.
export function drawSection(box, section) {
  const drawn = section.bars?.length || section.stacks?.length;
  const folds = section.folded && !drawn;
  const part = add(box, folds ? 'details' : 'section', 'sh-section sh-figures');
  add(folds ? add(part, 'summary') : part, 'h3', '', section.title);
  if (section.said) add(part, 'p', 'conclusion', section.said);
  if (section.text) add(part, 'p', 'sh-text u-apart u-muted u-type-sm', section.text);
  if (section.bars?.length) drawBars(part, section.bars);
  if (section.stacks?.length) drawStacks(part, section);
  let place = part;
  if (drawn) {
    place = add(part, 'details', 'sh-figures');
    // who wants every figure opens them
    place.open = !section.folded && section.rows.length < FOLDED_FROM;
    add(place, 'summary', '', 'All figures');
  }
  const scroll = add(place, 'div', 'sh-scroll u-scroll');
  scroll.tabIndex = 0; // on a phone it scrolls sideways
  const table = add(scroll, 'table', 'sh-table u-type-sm u-digits'),
    head = add(add(table, 'thead'), 'tr'),
    body = add(table, 'tbody');
  table.setAttribute('aria-label', section.title);
  const figures = section.columns.map((_, k) => isFigures(section.rows, k));
  section.columns.forEach((name, k) => {
    const counts = figures[k] || (section.rows.length && section.rows.every(row => number(row[k])));
    add(head, name ? 'th' : 'td', counts ? 'u-number' : '', name);
  });
  section.rows.forEach((row, i) => {
    const line = add(body, 'tr', section.sums?.includes(i) ? 'sh-sum' : '');
    row.forEach((cell, k) => drawCell(line, cell, figures[k] || number(cell)));
  });
  if (section.source)
    add(part, 'p', 'sh-source u-apart u-muted u-type-xs', 'Source: ' + section.source);
  return part;
}

// The sections as rows of a file.
const fileRows = sections =>
  sections.flatMap(s => [[s.title], s.columns, ...s.rows.map(row => row.map(plain)), []]);

export function start({element, props, watch, given}) {
  const box = element.querySelector('.sh-box');
  let value = null;

  function take() {
    if (!props.value) return;
    value = JSON.parse(props.value);
    box.textContent = '';
    element.querySelector('.ts-tools').hidden = !value.sections?.some(
      section => section.rows.length,
    );
    if (value.message) add(box, 'p', 'sh-message', value.message);
    else value.sections.forEach(section => drawSection(box, section));
  }
  const csv = () => value?.sections && saveCsv(given.name || 'tables', fileRows(value.sections));
  onTools(element.querySelector('.ts-tools'), () => ({csv}));
  watch('value', take);
  take();
}
