// Navigation within the page: a tab, a view in it, and a choice there.
import {awaited} from './awaited.js';
import {fill, fillAnswered, isOfLink} from './fill.js';
import {linkTo, ownNames, settingsOf, takePieces, textsOf, withView} from './link.js';
import {reached} from './connection.js';
import {offered} from './offers.js';
import {chooseHead, chooseToken, firstChosen, showSentence} from './store.js';
import {pickedModel, visible} from './tabs.js';
import {WAY} from './way.js';

const QUIET = 10; // frames in which nothing of a view is computed, before its button is pressed
const STAYS = 20; // frames that a choice is there
const PICKS = 3; // of a choice that a slow machine's view takes back while it is set up
const EVERY = 200; // milliseconds between picks
const AGAIN = 1000; // milliseconds between clicks on what is folded
const SETTLED = 3000; // milliseconds of an idle page after which the views above a place are filled

// Goes to "tab=...&view=...&choose=...&once=...&see=...", URLSearchParams. Gives "" once it is
// there, else the name of what was not found. The choice waits until the selector `once` is
// visible: in a view still being set up it would be lost. What `see` selects is scrolled to.
export async function goTo(query, isWanted = () => true) {
  const steps = {
    tab: name => press('#tabs', name),
    view: name => press('#tabs > .tabitem', name),
    once: visible,
    choose,
    see,
  };
  picking += 1;
  for (const [name, find] of Object.entries(steps)) {
    const value = query.get(name);
    if (value && !(await awaited(() => find(value), isWanted))) return name;
  }
  return '';
}

// A place to go to once what is in progress has ended.
let later = null;
export const goLater = way => (later = way);
export function goNow() {
  if (later) goTo(new URLSearchParams(later));
  later = null;
}

// What leads to a place: no setting of the page.
const HERE = new Set(WAY);

// Whether a way takes a load of the page: it has two texts, or a setting that is of no view, such
// as an exercise.
export function needsLoad(query) {
  const now = new URLSearchParams(location.search);
  const owned = ownNames();
  const texts = textsOf(query);
  const hasTwo = new Set(texts.map(([, text]) => text)).size > 1;
  const others = [...query].filter(([name]) => !HERE.has(name) && !owned.has(name));
  return [...others, ...(hasTwo ? texts : [])].some(([name, value]) => now.get(name) !== value);
}

// Navigates there, with a page load if needed.
export function follow(query) {
  if (needsLoad(query)) loadWith(query);
  else goHere(query);
}

// Opens the model of a way, sets fields, the text and what is chosen, then goes there; as goTo.
// isWhole: what a link has set here before, and this one does not name, goes back to its default, as
// in the scenes of a talk.
export async function goHere(query, isWanted = () => true, isWhole = false) {
  const model = query.get('model');
  if (model && model !== pickedModel()) {
    await awaited(() => offered('open model'), isWanted, Infinity);
    offered('open model')?.(model);
    if (!(await awaited(() => pickedModel() === model, isWanted))) return 'model';
  }
  // What another way has sent before sets the text, too.
  await fillAnswered();
  if (!isWanted()) return '';
  showSentence(textsOf(query).find(([, text]) => text)?.[1]);
  await fill(query, isWanted, isWhole ? isOfLink : () => false);
  if (!isWanted()) return '';
  const {head, token} = firstChosen(query.toString());
  if (head) chooseHead(head);
  if (token !== null) chooseToken(token);
  takePieces(query, isWhole);
  const setsFields = settingsOf(query).length > 0;
  return goTo(setsFields ? withView(query) : query, isWanted);
}

// Loads the page with what a way sets, once the server answers; how the page looks stays. A newer
// way takes its place.
let loading = 0;
export async function loadWith(query, isWanted = () => true) {
  const mine = ++loading;
  if (!(await reached(() => mine === loading && isWanted()))) return;
  const settings = Object.fromEntries(
    [...query].filter(([name]) => ['tab', 'view'].includes(name) || !HERE.has(name)),
  );
  location.href = linkTo(location.href, settings, {
    present: document.body.classList.contains('present'),
  });
}

// Presses the tab of this name within a row of tabs; true once it is open.
function press(within, name) {
  const plain = text => text.trim().toLowerCase().replace('-', ' ');
  const tabs = [...document.querySelectorAll(`${within} [role=tab]`)].filter(
    item => item.offsetParent,
  );
  const tab = tabs.find(item => plain(item.textContent) === plain(name));
  if (tab?.getAttribute('aria-selected') !== 'true') tab?.click();
  return tab;
}

// Presses the main button of the open view, such as Start in Train, once it is there and would hear
// it: while an event of the view is under way, and some frames longer, Gradio drops a second press.
export async function pressMain(isWanted) {
  let quiet = 0; // frames
  const found = () => {
    const button = visible('#tabs [data-running]') ? null : visible('#tabs button.primary');
    quiet = button ? quiet + 1 : 0;
    return quiet > QUIET && button;
  };
  (await awaited(found, isWanted))?.click();
}

// Picks the option of this name in the open view. A view that is mounted for the first time sets
// its controls to what they were, after they can be seen: it is picked until it stays so.
const chosen = {name: '', frames: 0};
const optionOf = name =>
  [...document.querySelectorAll('#tabs > .tabitem label')].find(
    label => label.offsetParent && label.textContent.trim() === name,
  );
function choose(name) {
  const option = optionOf(name);
  const input = option?.querySelector('input');
  const stays = chosen.name === name && input?.checked;
  Object.assign(chosen, {name, frames: stays ? chosen.frames + 1 : 0});
  if (input && !input.checked) input.click();
  if (chosen.frames < STAYS) return null;
  holdChoice(name);
  return option;
}

// Hears of what the visitor does, until the controller that it returns is aborted.
function onAct(events, hear) {
  const until = new AbortController();
  for (const event of events)
    addEventListener(event, hear, {signal: until.signal, capture: true, passive: true});
  return until;
}

// Picks it again where the view takes it back, until the visitor does something or the page goes
// elsewhere.
let picking = 0;
function holdChoice(name) {
  const mine = picking;
  const until = onAct(['pointerdown', 'keydown', 'touchstart'], () => (picking += 1));
  let picked = -EVERY;
  let left = PICKS;
  const pick = () => {
    const input = optionOf(name)?.querySelector('input');
    if (!input || input.checked || performance.now() - picked < EVERY) return;
    picked = performance.now();
    left -= 1;
    input.click();
  };
  awaited(pick, () => mine === picking && left > 0).then(() => until.abort());
}

// Scrolls to what the selector finds, and opens it where it is folded. Keeps it there while views
// above it are filled, until the visitor does something.
const clicked = new WeakMap();
function see(selector) {
  const node = visible(selector);
  if (!node) return null;
  if (node instanceof HTMLDetailsElement) node.open = true;
  const folded = node.matches('.gr-accordion') && node.querySelector('.label-wrap:not(.open)');
  if (folded) {
    // It may not hear a click yet, and a second one would fold it again.
    if (performance.now() - (clicked.get(folded) ?? -AGAIN) >= AGAIN) {
      clicked.set(folded, performance.now());
      folded.click();
    }
    return null;
  }
  const scroll = () => node.scrollIntoView({block: 'start'});
  const grown = new ResizeObserver(scroll);
  const done = () => {
    grown.disconnect();
    until.abort();
  };
  const until = onAct(['wheel', 'pointerdown', 'keydown', 'touchstart'], done);
  awaited(() => until.signal.aborted, undefined, SETTLED).then(done);
  grown.observe(document.querySelector('#tabs'));
  scroll();
  return node;
}
