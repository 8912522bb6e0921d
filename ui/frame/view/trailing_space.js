// A text that ends with a space: most tokens begin with a space of their own, so the model meets
// one that it seldom read.
import {add, addButton} from '../../shared/view/dom.js';
import {onStore, sentence, showSentence} from '../../shared/view/store.js';

const ENDS = /\S(?<blank>[ \u00a0]+)$/u;
const STANDS = 1200; // milliseconds after the last key: who goes on writing has just ended a word
// What holds the sentence, in each tab that shows it.
const HOLDERS = ['#start .st-line', '#prompt', '#attention-text'];
// Tokenizers whose tokens begin with their space; letters and GPT-1's words do not.
const SPACE_LED = /\((byte-level BPE|GPT-2's BPE)/;

let line = null;
let timer = null;

function withdraw() {
  line?.remove();
  line = null;
}

function check() {
  withdraw();
  const blank = ENDS.exec(sentence())?.groups?.blank;
  const readsSpaces = SPACE_LED.test(document.querySelector('#facts')?.textContent ?? '');
  const holder = HOLDERS.map(item => document.querySelector(item)).find(
    item => item?.getClientRects().length,
  );
  if (!blank || !readsSpaces || !holder) return;
  const kind = blank.includes('\u00a0') ? 'no-break space' : 'space';
  line = document.createElement('p');
  Object.assign(line, {id: 'trailing-space', className: 'u-row u-muted u-type-sm'});
  line.setAttribute('role', 'status');
  add(
    line,
    'span',
    '',
    `Your text ends with a ${kind}. Most tokens begin with their own, so the guess suffers.`,
  );
  addButton(line, '', 'Take it away', () => showSentence(sentence().trimEnd()));
  holder.after(line);
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(check, STANDS);
}

export function noticeTrailingSpaces() {
  onStore(news => {
    if ('text' in news) withdraw();
    if ('text' in news || news.fields?.includes('opened')) soon();
  });
  const tabs = document.querySelector('#tabs');
  if (tabs)
    new MutationObserver(soon).observe(tabs, {subtree: true, attributeFilter: ['aria-selected']});
}
