// Words of the field on the page: dotted where they first stand in a sentence, and explained in
// one. The list under More is the same, for the keyboard.
import {listOver} from '../../shared/view/dialogs.js';
import {add} from '../../shared/view/dom.js';

// [how it may stand in a sentence, its name in the list, what it is]
/** @type {[RegExp, string, string][]} */
// prettier-ignore
export const WORDS = [
  [/\bblocks?\b/, 'block',
    'One layer of the model: attention, then an MLP. Each adds what it has found to the stream.'],
  [/\bL\d+H\d+/, 'L5H6',
    'An attention head: number 6 of layer 5, both from 0. For each token it decides which earlier ones to look at.'],
  [/\bheads\b/, 'heads', 'Parts of a block that look back: each decides, for each token, which earlier ones it reads.'],
  [/\bMLPs?\b/, 'MLP', 'The second half of a block: it works on each token by itself, where attention mixes several.'],
  [/\bstream\b/, 'stream',
    'The residual stream: a token’s list of numbers on its way through the model. Every part reads it and adds to it.'],
  [/\bembeddings?\b/i, 'embedding', 'The list of numbers that a token, or a position, begins with. It is learned.'],
  [/\bpre-norm\b/, 'pre-norm',
    'Each half of a block first rescales its input (LayerNorm), as in GPT-2. Post-norm does so after, as in GPT-1.'],
  [/\bpost-norm\b/, 'post-norm',
    'The stream is rescaled after each half of a block (LayerNorm), as in GPT-1. GPT-2 rescales before each half.'],
  [/\bbyte-level BPE\b/, 'byte-level BPE',
    'How text becomes tokens: frequent runs of bytes are one token each, so that no text is unknown.'],
  [/\blogits?\b/i, 'logit', 'The raw score of a token, before softmax turns all scores into probabilities.'],
  [/\bsoftmax\b/, 'softmax', 'Turns scores into probabilities: e to the power of each, divided by the sum of all.'],
  [/\bnats\b/, 'nats',
    'The unit of loss: −ln of the probability that the right token had. 0 is certain, 0.69 one in two.'],
  [/\bperplexity\b/i, 'perplexity',
    'As unsure as choosing among this many equally likely tokens: e to the power of the loss.'],
  [/\bheld out\b|\bheld-out\b/i, 'held out', 'Text that the model was not trained on, kept for measuring.'],
  [/\bunigram\b/, 'unigram', 'Guessing by how often each token occurs, whatever stands before.'],
  [/\bbigram\b/, 'bigram', 'Guessing from the one token before.'],
  [/\brests? on the first token\b|\battention sink\b/, 'attention sink',
    'A head that finds nothing to look at puts its attention on the first token, where it does no harm.'],
  [/\bKV cache\b/, 'KV cache', 'Keys and values of the tokens so far, kept so that each is computed once.'],
];
const SENTENCES =
  '.lens-component :is(.conclusion, .tr-verdict, .bd-check, .ab-head, .st-conclusion)';

// The first place of each word in a text: [from, to, its name], in their order; none lies in
// another.
export function wordsIn(text) {
  const ranges = [];
  for (const [pattern, name] of WORDS) {
    const at = pattern.exec(text);
    if (at) ranges.push([at.index, at.index + at[0].length, name]);
  }
  ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  return ranges.filter(([from], i) => ranges.slice(0, i).every(([, to]) => from >= to));
}

let bubble = null;
function tell(word) {
  bubble ??= add(document.body, 'div', 'term-says u-panel lens-component');
  bubble.setAttribute('role', 'tooltip');
  bubble.textContent = WORDS.find(([, name]) => name === word.dataset.word)?.[2] ?? '';
  bubble.hidden = false;
  const at = word.getBoundingClientRect();
  const [wide, tall] = [bubble.offsetWidth, bubble.offsetHeight];
  bubble.style.left = `${Math.max(4, Math.min(at.left, innerWidth - wide - 4))}px`;
  bubble.style.top = `${at.bottom + tall + 8 < innerHeight ? at.bottom + 4 : at.top - tall - 4}px`;
}
const hush = () => {
  if (bubble) bubble.hidden = true;
};

// Marks the words of a sentence that is one text; one with links or marks of its own stays as it
// is.
function mark(node) {
  const only = node.childNodes.length === 1 ? node.firstChild : null;
  if (only?.nodeType !== Node.TEXT_NODE) return;
  const text = only.data;
  const ranges = wordsIn(text);
  if (!ranges.length) return;
  const pieces = document.createDocumentFragment();
  let from = 0;
  for (const [start, end, name] of ranges) {
    pieces.append(text.slice(from, start));
    add(pieces, 'span', 'term', text.slice(start, end)).dataset.word = name;
    from = end;
  }
  pieces.append(text.slice(from));
  node.replaceChildren(pieces);
}

const watched = new WeakSet();

// Marks the sentences that are there, and again whenever one of them is written anew.
export function explainWords() {
  for (const node of document.querySelectorAll(SENTENCES)) {
    if (watched.has(node)) continue;
    watched.add(node);
    mark(node);
    new MutationObserver(() => mark(node)).observe(node, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  }
}

// Opens a word's sentence under the pointer or the finger.
export function watchWords() {
  document.addEventListener('pointerover', event => {
    const word = /** @type {any} */ (event.target).closest?.('.term');
    if (word) tell(word);
    else hush();
  });
  document.addEventListener('scroll', hush, true);
  document.addEventListener('keydown', event => event.key === 'Escape' && hush());
}

// All words with what they are.
export const listWords = () =>
  listOver(
    'word-list',
    'Words',
    WORDS.map(([, name, says]) => [name, says]),
  );
