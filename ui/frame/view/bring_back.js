// What a visitor has written is offered back where something else took its place.
import {add, addButton} from '../../shared/view/dom.js';
import {visible as shown} from '../../shared/view/plain.js';
import {onStore, showSentence} from '../../shared/view/store.js';
import {BOXES, write} from '../../shared/view/text_boxes.js';

const SHOWN = 30; // letters of the text on the button
const SENTENCE = [...BOXES, '#start .st-text'].join(); // the store knows what is typed there
const FIELDS = '#tabs :is(textarea, input[type=text]):not([role], [readonly])';

const guarded = new WeakMap(); // field -> what was typed there
let offer = null;

function withdraw() {
  offer?.remove();
  offer = null;
}

// Shows a button that brings a text back.
function offerBack(text, bring) {
  withdraw();
  offer = add(document.body, 'div', 'u-panel u-row u-type-md');
  offer.id = 'bring-back';
  offer.setAttribute('role', 'status');
  add(offer, 'span', '', 'Your text was replaced.');
  const start = [...text].length > SHOWN ? `${[...text].slice(0, SHOWN).join('')}…` : text;
  addButton(offer, '', `Bring back “${shown(start)}”`, () => {
    withdraw();
    bring();
  });
  addButton(offer, '', '×', withdraw).setAttribute('aria-label', 'Close');
}

// Watches a field that was typed into: a value that a script puts there replaces what was typed.
function guard(field) {
  const {get, set} = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
  const put = value => {
    const typed = guarded.get(field);
    set.call(field, value);
    if (!typed || value === typed || field === document.activeElement) return;
    guarded.set(field, '');
    offerBack(typed, () => write(field, typed));
  };
  Object.defineProperty(field, 'value', {get, set: put, configurable: true});
}

export function offerTextsBack() {
  document.addEventListener('input', (/** @type {any} */ event) => {
    const field = event.target;
    if (!event.isTrusted || !field.matches?.(FIELDS) || field.matches(SENTENCE)) return;
    if (!guarded.has(field)) guard(field);
    guarded.set(field, field.value.trim() ? field.value : '');
  });
  onStore(news => {
    // A talk has a button of its own that takes the sentence along.
    if (news.replaced && !document.querySelector('#tour'))
      offerBack(news.replaced, () => showSentence(news.replaced));
  });
}
