// Records what happens on the page, and replays it with no model and no network. Every component is started here.
import {look} from './connection.js';
import {add, addButton, saveText} from './page.js';
import {goTo, place} from './places.js';
import {finished, isFlow, isRecorded, newTape, noteAnswer, noteValue, noteView, player, talkText} from './recording.js';

const SPEEDS = {'half speed': 0.5, 'as it was': 1, '2 times as fast': 2, '4 times as fast': 4, 'at once': Infinity};
const FIELDS = ['textarea', 'input[type=text]', 'input[type=number]', 'input:not([type])'];
const FRAME = 40; // milliseconds between two replay ticks

const CHOICE = ' choice'; // behind a component's id: what is chosen in it, which its value does not say

const taps = new Map(); // components by their ids: {live, watchers, over, again, choice, choose}
let tape = null;
let began = 0;
let made = null; // {recording, say, saved} of what has been recorded and not thrown away
let replay = null; // {player, recording, held, since, speed, timer, fields: what stood in them before}
let bar = null;
let ticking = 0;

const elapsed = () => Math.round(performance.now() - began);

// Whether a component is being replayed; all others stay live.
const replays = id => Boolean(replay?.player.ids.has(id));

const first = new Map(); // values that the page only names, by those names
const valueOf = context => first.get(context.props.value) ?? context.props.value;

// Starts a component, with its initial value if the page holds only its name. A component that polls returns a function
// that refetches everything; one with a selection passes `choices` a function that selects, and gets a callback that
// reports selections as JSON.
export function begin(id, start, context, [named, value] = []) {
  if (named) first.set(named, value);
  const tap = {live: context, watchers: [], over: replay?.player.values.get(id)};
  taps.set(id, tap);
  tap.again = start({
    given: {},
    ...context,
    props: {
      get value() {
        return tap.over ?? valueOf(context);
      },
    },
    server: new Proxy({}, {get: (_, name) => asked => ask(id, tap, name, asked)}),
    trigger: (name, data) =>
      replays(id) ? say('This is a replay. Leave it to go on with the model.') : context.trigger(name, data),
    // Speed factor for components that poll.
    pace: () => (replays(id) ? replay.speed : 1),
    choices(choose) {
      tap.choose = choose;
      const already = replay?.player.values.get(id + CHOICE); // before its tab was opened
      if (already) queueMicrotask(() => choose(already));
      return choice => {
        tap.choice = choice;
        if (tape) noteValue(tape, elapsed(), id + CHOICE, choice);
      };
    },
    watch(name, changed) {
      tap.watchers.push(changed);
      context.watch(name, () => {
        note(id, tap);
        if (tap.over === undefined) changed();
      });
    },
  });
}

function note(id, tap) {
  if (tape && !tap.again) noteValue(tape, elapsed(), id, String(valueOf(tap.live) ?? ''));
}

async function ask(id, tap, name, asked) {
  if (replays(id) && isRecorded(name)) return answered(id, name, asked);
  const [mine, at] = [tape, performance.now()];
  const answer = await tap.live.server[name](asked).catch(() => undefined);
  if (answer === undefined) look(); // no answer at all: is the server there?
  else if (mine && mine === tape && isRecorded(name) && at >= began)
    noteAnswer(tape, elapsed(), id, name, asked, answer);
  return answer;
}

// --- recording
// The text fields of the open tab that have names, as [selector, node].
function fields() {
  const kinds = FIELDS.map(kind => `#tabs ${kind}`).join();
  return [...document.querySelectorAll(kinds)].flatMap(node => {
    const box = node.offsetParent && node.closest('[id]:not([id^=component-]):not(#tabs)');
    const selector = box && `#${CSS.escape(box.id)} ${FIELDS.find(kind => node.matches(kind))}`;
    return selector && document.querySelector(selector) === node ? [[selector, node]] : [];
  });
}

function noteFields() {
  for (const [selector, node] of fields()) noteValue(tape, elapsed(), selector, node.value);
}

export const isRecording = () => tape !== null;

export function record() {
  leaveReplay();
  const model = document.querySelector('#model input')?.value ?? '';
  const [tab, view] = place();
  tape = newTape({title: `${tab}, ${model}`, model, date: new Date().toISOString().slice(0, 10)});
  began = performance.now();
  noteView(tape, 0, tab, view);
  for (const [id, tap] of taps) {
    if (tap.again) tap.again();
    else noteValue(tape, 0, id, String(valueOf(tap.live) ?? ''));
    if (tap.choice) noteValue(tape, 0, id + CHOICE, tap.choice);
  }
  noteFields();
  drawRecording();
}

document.addEventListener('click', (/** @type {any} */ event) => {
  if (!tape || !event.target.closest?.('#tabs [role=tab]')) return;
  setTimeout(() => tape && noteView(tape, elapsed(), ...place()), 0);
});

// Ends the recording, which can then be looked at, saved or thrown away.
export function stopRecording() {
  noteFields();
  const isShown = id => id.startsWith('#') || taps.get(id.replace(CHOICE, '')).live.element.offsetParent !== null;
  made = {recording: finished(tape, elapsed(), isShown), say: '', saved: false};
  tape = null;
  drawMade();
}

// Throws away what is being recorded, or else what has been.
function discard() {
  if (!tape) made = null;
  tape = null;
  close();
  if (made) drawMade();
}

// Guards an unsaved recording against closing the page.
addEventListener('beforeunload', event => {
  if (tape || (made && !made.saved)) event.preventDefault();
});

// --- replaying
const clock = () => {
  const {held, since, speed, recording} = replay;
  const run = since === null ? 0 : (performance.now() - since) * speed;
  return Math.min(held + (Number.isNaN(run) ? 0 : run), recording.length);
};

export function play(recording) {
  if (tape) stopRecording();
  leaveReplay();
  const begins = {held: 0, since: performance.now(), speed: 1};
  replay = {player: player(recording), recording, ...begins, timer: 0, fields: new Map()};
  replay.timer = setInterval(due, FRAME);
  again();
  drawReplay();
  due();
}

function again() {
  for (const id of replay.player.ids) taps.get(id)?.again?.();
}

// Gives a component what was recorded of it.
function show(id, value) {
  const tap = taps.get(id.replace(CHOICE, ''));
  if (!tap) return; // its tab has not been opened yet
  if (id.endsWith(CHOICE)) tap.choose?.(value);
  else {
    tap.over = value;
    for (const redraw of tap.watchers) redraw();
  }
}

function due() {
  const now = clock();
  const {changed, view} = replay.player.advance(now);
  if (view) goTo(new URLSearchParams({tab: view[0], view: view[1]}));
  let fits = true;
  for (const id of changed) {
    try {
      show(id, replay.player.values.get(id));
    } catch {
      fits = false;
    }
  }
  fillIn();
  tellTime(now);
  if (!fits) say('A part of this recording does not fit this page: it may be from another version.');
}

// Fills the fields without firing events: their effects are in the recording.
function fillIn() {
  for (const [selector, node] of fields()) {
    const value = replay.player.values.get(selector);
    if (value === undefined || node.value === value) continue;
    if (!replay.fields.has(node)) replay.fields.set(node, node.value);
    node.value = value;
  }
}

// The answer of the recording, at its time; nothing once the replay is left, or begins anew.
async function answered(id, name, asked) {
  const mine = replay.player;
  const found = mine.answer(id, name, asked, clock());
  if (!found && !isFlow(name)) {
    if (!taps.get(id)?.again) say('This view was not open in the recording. Leave the replay to ask the model.');
    return undefined;
  }
  const isCurrent = () => replay?.player === mine;
  const isDue = () => found && clock() >= found.ms;
  while (isCurrent() && !isDue()) await new Promise(done => setTimeout(done, FRAME));
  return isCurrent() ? found.answer : undefined;
}

function pauseOrGoOn() {
  const now = clock();
  if (now >= replay.recording.length) rewind();
  else Object.assign(replay, {held: now, since: replay.since === null ? performance.now() : null});
  tellTime(clock());
}

function rewind() {
  Object.assign(replay, {player: player(replay.recording), held: 0, since: performance.now()});
  again();
}

function setSpeed(speed) {
  const held = speed === Infinity ? replay.recording.length : clock();
  Object.assign(replay, {held, speed, since: replay.since === null ? null : performance.now()});
}

// Leaves the replay: every component shows its last live value again.
export function leaveReplay() {
  if (!replay) return;
  clearInterval(replay.timer);
  for (const [node, value] of replay.fields) node.value = value;
  const {ids} = replay.player;
  replay = null;
  for (const id of ids) {
    const tap = taps.get(id);
    if (!tap) continue;
    tap.over = undefined;
    if (tap.again) tap.again();
    else for (const redraw of tap.watchers) redraw();
  }
  close();
  if (made) drawMade();
}

export const isReplaying = () => replay !== null;

// --- the bar
const seconds = ms => `${(ms / 1000).toFixed(0)} s`;

function say(text) {
  const said = bar?.querySelector('.replay-said');
  if (said) said.textContent = text;
}

function close() {
  clearInterval(ticking);
  bar?.remove();
  bar = null;
}

function open(label) {
  close();
  bar = add(document.body, 'aside', '');
  Object.assign(bar, {id: 'replay', className: 'lens-component'});
  bar.setAttribute('aria-label', label);
  return add(bar, 'div', 'tour-row');
}

function drawRecording() {
  const row = open('Recording');
  add(row, 'b', 'replay-name', '● Recording');
  const at = add(row, 'span', 'replay-at', '0 s');
  addButton(row, 'lens-plain tour-next', 'Done', stopRecording);
  addButton(row, 'lens-plain', 'Discard', discard);
  ticking = setInterval(() => {
    at.textContent = seconds(performance.now() - began);
    noteFields();
  }, 250);
}

function drawMade() {
  const mine = made;
  const row = open('A recording');
  add(row, 'b', 'replay-name', `Recorded ${seconds(mine.recording.length)}`);
  const sentence = add(row, 'input', 'replay-say lens-plain');
  Object.assign(sentence, {type: 'text', placeholder: 'A sentence for the talk', value: mine.say});
  sentence.setAttribute('aria-label', 'A sentence that the talk shows with this recording');
  sentence.addEventListener('input', () => {
    Object.assign(mine, {say: sentence.value, saved: false});
  });
  addButton(row, 'lens-plain', 'Replay it', () => play(mine.recording));
  addButton(row, 'lens-plain tour-next', 'Save', () => {
    const {title} = mine.recording;
    saveText('talk.json', 'application/json', talkText(title, [{say: mine.say || title, recording: mine.recording}]));
    mine.saved = true;
  });
  addButton(row, 'lens-plain', 'Discard', discard);
}

function drawReplay() {
  const {title, date} = replay.recording;
  const row = open('Replay');
  add(row, 'b', 'replay-name', 'Replay');
  add(row, 'span', 'replay-what', [title, date].filter(Boolean).join(', '));
  add(row, 'span', 'replay-at');
  addButton(row, 'replay-hold lens-plain', '', pauseOrGoOn);
  const chosen = add(row, 'select', 'replay-speed lens-plain');
  chosen.setAttribute('aria-label', 'Speed');
  for (const [name, value] of Object.entries(SPEEDS)) add(chosen, 'option', '', name).selected = value === replay.speed;
  chosen.addEventListener('change', () => setSpeed(SPEEDS[chosen.value]));
  addButton(row, 'lens-plain', 'Leave', leaveReplay);
  add(bar, 'p', 'replay-said').setAttribute('role', 'status');
}

// Where the replay is, and what its button does there.
function tellTime(now) {
  const {length} = replay.recording;
  bar.querySelector('.replay-at').textContent = `${seconds(now)} of ${seconds(length)}`;
  bar.querySelector('.replay-hold').textContent = now >= length ? 'Again' : replay.since === null ? 'Go on' : 'Pause';
}
