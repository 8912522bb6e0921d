// Shared state of the page: the visitor's sentence, its chosen token and the chosen head, synchronised between views. A
// hidden view updates when it is opened, so that no hidden view computes.
import {keep, kept} from './kept.js';
import {isSameVisit} from './way.js';

// Boxes that hold the visitor's sentence, wherever they stand.
const BOXES = ['#prompt textarea', '#attention-text textarea'];
const KEY = 'gptlens-sentence';

const about = {text: '', head: null, token: null};
const hearers = new Set();

export const sentence = () => about.text; // "" until the visitor has written or changed one
export const chosenHead = () => about.head; // [layer, head], or null

export const chosenToken = () => about.token; // its place in the text, or null

// Subscribes to changes, {text}, {head} or {token}, except the subscriber's own.
export function onSentence(hear) {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

function tell(news, teller) {
  for (const hear of hearers) if (hear !== teller) hear(news);
}

export function setSentence(text, teller = null) {
  if (text === about.text) return;
  Object.assign(about, {text, token: null});
  keep(KEY, {text, search: globalThis.location?.search});
  tell({text}, teller);
}

// As setSentence, also where somebody types: a box that is typed into keeps what it holds.
export function showSentence(text) {
  if (!text || text === about.text) return;
  /** @type {HTMLElement} */ (document.activeElement)?.blur();
  setSentence(text);
}

export function chooseHead(head, teller = null) {
  if (String(head) === String(about.head)) return;
  about.head = head;
  tell({head}, teller);
}

export function chooseToken(token, teller = null) {
  if (token === about.token) return;
  about.token = token;
  tell({token}, teller);
}

// What a link chooses: {head, token}, null where it says nothing of them.
export function firstChosen(search) {
  const query = new URLSearchParams(search);
  const [layer, head, token] = ['layer', 'head', 'token'].map(name => {
    const number = query.get(name) ?? '';
    return /^\d{1,6}$/.test(number) ? +number : null;
  });
  return {head: layer === null || head === null ? null : [layer, head], token};
}

// What of it a link holds.
export const chosenInLink = () => ({
  ...(about.head ? {layer: about.head[0], head: about.head[1]} : {}),
  ...(about.token === null ? {} : {token: about.token}),
});

// The initial sentence: the one before a reload, else the link's, else none.
export function firstSentence(search, before) {
  if (before?.text && isSameVisit(before, search)) return before.text;
  const query = new URLSearchParams(search);
  const [text, prompt] = [query.get('text'), query.get('prompt')];
  return text && prompt && text !== prompt ? '' : text || prompt || ''; // a link with two sets each in its place
}

// Puts the sentence into the boxes that can be seen; Gradio hears of it as of something typed.
const boxes = () => [...document.querySelectorAll(BOXES.join())];

function fill(which = boxes()) {
  if (!about.text) return;
  for (const box of which) {
    if (!box.getClientRects().length || box.value === about.text || box === document.activeElement) continue;
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(box, about.text);
    box.dispatchEvent(new Event('input', {bubbles: true}));
  }
}

// A box that somebody types in keeps what it holds, whatever answer comes late; Gradio hears of it again.
function keepTyped(box) {
  const {get, set} = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  const put = text => {
    if (box !== document.activeElement) set.call(box, text);
    else if (text !== box.value) queueMicrotask(() => box.dispatchEvent(new Event('input', {bubbles: true})));
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
export const refill = () => afterFrames([2, 8, 30], () => fill([...document.querySelectorAll(BOXES[1])]));

// Listens to all boxes, and fills those of a newly opened view.
export function shareSentence() {
  setSentence(firstSentence(location.search, kept(KEY)));
  const chosen = firstChosen(location.search);
  Object.assign(about, chosen);
  // Views that were there before this are told.
  for (const [name, value] of Object.entries(chosen)) if (value !== null) tell({[name]: value}, null);
  document.addEventListener('input', (/** @type {any} */ event) => {
    if (event.isTrusted && event.target.matches?.(BOXES.join())) setSentence(event.target.value, fill);
  });
  const tabs = document.querySelector('#tabs');
  new MutationObserver(() => setTimeout(fill)).observe(tabs, {subtree: true, attributeFilter: ['aria-selected']});
  // A view that is opened for the first time is mounted some time later, and then Gradio sets its box to the value that
  // it had: the box is filled soon after it is first seen, and again if that was too early.
  const shown = new WeakMap();
  const seen = new ResizeObserver(entries => {
    const opened = entries.filter(({target, contentRect}) => contentRect.width > 0 && !shown.get(target));
    for (const {target, contentRect} of entries) shown.set(target, contentRect.width > 0);
    if (opened.length) afterFrames([2, 8, 30], fill);
  });
  const watchNew = () => {
    for (const box of boxes().filter(one => !shown.has(one))) {
      shown.set(box, false);
      keepTyped(box);
      seen.observe(box);
    }
  };
  new MutationObserver(watchNew).observe(tabs, {subtree: true, childList: true});
  watchNew();
  onSentence(news => 'text' in news && fill());
}
