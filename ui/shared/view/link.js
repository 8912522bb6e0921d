// The link of a view is its state: the fields of its tab that differ from how the page was sent,
// what is chosen, and the pieces that its scripts hold. "Copy link", the address bar, talks and the
// room are made of it.
import {copyText} from './clipboard.js';
import {chosenHead, chosenToken, composedOf, initialOf, sentence, valueOf} from './store.js';
import {pickedModel, place} from './tabs.js';

export const LONGEST_TEXT = 2000; // characters of a text that a link holds

// Tabs with their views, and fields, as the page's register has them (`ui/page.py`).
let register = {tabs: [], fields: [], bases: {}};
export const setRegister = given => (register = given);

const TEXTS = ['prompt', 'text'];

// --- the pieces that scripts hold
// "tab/view" -> {name: what gives its value, null where there is nothing to say}
const pieces = new Map();

const takers = new Map(); // "tab/view" -> functions that take over what the link says of them

// Declares the pieces of a view's state. view: "tab/view", by their names; take: called when the
// page goes to another link to the view, for what `linked` says then.
export function holdsState(view, given, take) {
  pieces.set(view, {...pieces.get(view), ...given});
  takers.set(view, [...(takers.get(view) ?? []), take]);
}

// What the link that the page went to last says of a piece, at first its address; null where it
// says nothing.
let latest = new URLSearchParams(globalThis.location?.search ?? '');
export const linked = name => latest.get(name);

// Goes on to the pieces of another link. isWhole: also to those that it does not name, which are
// then as the view begins; else a link that names none changes none.
export function takePieces(query, isWhole) {
  const {tab, view} = namedPlace(query);
  const at = `${tab?.name}/${view?.name ?? ''}`;
  const names = [...Object.keys(pieces.get(at) ?? {}), ...TEXTS];
  if (!isWhole && !names.some(name => query.has(name))) return;
  latest = query;
  for (const take of takers.get(at) ?? []) take();
}

// Whether that link is about this text, or about any.
export const isLinkedText = text => {
  const texts = ['text', 'prompt'].map(linked).filter(Boolean);
  return !texts.length || texts.includes(text);
};

// --- the state of a view
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// A value as the server reads it from a link.
export function written(value) {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// What a field has where a link does not name it: as an answer composes it, as another field's
// choice fills it in, or as the page was sent; undefined where that is not known here.
function defaultOf({name, base, composed}) {
  if (composed) return composedOf(name) ?? initialOf(name);
  if (!base) return initialOf(name);
  const chosen = valueOf(base);
  const filled = register.bases[base]?.[chosen];
  if (filled) return name in filled ? filled[name] : initialOf(name);
  return same(chosen, initialOf(base)) ? initialOf(name) : undefined;
}

// The tab and the view that a link names; its first view where it names none.
function namedPlace(query) {
  const isNamed = (item, other) => item?.toLowerCase() === other?.toLowerCase();
  const tab = register.tabs.find(({name}) => isNamed(name, query.get('tab')?.replace(' ', '-')));
  const view = tab?.views.find(({title}) => isNamed(title, query.get('view'))) ?? tab?.views[0];
  return {tab, view};
}

// A link with its view: the first of its tab where it names none, as a load of the page opens.
export function withView(query) {
  const {view} = namedPlace(query);
  const whole = new URLSearchParams(query);
  if (view && !query.has('view')) whole.set('view', view.title);
  return whole;
}

export function placeOf([tabTitle, viewTitle] = place()) {
  const tab = register.tabs.find(item => item.title === tabTitle);
  const view = tab?.views.find(item => item.title === viewTitle);
  return {tab, view};
}

// Everything that a link to the open view sets, by name.
export function stateOfView(at = place()) {
  const {tab, view} = placeOf(at);
  if (!tab) return {};
  const settings = view ? {tab: tab.name, view: view.title} : {tab: tab.name};
  const model = pickedModel();
  if (model) settings.model = model;
  if ((view ?? tab).shows_sentence) {
    if (sentence()) settings.text = sentence();
    if (chosenHead()) [settings.layer, settings.head] = chosenHead();
    if (chosenToken() !== null) settings.token = chosenToken();
  }
  for (const field of register.fields) {
    const {name} = field;
    if (field.tab !== tab.name || (field.view && field.view !== view?.name)) continue;
    const value = valueOf(name);
    const known = defaultOf(field);
    if (value === null || same(value, known)) continue;
    const text = written(value);
    // a long example is filled in again
    if (known !== undefined || text.length <= LONGEST_TEXT) settings[name] = text;
  }
  for (const [name, value] of Object.entries(pieces.get(`${tab.name}/${view?.name ?? ''}`) ?? {})) {
    const piece = value();
    if (piece !== null && piece !== undefined) settings[name] = written(piece);
  }
  return settings;
}

// The names that a link to a view may set: the others of an address belong to nobody here, and
// stay.
export function ownNames() {
  const names = [
    'tab',
    'view',
    'model',
    'text',
    'prompt',
    'layer',
    'head',
    'token',
    'choose',
    'once',
    'see',
  ];
  const held = [...pieces.values()].flatMap(Object.keys);
  return new Set([...names, ...register.fields.map(field => field.name), ...held]);
}

// The settings of a link that are texts, and those that are fields.
export const textsOf = query => [...query].filter(([name]) => TEXTS.includes(name));
export const settingsOf = query =>
  [...query].filter(([name]) => register.fields.some(field => field.name === name));

const isNumber = text => text !== null && text !== '' && Number.isFinite(Number(text));
export const means = (text, other) =>
  text === other || (isNumber(text) && isNumber(other) && Number(text) === Number(other));

// The fields, [name, value] each, that have to be set for the page to show what a link says. A
// field of its view that it does not name goes back to its default where `resets` says so of its
// name and value.
export function unmet(query, resets) {
  const {tab, view} = namedPlace(query);
  const settings = [];
  for (const field of register.fields) {
    const {name} = field;
    const value = written(valueOf(name) ?? '');
    const isOfView = field.tab === tab?.name && (!field.view || field.view === view?.name);
    const named = query.get(name);
    if (named !== null) {
      if (named.length <= LONGEST_TEXT && !means(value, named)) settings.push([name, named]);
    } else if (isOfView && resets(name, value)) {
      const known = written(defaultOf(field) ?? value);
      if (!means(value, known)) settings.push([name, known]);
    }
  }
  return settings;
}

// --- addresses
// The URL of a view: this page's, with only the given settings and display options.
export function linkTo(address, settings, {present = false} = {}) {
  const url = new URL(address);
  const theme = url.searchParams.get('__theme');
  url.search = '';
  for (const [name, value] of Object.entries(settings))
    if (value !== null && value !== undefined)
      url.searchParams.set(name, String(value).slice(0, LONGEST_TEXT));
  if (theme) url.searchParams.set('__theme', theme);
  if (present) url.searchParams.set('present', '1');
  return url.toString();
}

// The address of this server in the local network, "" where it is not served there.
let lan = '';
export const setLan = address => (lan = address);

// A link for other machines: replaces localhost by this machine's network address.
export function linkFor(settings, address = location.href) {
  const url = new URL(linkTo(address, settings));
  if (lan && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = lan;
  return url.toString();
}

// Puts a link to the open view into the address bar and on the clipboard; returns a sentence that
// says what was done.
export async function shareLink(settings = stateOfView(), note = '') {
  const link = linkTo(location.href, settings, {
    present: document.body.classList.contains('present'),
  });
  history.replaceState(history.state, '', link);
  const cut = Object.values(settings).some(value => String(value ?? '').length > LONGEST_TEXT);
  const more = cut ? 'A text was too long and is cut.' : note;
  const copied = await copyText(link);
  const done = copied
    ? 'The link is in the address bar and on the clipboard.'
    : 'The link is in the address bar; copy it from there.';
  return more ? `${done} ${more}` : done;
}
