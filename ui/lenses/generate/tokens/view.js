// One text under several tokenizers; merges step by step; merges learned from a text.
// Text goes into the page by textContent alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {GenerateServer} from '../../../shared/view/payloads' */
import {applied, bytesText, counted, visible} from '../../../shared/view/plain.js';
import {answerIn, asking} from '../../../shared/view/ask.js';
import {add} from '../../../shared/view/dom.js';
import {holdsState, linked} from '../../../shared/view/link.js';
import {valueOf} from '../../../shared/view/store.js';

const OWN = `the cat sat on the mat. the cat and the hat sat there.
then that cat sat on that hat, and the mat was flat.`;
const N_LEARNED = 60;

/** @param {Component<string, GenerateServer>} page */
export function start({element, server, given, answer}) {
  const find = name => element.querySelector('.tk-' + name);
  const [text, rows, which, own] = ['text', 'rows', 'which', 'own'].map(find);
  // A link to this view brings its text; the visitor's sentence does not come here by itself.
  const textInLink = () => {
    if (linked('view')?.toLowerCase() !== 'tokens') return null;
    return linked('cut') ?? linked('prompt') ?? linked('text');
  };
  text.value = textInLink() ?? given.examples[0];
  own.value = OWN;

  const addChip = (box, i, title, label) => {
    const chip = add(box, 'span', i % 2 ? 'tk-chip odd' : 'tk-chip', label);
    chip.title = title;
    return chip;
  };
  const cut = asking(
    answer,
    () => server.cut({text: text.value, model: valueOf('model')}),
    learned => {
      rows.textContent = '';
      if (learned.message) add(rows, 'p', 'tk-said u-muted u-type-xs', learned.message);
      else learned.forEach(drawRow);
      const chosen = which.value;
      which.textContent = '';
      for (const row of learned.message ? [] : learned.filter(item => item.steps))
        add(which, 'option', '', row.title).value = row.name;
      const offered = [...which.options].map(option => option.value);
      which.value = [chosen, valueOf('model')].find(name => offered.includes(name)) ?? offered[0];
      stepwise([], 0);
    },
  );

  function drawRow(row) {
    const part = add(rows, 'section', 'tk-row u-apart');
    const head = add(part, 'div', 'tk-head u-row');
    add(head, 'b', '', row.title);
    if (row.picked) add(head, 'span', 'tk-picked u-muted u-type-xs', 'picked');
    add(head, 'span', 'u-muted u-type-xs', row.what);
    if (row.message) return add(part, 'p', 'tk-said u-muted u-type-xs', row.message);
    const back =
      row.back === null
        ? 'decodes to the same text'
        : `decodes to “${visible(row.back.slice(0, 60))}”`;
    const size = `${row.vocabulary.toLocaleString('en')} in the vocabulary`;
    const n = counted(row.tokens.length, 'token');
    add(head, 'span', 'u-type-xs u-digits', `${n}, ${row.per_word} a word · ${back} · ${size}`);
    const line = add(part, 'div', 'tk-line u-row u-mono');
    line.tabIndex = 0; // a long text scrolls
    row.tokens.forEach(([label, id, bytes], i) => {
      const chip = addChip(line, i, `token ${id} · bytes ${bytes}`);
      add(chip, 'span', '', visible(label));
      add(chip, 'small', '', id);
    });
  }

  // A slider through merges; returns what asks for them.
  function merging(section, question, list) {
    const names = ['input[type=range]', 'output', '.tk-cut', '.tk-said'];
    const [slider, output, box, status] = names.map(name => section.querySelector(name));
    let learned = null;
    const ask = asking(answerIn(section), question, reply => {
      learned = reply.message ? null : reply;
      status.textContent = reply.message || '';
      box.textContent = '';
      if (list) list.textContent = '';
      slider.max = learned?.merges.length ?? 0;
      slider.value = slider.max;
      output.textContent = '';
      if (learned) draw();
    });
    function draw() {
      const n = +slider.value;
      const parts = applied(learned.words, learned.merges.slice(0, n)).flat();
      box.textContent = '';
      const hex = part =>
        [...part].map(c => c.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
      parts.forEach((part, i) => addChip(box, i, hex(part), bytesText(part)));
      output.textContent = `${n} of ${counted(learned.merges.length, 'merge')}: ${counted(parts.length, 'piece')}`;
      const last = learned.merges[n - 1];
      const named = pair => `“${bytesText(pair[0])}” + “${bytesText(pair[1])}”`;
      status.textContent = last
        ? `Last: ${named(last)}, ${counted(last[2], 'time')}`
        : 'Bytes, before any merge';
      if (!list) return;
      list.textContent = '';
      list.start = Math.max(1, n - 7);
      for (const merge of learned.merges.slice(list.start - 1, n))
        add(list, 'li', '', `${named(merge)}, ${counted(merge[2], 'time')}`);
    }
    slider.addEventListener('input', () => learned && draw());
    return ask;
  }

  const [first, second] = element.querySelectorAll('.tk-two section');
  const stepwise = merging(
    first,
    () => server.steps({tokenizer: which.value, text: text.value}),
    null,
  );
  const learning = merging(
    second,
    () => server.learned({text: own.value, merges: N_LEARNED}),
    find('list'),
  );
  text.addEventListener('input', changed);
  which.addEventListener('change', () => stepwise([], 0));
  own.addEventListener('input', () => learning());
  find('examples').addEventListener('click', event => {
    const place = event.target.dataset.example;
    if (place === undefined) return;
    text.value = given.examples[place];
    changed();
  });
  holdsState(
    'generate/tokens',
    {cut: () => (text.value === given.examples[0] ? null : text.value)},
    () => {
      const wanted = textInLink() ?? given.examples[0];
      if (wanted === text.value) return;
      text.value = wanted;
      changed();
    },
  );
  let model = '';
  answer.ask = () => {
    if (model !== valueOf('model')) which.value = ''; // the picked model's own comes first
    model = valueOf('model');
    cut([], 0);
  };
  changed();
  learning([], 0);

  function changed() {
    answer.about(text.value);
  }
}
