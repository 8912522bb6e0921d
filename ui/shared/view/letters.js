// Letters that a tokenizer cuts into bytes: each token by its name, over the letter to which it
// belongs.
import {add} from './dom.js';

const BYTES = /^(<0x[0-9A-F]{2}>)+$/;

// Groups of tokens, in order: [first, last] of each; those of one letter together.
/** @param {{text: string, label: string}[]} tokens */
export function letters(tokens) {
  const ranges = [];
  let from = 0;
  tokens.forEach((token, i) => {
    const waits = !token.text && BYTES.test(token.label) && BYTES.test(tokens[i + 1]?.label ?? '');
    if (waits) return;
    ranges.push([from, i]);
    from = i + 1;
  });
  return ranges;
}

// Puts the drawn tokens of a letter over it, where the first of them stands.
/** @param {HTMLElement[]} nodes */
export function overLetter(nodes, letter) {
  const box = document.createElement('ruby');
  nodes[0].before(box);
  box.append(letter);
  add(box, 'rt', '').append(...nodes);
  return box;
}

// Does so for every letter of a text that is drawn whole. hasRoom: whether the names of the pieces
// have room beside each other; where they have none, each is a dot that says its name when it is
// pointed at.
/** @param {{text: string, label: string}[]} tokens @param {HTMLElement[]} nodes */
export function overLetters(tokens, nodes, hasRoom = true) {
  for (const [from, to] of letters(tokens)) {
    if (from === to) continue;
    overLetter(nodes.slice(from, to + 1), tokens[to].text);
    for (let i = from; i <= to; i++) {
      nodes[i].textContent = hasRoom ? tokens[i].label : '•';
      nodes[i].title = tokens[i].label;
    }
  }
}
