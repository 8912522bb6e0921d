// The bar of an exercise: its question below the view that it is about, a field for the answer, the
// page's own check.
/** @import {Component} from '../../../shared/view/component' */
/** @import {ExercisesServer} from '../../../shared/view/payloads' */
import {copying} from '../../../shared/view/clipboard.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {linkTo} from '../../../shared/view/link.js';
import {follow, goTo, needsLoad} from '../../../shared/view/places.js';
import {pickedModel, place} from '../../../shared/view/tabs.js';
import {chosenHead, onStore, sentence} from '../../../shared/view/store.js';
import {keep, kept} from '../../../shared/view/kept.js';
import {isSameVisit} from '../../../shared/view/way.js';
import {ownWorkspace} from '../../../shared/view/workspace.js';
import {offer, offered} from '../../../shared/view/offers.js';
import {showResults} from './class_results.js';
import {
  LEVELS,
  after,
  all,
  askServer,
  done,
  headText,
  leftOf,
  linkOf,
  noteDone,
  placeOf,
} from './exercises.js';

const TRIES = 3; // after which a wrong number gets the hint
const KEY = 'gptlens-exercise';
const SILENT = 'The server did not answer. Try again, or reload the page.';
const FIELDS = {
  number: 'a number',
  word: 'a word',
  head: 'a head, such as L3H1',
  text: 'your text',
};

let bar = null;
let open = null; // the exercise that is asked

const note = name => keep(KEY, name && {name, visit: history.state?.visit});

function close() {
  bar?.remove();
  bar = open = null;
  note('');
  const url = new URL(location.href);
  if (!url.searchParams.has('exercise')) return;
  url.searchParams.delete('exercise'); // a reload does not ask it again
  history.replaceState(history.state, '', url);
}

// Goes to the state in which it is asked, and asks.
async function show(name) {
  const exercise = (await all())?.find(item => item.name === name);
  if (!exercise) return;
  note(name);
  const query = new URLSearchParams(exercise.link);
  if (!needsLoad(query)) draw(exercise);
  follow(query);
}

function draw(exercise) {
  bar?.remove();
  open = exercise;
  bar = add(document.body, 'aside', 'u-panel lens-component');
  bar.id = 'exercise';
  bar.setAttribute('aria-label', 'Exercise');
  const head = add(bar, 'div', 'ex-row u-row');
  add(head, 'b', '', exercise.title);
  add(head, 'span', 'ex-place u-muted u-type-sm', placeOf(exercise));
  const tick = add(
    head,
    'span',
    'ex-done u-muted u-type-sm',
    done().has(exercise.name) ? '✓ done' : '',
  );
  addButton(head, 'ex-right', 'Copy link', async () => {
    const link = linkTo(location.href, linkOf(exercise));
    say(await copying(link, 'The link to this exercise is on the clipboard.'));
  });
  addButton(head, '', 'Close', close);
  add(bar, 'p', 'ex-question u-type-lg u-apart', exercise.question);
  watchLeft(add(bar, 'p', 'ex-left u-row u-strong u-apart'), exercise);
  const row = add(bar, 'form', 'ex-row u-row');
  const answer = field(row, exercise);
  add(row, 'button', 'ex-check u-act', 'Check').type = 'submit';
  addButton(row, '', 'Hint', () => say(exercise.hint));
  addButton(row, '', 'Answer', async () => {
    const reply = await askServer('solution', {name: exercise.name});
    if (open === exercise) say(reply ? `${reply.said} ${reply.reason}` : SILENT);
  });
  addButton(row, '', 'Next', async () => show(after(await all(), exercise.name).name));
  const status = add(bar, 'p', 'ex-said u-line u-apart');
  status.setAttribute('role', 'status');
  let tries = 0;
  row.addEventListener('submit', async event => {
    event.preventDefault();
    say('Measuring…');
    const room = offered('room')?.() ?? null;
    const request = {name: exercise.name, answer: answer(), workspace: ownWorkspace(), room};
    const reply = await askServer('check', request);
    if (open !== exercise) return;
    if (!reply) return say(SILENT);
    status.classList.toggle('right', reply.right === true);
    if (reply.right) {
      noteDone(exercise.name);
      tick.textContent = '✓ done';
    }
    const verdict = reply.right ? 'Right. ' : reply.right === null ? '' : 'Not yet. ';
    if (reply.right === false) tries += 1;
    // "Higher" and "lower" would lead to any number without a look at the page.
    if (reply.right === false && exercise.kind === 'number' && tries > TRIES)
      return say(`Not yet. ${exercise.hint}`);
    say(`${verdict}${reply.said} ${reply.reason ?? ''}`);
  });
}

// Says when the page no longer shows what an exercise is about, with the way back.
function watchLeft(line, exercise) {
  line.setAttribute('role', 'status');
  const words = add(line, 'span', '');
  const back = addButton(line, '', 'Back to it', () => {
    const set = new URLSearchParams(exercise.link);
    // what is written is the answer
    if (exercise.kind === 'text') for (const name of ['text', 'prompt']) set.delete(name);
    follow(set);
  });
  const look = () => {
    const left = leftOf(exercise, place(), sentence(), pickedModel());
    if (left !== words.textContent) words.textContent = left; // a reader says it once
    line.hidden = !left;
    back.disabled = line.hidden;
  };
  const timer = setInterval(() => (line.isConnected ? look() : clearInterval(timer)), 500);
  look();
}

const say = text => {
  bar.querySelector('.ex-said').classList.remove('right');
  bar.querySelector('.ex-said').textContent = text;
};

// The field for an answer; gives what reads it.
function field(row, {kind, tab}) {
  if (kind === 'run') return () => '';
  const input = add(row, kind === 'text' ? 'textarea' : 'input', 'ex-field');
  Object.assign(input, {placeholder: FIELDS[kind], autocomplete: 'off', spellcheck: false});
  input.setAttribute('aria-label', 'Your answer');
  if (kind === 'text') input.rows = 2;
  // What is chosen or written in the view is the answer, unless another is written here.
  const [news, now] = kind === 'head' ? ['head', headText(chosenHead())] : ['text', sentence()];
  if (kind === 'head' || (kind === 'text' && tab === 'Start')) {
    input.value = now;
    const stop = onStore(changed => {
      if (!input.isConnected) stop();
      else if (news in changed)
        input.value = kind === 'head' ? headText(changed.head) : changed.text;
    });
  }
  return () => input.value;
}

// The one that was open before the page was loaded again, or that a link asks for.
function wanted() {
  const [linked, before] = [new URLSearchParams(location.search).get('exercise'), kept(KEY)];
  return linked && !isSameVisit(before) ? linked : before?.name || linked;
}

// Goes on with the exercise that is asked, once the server has told which there are.
async function resume() {
  const exercises = await all();
  if (!exercises) return;
  const exercise = exercises.find(item => item.name === wanted());
  if (!exercise) return;
  note(exercise.name);
  draw(exercise);
  if (new URLSearchParams(location.search).get('exercise') !== exercise.name) return;
  const asksFor = new URLSearchParams(exercise.link); // all but the place the server has set
  goTo(
    new URLSearchParams(
      ['tab', 'view', 'choose', 'see'].map(name => [name, asksFor.get(name) ?? '']),
    ),
  );
}

// All exercises, on Start, by level, and what is done.
async function exerciseList(box) {
  box.textContent = '';
  add(box, 'h2', '', 'Exercises');
  const exercises = await all();
  if (!exercises) return void add(box, 'p', '', SILENT);
  const finished = done();
  const n = exercises.filter(exercise => finished.has(exercise.name)).length;
  const counted = `Done in this browser: ${n} of ${exercises.length}.`;
  add(
    box,
    'p',
    'ex-hint u-muted u-type-sm',
    `The page checks an answer by measuring it in the model. ${counted}`,
  );
  for (const [level, name] of Object.entries(LEVELS)) {
    add(box, 'h3', '', `${level} · ${name}`);
    const list = add(box, 'ul', 'u-list');
    for (const entry of exercises.filter(({level: its}) => its === +level)) {
      const item = add(list, 'li', '');
      addButton(item, '', entry.title, () => show(entry.name));
      add(item, 'span', '', entry.question);
      const isDone = finished.has(entry.name) ? ' · ✓ done' : '';
      add(item, 'span', 'ex-place u-muted u-type-sm', placeOf(entry) + isDone);
    }
  }
}

/** @param {Component<string, ExercisesServer>} page */
export function start({server}) {
  offer('exercises server', server);
  offer('exercise', show);
  offer('exercises', exerciseList);
  offer('exercise results', secret =>
    showResults(secret && (() => askServer('results', {secret}))),
  );
  resume();
}
