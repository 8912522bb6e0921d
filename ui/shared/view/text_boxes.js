// The boxes of Gradio's that hold the visitor's sentence: each shows the store's, and what is typed
// goes there.
import {heldOf, onStore, sentence, startStore, typeSentence} from './store.js';

const FIELDS = {'#prompt textarea': 'prompt', '#attention-text textarea': 'text'};
export const BOXES = Object.keys(FIELDS);

const boxes = () => [...document.querySelectorAll(BOXES.join())];

// Sets a box of Gradio's as if it had been typed there.
export function write(box, text) {
  box.dir = 'auto'; // a right-to-left text begins at the right
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), 'value').set.call(box, text);
  box.dispatchEvent(new Event('input', {bubbles: true}));
}

// The same, by the id of its element.
export function writeField(id, text) {
  const box = document.querySelector(`#${id} :is(textarea, input)`);
  if (box) write(box, text);
}

// Puts the sentence into the boxes that can be seen; Gradio hears of it as of something typed.
function fill(which = boxes()) {
  if (!sentence()) return;
  for (const box of which) {
    const isShown = box.getClientRects().length > 0;
    if (!isShown || box.value === sentence() || box === document.activeElement) continue;
    write(box, sentence());
  }
}

// Whether Gradio has heard of the sentence, as far as its box can be seen: an event takes it.
export const isSentenceHeard = () =>
  !sentence() ||
  Object.entries(FIELDS).every(([selector, name]) => {
    const box = document.querySelector(selector);
    return !box?.getClientRects().length || heldOf(name) === sentence();
  });

// A box that somebody types in keeps what it holds, whatever answer comes late; Gradio hears of it
// again.
function keepTyped(box) {
  const {get, set} = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  const put = text => {
    if (box !== document.activeElement) set.call(box, text);
    else if (text !== box.value)
      queueMicrotask(() => box.dispatchEvent(new Event('input', {bubbles: true})));
  };
  Object.defineProperty(box, 'value', {get, set: put, configurable: true});
}

// Calls after so many frames of the page each.
function afterFrames(counts, call, frame = 0) {
  if (frame > Math.max(...counts)) return;
  if (counts.includes(frame)) call();
  requestAnimationFrame(() => afterFrames(counts, call, frame + 1));
}

// After a model's default text was put into Attention's box: the visitor's sentence stays there.
export const refill = () =>
  afterFrames([2, 8, 30], () => fill([...document.querySelectorAll(BOXES[1])]));

// Listens to all boxes, and fills those of a newly opened view.
export function shareSentence() {
  startStore();
  document.addEventListener('input', (/** @type {any} */ event) => {
    if (event.isTrusted && event.target.matches?.(BOXES.join()))
      typeSentence(event.target.value, fill);
  });
  const tabs = document.querySelector('#tabs');
  new MutationObserver(() => setTimeout(fill)).observe(tabs, {
    subtree: true,
    attributeFilter: ['aria-selected'],
  });
  // A view that is opened for the first time is mounted some time later, and then Gradio sets its
  // box to the value that it had: the box is filled soon after it is first seen, and again if that
  // was too early.
  const shown = new WeakMap();
  const seen = new ResizeObserver(entries => {
    const opened = entries.filter(
      ({target, contentRect}) => contentRect.width > 0 && !shown.get(target),
    );
    for (const {target, contentRect} of entries) shown.set(target, contentRect.width > 0);
    if (opened.length) afterFrames([2, 8, 30], fill);
  });
  const watchNew = () => {
    for (const box of boxes().filter(item => !shown.has(item))) {
      shown.set(box, false);
      keepTyped(box);
      seen.observe(box);
    }
  };
  new MutationObserver(watchNew).observe(tabs, {subtree: true, childList: true});
  watchNew();
  onStore(news => 'text' in news && fill());
}
