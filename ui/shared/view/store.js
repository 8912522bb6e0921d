// The state of the page: the visitor's sentence, the chosen token and head, and the value of every
// field. Views and links are about it; whoever shows a part of it subscribes.
import {keep, kept} from './kept.js';
import {isSameVisit} from './way.js';

const KEY = 'gptlens-sentence';
const TEXTS = ['text', 'prompt']; // fields that hold the visitor's sentence, once there is one

const state = {text: '', head: null, token: null};
const fields = new Map(); // name in a link -> value
const initial = new Map(); // the same as the page was sent
const composed = new Map(); // the same as answers have last made it
const subscribers = new Set();
let own = ''; // the sentence that the visitor wrote last

// --- reading
export const sentence = () => state.text; // "" until the visitor has written or changed one

export const chosenHead = () => state.head; // [layer, head], or null

export const chosenToken = () => state.token; // its index in the text, or null

// What a question holds under a name: a field, or what is chosen.
export function valueOf(name) {
  if (name === 'head' || name === 'token') return state[name];
  if (TEXTS.includes(name) && state.text) return state.text;
  return fields.get(name) ?? null;
}

// A field as Gradio's page holds it, whatever the sentence is.
export const heldOf = name => fields.get(name) ?? null;

export const initialOf = name => initial.get(name) ?? null;

// What an answer has made of a field, as of a prompt that it composed; undefined for none.
export const composedOf = name => composed.get(name);

export function holdComposed(values) {
  for (const [name, value] of Object.entries(values)) composed.set(name, value);
}

export const isKnown = name => name === 'head' || name === 'token' || initial.has(name);

// --- subscribing
// Hears of changes, {text, replaced}, {head}, {token} or {fields: names}, but for those that it
// made itself. replaced: the visitor's own sentence, where the text took its place; else "".
export function onStore(hear) {
  subscribers.add(hear);
  return () => subscribers.delete(hear);
}

function tell(news, teller) {
  for (const hear of subscribers) if (hear !== teller) hear(news);
}

// --- writing
// Whether a text is another one going on, or cut at its end.
const goesOn = (text, other) => text.startsWith(other) || other.startsWith(text);

export function setSentence(text, teller = null) {
  if (text === state.text) return;
  const replaced = own && state.text === own && !goesOn(text, own) ? own : '';
  if (own && goesOn(text, own)) own = text;
  Object.assign(state, {text, token: null});
  keep(KEY, {text, visit: globalThis.history?.state?.visit});
  tell({text, replaced}, teller);
}

// The sentence that the visitor wrote last, "" for none.
export const ownSentence = () => own;

// As setSentence, of a text that the visitor has written.
export function typeSentence(text, teller = null) {
  own = text;
  setSentence(text, teller);
}

// As setSentence, also where somebody types: a box that is typed into keeps what it holds.
export function showSentence(text) {
  if (!text || text === state.text) return;
  /** @type {HTMLElement} */ (document.activeElement)?.blur();
  setSentence(text);
}

export function chooseHead(head, teller = null) {
  if (String(head) === String(state.head)) return;
  state.head = head;
  tell({head}, teller);
}

export function chooseToken(token, teller = null) {
  if (token === state.token) return;
  state.token = token;
  tell({token}, teller);
}

// A value as it is held: of a table, its rows.
export const plain = value => (value?.headers && value.data ? value.data : value);

// Takes the values of fields as Gradio's page holds them.
export function holdFields(names, values) {
  const changed = [];
  names.forEach((name, i) => {
    const value = plain(values[i]);
    if (!initial.has(name)) initial.set(name, value);
    if (fields.has(name) && JSON.stringify(fields.get(name)) === JSON.stringify(value)) return;
    fields.set(name, value);
    changed.push(name);
  });
  if (changed.length) tell({fields: changed}, null);
}

// --- what a link says of it
// What a link chooses: {head, token}, null where it says nothing of them.
export function firstChosen(search) {
  const query = new URLSearchParams(search);
  const [layer, head, token] = ['layer', 'head', 'token'].map(name => {
    const number = query.get(name) ?? '';
    return /^\d{1,6}$/.test(number) ? +number : null;
  });
  return {head: layer === null || head === null ? null : [layer, head], token};
}

// The initial sentence: the one before a reload, else the link's, else none.
export function firstSentence(search, before, isSame = isSameVisit) {
  if (before?.text && isSame(before)) return before.text;
  const query = new URLSearchParams(search);
  const [text, prompt] = TEXTS.map(name => query.get(name));
  // a link with two sets each in its place
  return text && prompt && text !== prompt ? '' : text || prompt || '';
}

// Begins with what the link says, or what was there before a reload.
export function startStore() {
  setSentence(firstSentence(location.search, kept(KEY)));
  const chosen = firstChosen(location.search);
  Object.assign(state, chosen);
  // Views that were there before this are told.
  for (const [name, value] of Object.entries(chosen))
    if (value !== null) tell({[name]: value}, null);
}
