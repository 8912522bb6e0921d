// The sentence: one field to type in, drawn word by word beneath its caret. A click on a word, or
// Alt and the down arrow at the caret, offers what else the model expected there. Model text goes
// into the page by textContent alone.
import {overLetters} from '../../../shared/view/letters.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {percent, visible} from '../../../shared/view/plain.js';
import {drawLooks} from './arcs.js';

// Which token a place in the text belongs to: the one that ends there or goes on; -1 before the
// first. `texts` are the tokens' own, in order.
export function tokenAt(texts, place) {
  let end = 0;
  for (const [i, text] of texts.entries())
    if ((end += text.length) >= place && text) return place > 0 ? i : -1;
  return -1;
}

// line: the element with its parts. typed: a text was typed. pointed: a token, -1 for none. opened:
// a token's alternatives are shown, or no longer (null). replaced: a token takes another id.
// undone: what was done last is taken back, whether it was typed or taken from the guesses; the
// browser's own undo knows of neither as one step.
export function sentenceEditor(line, {typed, pointed, opened, replaced, undone}) {
  const [words, arcs, field, scroll] = ['words', 'arcs', 'text', 'scroll'].map(name =>
    line.querySelector(`.st-${name}`),
  );
  let tokens = []; // as they are drawn; none while what is typed has not been read
  let read = null; // what was read last; null from the next letter on
  let others = null; // the open box of alternatives

  const nodes = () => [...words.querySelectorAll('.st-word')];
  const texts = () => tokens.map(token => token.text);

  function close() {
    if (!others) return;
    others.remove();
    others = null;
    opened(null);
  }

  // What is typed, until it has been read.
  function mirror() {
    tokens = [];
    close();
    words.textContent = arcs.textContent = '';
    words.append(field.value);
    addGap();
  }

  const addGap = () => add(words, 'span', 'st-gap u-strong', ' ?');

  // The tokens of the text that stands in the field; text: as the model writes it. isNew: whether
  // it takes the place of what stands in the field, also where somebody types.
  function draw(data, isNew = false) {
    read = data;
    if (isNew || document.activeElement !== field) field.value = data.text;
    mirror();
    const whole = data.tokens.map(token => token.text).join('');
    // it goes on in plain letters
    if (field.value !== data.text || !data.text.startsWith(whole)) return;
    words.textContent = '';
    tokens = data.tokens;
    const drawn = tokens.map((token, i) => {
      const node = add(words, 'span', i < data.first ? 'st-word unread' : 'st-word', token.text);
      if (i < data.first) node.title = 'outside the window: the model no longer reads it';
      return node;
    });
    overLetters(tokens, drawn, false);
    words.append(data.text.slice(whole.length));
    addGap();
  }

  function open(i) {
    const [node, token] = [nodes()[i], tokens[i]];
    const unit = read?.unit ?? 'word';
    const again = others?.dataset.of === String(i);
    close();
    if (again || !node || !token.others.length) return;
    others = add(line, 'div', 'st-others u-panel u-row');
    others.dataset.of = i;
    others.setAttribute('role', 'group');
    others.setAttribute('aria-label', `Other words than ${visible(token.label)}`);
    add(
      others,
      'small',
      '',
      token.p === null ? '' : `It gave this ${unit} ${percent(token.p)}. Other candidates:`,
    );
    for (const [label, p, id] of token.others) {
      if (id === token.id) continue;
      const other = addButton(others, 'st-other', visible(label).replace('␣', ''), () => {
        close();
        replaced(i, id);
      });
      add(other, 'small', '', percent(p));
    }
    const [box, at] = [
      line.getBoundingClientRect(),
      node.getClientRects()[0] ?? node.getBoundingClientRect(),
    ];
    others.style.top = `${at.bottom - box.top}px`;
    others.style.left = `${Math.max(0, Math.min(at.left - box.left, box.width - others.offsetWidth - 2))}px`;
    others.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      close();
      field.focus();
    });
    opened(i);
  }

  // The word under the pointer: the field lies over it.
  const under = event =>
    nodes().indexOf(
      document
        .elementsFromPoint(event.clientX, event.clientY)
        .find(node => node.classList.contains('st-word')),
    );
  const atCaret = () => tokenAt(texts(), field.selectionStart);

  field.addEventListener('input', () => {
    read = null;
    mirror();
    typed(field.value);
  });
  field.addEventListener('pointermove', event => tokens.length && pointed(under(event)));
  field.addEventListener('pointerleave', () => pointed(-1));
  field.addEventListener('click', event => {
    const i = under(event);
    if (field.selectionStart !== field.selectionEnd) return; // a part of the text was marked
    if (i < 0) close();
    else open(i);
  });
  field.addEventListener('keyup', event => {
    if (/^(Arrow|Home|End|Page)/.test(event.key) && !event.altKey) pointed(atCaret());
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') close();
    if (
      event.key.toLowerCase() === 'z' &&
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      undone()
    )
      event.preventDefault();
    if (event.key !== 'ArrowDown' || !event.altKey) return;
    event.preventDefault();
    open(atCaret());
    others?.querySelector('button')?.focus();
  });
  // A model may write a text otherwise than it was typed: as it does, once nobody types.
  field.addEventListener('blur', () => {
    if (read && !tokens.length) draw(read);
    pointed(-1);
  });
  document.addEventListener('pointerdown', event => {
    if (others && !line.contains(/** @type {Node} */ (event.target))) close();
  });

  return {
    draw,
    text: () => field.value,
    isTyped: () => document.activeElement === field,
    // A text from elsewhere, which is still to be read.
    show(text) {
      read = null;
      field.value = text;
      mirror();
    },
    clear(message) {
      tokens = [];
      read = null;
      words.textContent = message;
      arcs.textContent = '';
    },
    // Arcs from a token, -1 for the last.
    look(from, looks) {
      if (tokens.length)
        drawLooks(words, arcs, from >= 0 && from < tokens.length ? from : tokens.length - 1, looks);
    },
    toEnd() {
      scroll.scrollTop = scroll.scrollHeight;
    },
    last: () => words.querySelector('.st-gap'),
    words,
  };
}
