// A guided tour: a bar with one sentence a step, and a frame around what it is about. A talk of
// one's own is a text file or a link, see tour_text.js.
import {copying} from '../../../shared/view/clipboard.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {awaited} from '../../../shared/view/awaited.js';
import {askRoom, offered} from '../../../shared/view/offers.js';
import {keep, kept} from '../../../shared/view/kept.js';
import {beginLarge} from '../../../shared/view/look.js';
import {goHere, loadWith, needsLoad, pressMain} from '../../../shared/view/places.js';
import {onStore, ownSentence} from '../../../shared/view/store.js';
import {visible} from '../../../shared/view/tabs.js';
import {CHANGED, isAway} from '../../../shared/view/connection.js';
import {withView} from '../../../shared/view/link.js';
import {isSentenceHeard} from '../../../shared/view/text_boxes.js';
import {hidden, hide} from './hiding.js';
import {openSpeaker, tellSpeaker} from './speaker.js';
import {parseTour} from './tour_text.js';

const KEY = 'gptlens-tour';
const LOADS = 2; // of the page, for a step
const NOTES = 'gptlens-notes'; // the key to the notes of the server's talk, which its link brings
const ROOM = 12; // pixels of the frame around what a step is about
// What the short tour shows of the whole one: guess, choose, look, learn.
const SHORT = [
  '#start .st-line',
  '#start .st-bars',
  '#start .mc-box',
  '#attention .at-map',
  '#train .tr-plot',
];
const NO_ANSWER = 'The server did not answer. Try again, or reload the page.';

// {title, steps, at, own: its text for a link, of: steps of the tour that it is part of, pressed:
// the steps that have pressed what they press}
let tour = null;
let bar = null;
let wanted = 0; // number of the newest step, so that a slow older one is dropped

// The talk that the server was started with, a text, "" for none; and the model that its pages
// begin with.
let ofServer = '';
let firstModel = '';
export function setTalk(text, model) {
  ofServer = text;
  firstModel = model;
}
export const talkOfServer = () => (ofServer ? parseTour(ofServer) : null);

// A CSS selector of what the open step is about, "" for none.
export const pointNow = () => tour?.steps[tour.at]?.point ?? '';

export const sayNow = () => tour?.steps[tour.at]?.say ?? '';

export const isTouring = () => tour !== null;

export function leaveTour() {
  tour = null;
  hide('');
  wanted += 1;
  keep(KEY, tour);
  frame(null);
  bar?.remove();
  bar = null;
  tellSpeaker(null, turnTour);
}

// Starts the tour that `make` gives; says why where it gives none.
async function attempt(make) {
  try {
    startTour(await make());
  } catch (error) {
    draw();
    say(error.message);
  }
}

// A talk or a tour that the page brings along; part: what is changed of it.
export const startBundled = (name, part = _whole => ({})) =>
  attempt(async () => {
    const reply = await fetch(new URL(`../talks/${name}`, import.meta.url)).catch(() => null);
    if (!reply?.ok) throw new Error(NO_ANSWER);
    const whole = parseTour(await reply.text());
    return {...whole, ...part(whole)};
  });

// The tour "Show me around", short or whole, and "Follow one word".
export const showAround = isWhole =>
  startBundled('tour.txt', ({steps}) => ({
    own: '',
    steps: isWhole ? steps : SHORT.map(part => steps.find(step => step.point === part)),
    of: steps.length,
  }));
export const followWord = () => startBundled('word.txt', () => ({own: ''}));

// A hidden field, which a button clicks, for a talk from a file.
export function talkField(parent) {
  const file = add(parent, 'input', 'tour-file');
  Object.assign(file, {type: 'file', accept: '.txt', hidden: true});
  file.addEventListener('change', async () => {
    await attempt(async () => parseTour(await file.files[0].text()));
    file.value = ''; // the same file can be opened again once it was mended
  });
  return file;
}

export function startTour(given) {
  tour = {pressed: [], ...given};
  go(tour.at);
  bar?.querySelector('.tour-next').focus();
  if (tour.own && tour.own === ofServer) readNotes(tour);
}

// Adds the speaker's notes to the server's talk, in a page that has their key.
async function readNotes(talk) {
  const key = kept(NOTES);
  if (!key || !(await awaited(() => offered('hall'), undefined, Infinity))) return;
  const notes = await askRoom('hall', 'speaker_notes', {key}).catch(() => null);
  if (!notes || talk !== tour) return;
  talk.steps = talk.steps.map((step, i) => ({...step, notes: notes[i] ?? ''}));
  keep(KEY, tour);
  tellSpeaker(tour, turnTour);
}

const isTalk = () => /^#talk(=|$)/.test(location.hash);

// The text of a talk as others may have it.
const withoutNotes = text =>
  text
    .split('\n')
    .filter(line => !line.trim().startsWith('>'))
    .join('\n');

// The tour that goes on after a load of the page, or comes with its link; null without one.
function arriving() {
  if (location.hash.startsWith('#tour='))
    return parseTour(decodeURIComponent(location.hash.slice(6)));
  if (isTalk()) return talkOfServer();
  return kept(KEY);
}

// The tab of that tour's step, which the page opens with.
export function tabOfTour() {
  try {
    const {steps, at} = arriving();
    return new URLSearchParams(steps[at].link).get('tab') ?? '';
  } catch {
    return '';
  }
}

export function turnTour(by) {
  if (!tour) return;
  if (tour.at + by >= tour.steps.length) leaveTour();
  else go(Math.max(0, tour.at + by));
}

// The step before; from the first one out of the tour.
export const turnBack = () => (tour?.at ? turnTour(-1) : leaveTour());

// The speaker's window hears whether the server is there; once it is back, the step is set again
// whole.
addEventListener(CHANGED, () => {
  if (!tour) return;
  tellSpeaker(tour, turnTour);
  if (!isAway()) go(tour.at);
});

// Goes on with it once the page is there.
export function resumeTour() {
  try {
    const given = arriving();
    if (isTalk()) beginLarge();
    if (location.hash.startsWith('#talk=')) keep(NOTES, location.hash.slice(6));
    if (location.hash.startsWith('#tour=') || isTalk())
      history.replaceState(history.state, '', location.pathname + location.search);
    if (given) startTour(given);
  } catch (error) {
    draw();
    say(error.message);
  }
}

// What a step sets. Where a talk names models, a step that names none has the first one, whichever
// came before.
function settingsOf(step) {
  const query = withView(new URLSearchParams(step.link));
  const isNamed = tour.steps.some(({link}) => new URLSearchParams(link).has('model'));
  if (isNamed && firstModel && !query.has('model')) query.set('model', firstModel);
  if (isWithOurs(tour.steps.indexOf(step)))
    for (const name of takesText(step)) query.set(name, tour.ours.text);
  return query;
}

async function go(at) {
  const number = ++wanted;
  tour.at = at;
  const step = tour.steps[at];
  const query = settingsOf(step);
  // Twice at most, since a link cannot hold every setting; once is not enough where Gradio, whose
  // server was started again, loads the page at its old address meanwhile.
  const tries = tour.loaded === at ? tour.tries : 0;
  const loads = isAway() || (tries < LOADS && needsLoad(query));
  Object.assign(tour, loads ? {loaded: at, tries: tries + 1} : {loaded: null, tries: 0});
  keep(KEY, tour);
  const isWanted = () => number === wanted;
  if (loads) {
    if (bar) draw();
    frame(null); // what this step is about comes with the load
    loadWith(query, isWanted);
    return;
  }
  draw();
  frame(null);
  hide(query.get('hide'));
  uncover();
  delete bar.dataset.done;
  await show(step, query, at, isWanted);
  if (isWanted() && bar) bar.dataset.done = String(at); // for a rehearsal
}

// Goes to a step's place, frames what it is about, and presses what it presses.
async function show(step, query, at, isWanted) {
  const unfound = await goHere(query, isWanted, true);
  if (!isWanted()) return;
  if (unfound) return missing(unfound, query.get(unfound));
  const find = () => visible(step.point);
  const target = step.point && (await awaited(find, isWanted));
  if (!isWanted()) return;
  if (target) frame(target);
  else if (step.point) frameLate(step, find, isWanted);
  // What a step presses is pressed once, however the talk comes to it: not when it comes back, nor
  // after a reload.
  if (tour.pressed.includes(at)) return;
  if (query.has('start') || query.has('press')) await awaited(isSentenceHeard, isWanted);
  if (!isWanted()) return;
  tour.pressed.push(at);
  keep(KEY, tour);
  if (query.get('start') === '1') pressMain(isWanted);
  if (!query.has('press')) return;
  const button = await awaited(() => visible(`${query.get('press')}:is(button)`), isWanted);
  if (!isWanted()) return;
  if (button) button.click();
  else missing('press', query.get('press'));
}

// Closes what stands over the page, or in the place of Start's picture.
function uncover() {
  for (const dialog of document.querySelectorAll('dialog[open]'))
    /** @type {HTMLDialogElement} */ (dialog).close();
  for (const list of document.querySelectorAll('#start [data-do][aria-expanded=true]'))
    /** @type {HTMLElement} */ (list).click();
}

// What comes late, on a slow machine, is framed when it is there.
async function frameLate(step, find, isWanted) {
  missing('@', step.point);
  const target = await awaited(find, isWanted, Infinity);
  if (!isWanted()) return;
  say(step.say);
  frame(target);
}

// --- the audience's sentence, typed once, in every step that shows a text
// Steps keep whether they are shown with it: tour.ours holds the sentence and the places of those
// steps.
onStore(() => {
  if (!tour || !ownSentence()) return;
  tour.ours = {places: [], ...tour.ours, text: ownSentence()};
  keep(KEY, tour);
  if (bar) drawOurs();
});

const takesText = step =>
  ['text', 'prompt'].filter(name => new URLSearchParams(step.link).has(name));
const isWithOurs = at => Boolean(tour.ours?.places.includes(at));

function toggleOurs() {
  const {places} = tour.ours;
  tour.ours.places = isWithOurs(tour.at)
    ? places.filter(at => at !== tour.at)
    : [...places, tour.at];
  tour.pressed = tour.pressed.filter(at => at !== tour.at); // what the step presses is pressed anew
  go(tour.at);
}

function drawOurs() {
  const button = bar.querySelector('.tour-ours');
  button.hidden = !tour.ours || !takesText(tour.steps[tour.at]).length;
  button.setAttribute('aria-pressed', String(isWithOurs(tour.at)));
  button.classList.toggle('on', isWithOurs(tour.at));
  button.title = tour.ours ? `This step with “${tour.ours.text}”` : '';
}

// --- what the room guesses
// While a figure is hidden only their number is shown; how often each was guessed comes with the
// next step.
export function showGuesses(guesses) {
  if (!tour) return;
  tour.guesses = {at: hidden() ? tour.at : tour.guesses?.at, guesses};
  drawGuesses();
}

function drawGuesses() {
  const {at, guesses = []} = tour.guesses ?? {};
  const n = guesses.reduce((sum, [, count]) => sum + count, 0);
  const said = guesses
    .filter(([, count]) => count)
    .toSorted(([, one], [, other]) => other - one)
    .map(([answer, count]) => `${answer} (${count})`)
    .join(', ');
  const texts = {[at]: `Guesses from phones: ${n}`, [at + 1]: `The room guessed: ${said}`};
  bar.querySelector('.tour-guesses').textContent = n ? (texts[tour.at] ?? '') : '';
}

// Reports a step's missing target, to help authors find mistakes.
function missing(name, value) {
  say(
    `${tour.steps[tour.at].say} (This step asks for “${name} ${value}”, which is not shown here.)`,
  );
}

function frame(target) {
  document.querySelector('.tour-target')?.classList.remove('tour-target');
  if (!target) return;
  target.classList.add('tour-target');
  bring(target);
  // Keeps a target in view that grows, or that what grows above it moves, until the visitor
  // scrolls.
  const grown = new ResizeObserver(() =>
    target.classList.contains('tour-target') ? bring(target) : grown.disconnect(),
  );
  for (const item of [target, document.body]) grown.observe(item);
  for (const by of ['wheel', 'touchmove', 'pointerdown'])
    addEventListener(by, () => grown.disconnect(), {once: true});
}

// Centres a target that fits above the bar; of a taller one the top is shown.
function bring(target) {
  const {top, bottom, height} = target.getBoundingClientRect();
  const free = bar?.getBoundingClientRect().top ?? innerHeight;
  const isSeen = top >= ROOM && bottom + ROOM <= free;
  const by = height + 2 * ROOM > free ? top - ROOM : isSeen ? 0 : (top + bottom - free) / 2;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (by) scrollBy({top: by, behavior: still ? 'auto' : 'smooth'});
}

const say = text => {
  bar.querySelector('.tour-say').textContent = text;
};

function draw() {
  if (!bar) build();
  if (!tour) return;
  const last = tour.at === tour.steps.length - 1;
  bar.querySelector('.tour-title').textContent = tour.title;
  bar.querySelector('.tour-at').value = tour.at;
  bar.querySelector('.tour-at').max = tour.steps.length - 1;
  bar.querySelector('.tour-count').textContent = `${tour.at + 1} of ${tour.steps.length}`;
  bar.querySelector('.tour-next').textContent = last ? 'Done' : 'Next';
  bar.querySelector('.tour-back').disabled = tour.at === 0;
  const all = bar.querySelector('.tour-all');
  all.hidden = !last || !(tour.of > tour.steps.length);
  all.textContent = `All ${tour.of} steps`;
  bar.querySelector('.tour-link').hidden = !tour.own;
  drawOurs();
  drawGuesses();
  say(tour.steps[tour.at].say);
  tellSpeaker(tour, turnTour);
}

function build() {
  bar = add(document.body, 'aside', 'u-panel');
  bar.id = 'tour';
  bar.setAttribute('aria-label', 'Guided tour');
  add(bar, 'p', 'tour-say u-type-lg').setAttribute('aria-live', 'polite');
  add(bar, 'p', 'tour-guesses').setAttribute('aria-live', 'polite');
  const row = add(bar, 'div', 'tour-row u-row');
  add(row, 'b', 'tour-title u-muted u-type-xs');
  addButton(row, 'tour-back', 'Back', () => turnTour(-1));
  addButton(row, 'tour-next u-act', 'Next', () => turnTour(1));
  addButton(row, 'tour-all', '', () => showAround(true));
  addButton(row, 'tour-ours', 'With ours', toggleOurs);
  const place = add(row, 'input', 'tour-at');
  Object.assign(place, {type: 'range', min: 0, step: 1});
  place.setAttribute('aria-label', 'Step of the tour');
  place.addEventListener('change', () => go(+place.value));
  add(row, 'span', 'tour-count u-muted u-digits');
  const file = talkField(row);
  addButton(row, 'tour-open', 'Open your own…', () => file.click()).title =
    'A text file: for each step a line like ?tab=generate&seed=3 and a sentence';
  addButton(row, 'tour-link', 'Copy its link', async () => {
    const link = `${location.origin}${location.pathname}#tour=${encodeURIComponent(withoutNotes(tour.own))}`;
    say(await copying(link, 'The link to this tour is on the clipboard.'));
  });
  addButton(row, 'tour-speaker', 'Speaker’s window', () => {
    if (!openSpeaker(turnTour))
      say('The browser blocked the new window. Allow pop-ups for this page, then press again.');
    tellSpeaker(tour, turnTour);
  }).title = 'notes, the next scene and a clock, for another screen; Next there turns this page';
  addButton(row, 'tour-leave', 'Leave', leaveTour);
}
