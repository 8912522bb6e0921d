// Live sentence: edit any word, accept any guess; arcs show attention.
// Model text goes into the page by textContent alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {Sentence, StartServer} from '../../../shared/view/payloads' */
import {counted, percent} from '../../../shared/view/plain.js';
import {onTools} from '../../../shared/view/dom.js';
import {offer} from '../../../shared/view/offers.js';
import {holdsState, linked} from '../../../shared/view/link.js';
import {goTo} from '../../../shared/view/places.js';
import {chooseHead, chooseToken, chosenHead, chosenToken} from '../../../shared/view/store.js';
import {onStore, sentence, setSentence, typeSentence, valueOf} from '../../../shared/view/store.js';
import {askWhy} from '../../../shared/view/why.js';
import {machinePicture} from '../../../shared/view/machine.js';
import {sentenceEditor} from './editor.js';
import {guessBars, readSettings, written} from './guesses.js';
import {panels, questions} from './panels.js';
import {story} from './story.js';
import {PAUSE, SLOW, fly} from './writer.js';

const [TRIES, AGAIN] = [3, 1500]; // of a look at another token, and milliseconds between two
const TYPED = 250; // milliseconds after the last key until a text is read
const WRITES = 12; // words after a change
const PART = /^L\d{1,5}(H\d{1,5}|-attention|-mlp)$/; // the name of a part in a link
const NO_ANSWER = 'The server did not answer. Try again, or reload the page.';
const FULL = 'The text has reached its limit here. Start over, or open Generate for a whole story.';

/** @type {Component<Sentence, StartServer>} */
let page;
// the parts of the view: the sentence, the model, the story, the guesses
let editor, picture, told, guesses;
let data = null; // the sentence as it was read; null where none can be
let model = ''; // that of the last sentence that could be read
let tried = ''; // the sentence that was read last; the model may write it otherwise
// the word whose looks are drawn, -1 the last; the word whose alternatives are open
let [pointed, opened] = [-1, -1];
let isPlayed = false; // whether the picture has played its steps once
// the newest question about another token, and of all; older answers are dropped
let [looking, asking] = [0, 0];
let isRead = true; // whether the page shows what stands in the field
let reading = Promise.resolve(); // until it does
let waiting = 0; // the timer of what is typed
// words still to be written; the number of the newest writing, an older one ends
let [left, writing] = [0, 0];
const before = []; // sentences, for Back
let begun = null; // where the dice were rolled first: {ids, n}, n words from there
const without = new Set(); // names of the parts that are switched off, such as L5H6
const settings = readSettings(linked); // of the draw: temperature, topK, seed

const find = name => page.element.querySelector('.st-' + name);
const button = name => page.element.querySelector(`[data-do=${name}]`);
const say = text => (find('said').textContent = text);
const ids = () => data.tokens.map(token => token.id);
const off = () => [...without].join() || 'none';

// --- which question the view answers: the text, and the token whose picture is drawn, null for the last
const tokenOf = place => (place === null || place >= data.tokens.length - 1 ? null : place);
const asks = (text, token = null) => page.answer.about({text, token});
const answers = (text, token = null) =>
  page.answer.answer(page.answer.questionAbout({text, token}));

// The sentence on Start, kept when another model or checkpoint is picked: JSON of {model, ids,
// own}, by which model it was cut, and whether the visitor has changed it; "" before there is one.
let held = '';
export const heldSentence = () => held;

// --- what is asked of the server
// The picture of another token; the words stay as they are.
async function lookAt(place, tries = TRIES) {
  const [number, mine, of] = [asking, ++looking, ids()];
  asks(data.text, tokenOf(place));
  const answer = await page.server.guesses({model: data.model, ids: of, at: place, without: off()});
  if (number !== asking || mine !== looking || !data || ids().join() !== of.join()) return;
  if (answer) {
    data.machine = JSON.parse(answer).machine;
    drawMachine();
    answers(data.text, tokenOf(place));
  } else if (tries > 1)
    setTimeout(() => mine === looking && data && lookAt(place, tries - 1), AGAIN); // it may be full
}

// A token that is chosen elsewhere, or by a link, stays chosen when the sentence has been read.
function lookAtChosen() {
  if (chosenToken() !== null) lookAt(Math.min(chosenToken(), data.tokens.length - 1));
}

// Reads what stands in the box; an older answer is dropped.
async function read(text) {
  const number = ++asking;
  tried = text;
  asks(text);
  pause();
  if (!editor.isTyped()) editor.show(text);
  const answer = await page.server.typed({model: data?.model ?? model, text, without: off()});
  if (number !== asking) return;
  const reply = answer ? JSON.parse(answer) : {message: NO_ANSWER};
  say(reply.message ?? '');
  if (reply.message) return;
  if (data) before.push(ids());
  take(reply, false);
  lookAtChosen();
}

async function ask(wanted, isBack = false) {
  const number = ++asking;
  const answer = await page.server.guesses({
    model: data.model,
    ids: wanted,
    at: null,
    without: off(),
  });
  if (number !== asking) return false;
  if (answer) take(JSON.parse(answer), true, isBack);
  else {
    pause();
    say(NO_ANSWER);
  }
  return Boolean(answer);
}

async function change(wanted, writes) {
  // a guess about the text before: what is typed stays
  if (!isRead) return void read(editor.text());
  before.push(ids());
  pause();
  say('');
  if ((await ask(wanted)) && writes) throwDice(writes);
}

// Whether the page shows what stands in the field; where it could not be read, it is tried again.
async function isShown() {
  await reading;
  if (!isRead) await read(editor.text());
  return isRead;
}

async function next() {
  if (!(await isShown())) return;
  before.push(ids());
  say('');
  await throwDice(1);
}

// Writes n words by the dice, which begin anew here.
function throwDice(n) {
  begun = {ids: ids(), n};
  return write(n);
}

// Goes back to where the dice were rolled, and rolls them again.
async function repeat() {
  if (!begun) return;
  pause();
  say('');
  const {ids: from, n} = begun;
  before.push(ids());
  if (await ask(from)) throwDice(n);
}

// Switches a part of the model off, or on again.
function toggle(name) {
  if (!without.delete(name)) without.add(name);
  const [, layer, head] = /^L(\d+)H(\d+)$/.exec(name) ?? [];
  if (head) chooseHead([+layer, +head]); // Attention opens on it
  switched();
}

async function switched() {
  pause();
  if (await ask(ids())) lookAtChosen();
}

function append(id) {
  if (data.full) say(FULL);
  else change([...ids(), id], 0);
}

// --- it writes on by itself: one token after another, each drawn from the guesses that the page shows
function pause() {
  left = 0;
  writing += 1;
  drawPlay();
}

async function write(n) {
  const mine = ++writing;
  const goesOn = () => mine === writing && left > 0 && page.element.isConnected;
  left = n;
  drawPlay();
  while (goesOn()) {
    if (data.full) say(FULL);
    const drawn = data.full ? undefined : await guesses.roll();
    if (!drawn || mine !== writing) break;
    const {row, choice, p} = drawn;
    const word = guesses.textOf(choice);
    say(n === 1 ? `The dice fell on “${word}”, which had ${percent(p)}.` : '');
    if (choice[2] === data.end) {
      say('The dice fell on the end of the text.');
      break;
    }
    left -= 1;
    picture.beat();
    await fly(row, editor.last());
    if (mine !== writing || !(await ask([...ids(), choice[2]]))) break;
    const isSlow = button('slow').getAttribute('aria-pressed') === 'true';
    if (goesOn()) await new Promise(done => setTimeout(done, isSlow ? SLOW : PAUSE));
  }
  if (mine === writing) pause();
}

// --- what is drawn
function drawPlay() {
  const [play, writes] = [find('play'), left > 0];
  play.textContent = writes ? 'Pause' : 'Let it write';
  play.classList.toggle('on', writes);
  for (const name of ['back', 'again']) button(name).hidden = !writes && !before.length;
  for (const name of ['same', 'other']) button(name).hidden = writes || !begun;
  button('whole').hidden = !without.size;
  button('slow').hidden = !writes;
  // not read out after every word
  find('conclusion').setAttribute('aria-live', writes ? 'off' : 'polite');
}

function drawMachine() {
  find('conclusion').textContent = data.machine.said;
  picture.draw(data, chosenHead());
}

function drawArcs(from = pointed) {
  pointed = from;
  if (data) editor.look(pointed >= 0 ? pointed : opened, data.arcs);
}

function drawBars() {
  button('why').textContent = `Why this ${data.unit}?`;
  find('next').querySelector('h2').textContent = `Its guesses for the next ${data.unit}`;
  guesses.draw(data);
}

// A sentence that was read; intoBox: whether the other tabs' boxes take it, too; isNew: whether it
// takes the place of what is typed.
function take(fresh, intoBox = true, isNew = false) {
  data = fresh;
  pointed = opened = -1;
  isRead = true;
  without.clear(); // the parts of it that this model has
  for (const name of data.without) without.add(name);
  held = JSON.stringify({model: data.model, ids: ids(), own: before.length > 0});
  // also what was taken back: it would be read anew at the next resize
  if (intoBox) setSentence(data.text, hear);
  asks(data.text);
  answers(data.text);
  drawMachine();
  editor.draw(data, isNew);
  editor.toEnd();
  drawBars();
  drawArcs();
  drawPlay();
  told.redraw();
  // as the page opens; the style sheet keeps it still for who asked for that
  if (!isPlayed) picture.beat();
  isPlayed = true;
}

// --- what the view hears
function sync() {
  asking += 1;
  pause();
  const was = data ? ids().join() : '';
  data = null;
  if (!page.props.value) return editor.show(sentence()); // what the link sets is on its way
  const value = JSON.parse(page.props.value);
  model = value.model ?? model;
  // The same sentence at another moment of the training: what the visitor did to it can still be
  // taken back.
  if (value.message || value.tokens.map(token => token.id).join() !== was) before.length = 0;
  if (value.message) {
    editor.clear(value.message);
    picture.clear();
    find('conclusion').textContent = '';
    guesses.clear();
    return;
  }
  const arcs = 'Arcs: which earlier words it looks back at from the underlined one';
  say(value.note || `${arcs}, by ${counted(value.heads, 'attention head')}.`);
  // What the visitor has written elsewhere, or before a reload, is read in its place, and nothing
  // else is drawn.
  if (sentence() && sentence() !== value.text && !value.note) {
    if (!before.length) before.push(value.tokens.map(token => token.id));
    read(sentence());
    return;
  }
  if (without.size) {
    data = value; // nothing is drawn of the whole model
    switched();
    return;
  }
  take(value, false);
  lookAtChosen();
}

function hear(news) {
  if ('head' in news && data) drawMachine();
  if ('token' in news && data) lookAt(news.token ?? data.tokens.length - 1);
  if (!('text' in news) || news.text === editor.text()) return;
  editor.show(news.text);
  if (page.element.getClientRects().length) read(news.text);
}

function typed(text) {
  clearTimeout(waiting);
  pause();
  asking += 1; // an answer on its way would overwrite what is typed
  isRead = false;
  asks(text);
  typeSentence(text, hear);
  reading = new Promise(done => {
    waiting = setTimeout(() => read(text).then(done), TYPED);
  });
}

// The alternatives of a word are open, or no longer (null).
function open(i) {
  pause();
  opened = i ?? -1;
  if (!data) return;
  chooseToken(i === data.tokens.length - 1 ? null : i);
  drawArcs(opened);
}

function turned(pressed) {
  const on = pressed.getAttribute('aria-pressed') !== 'true';
  pressed.setAttribute('aria-pressed', on);
  return on;
}

const tools = {
  next,
  slow: event => turned(event.target),
  why: () => askWhy(isRead ? data.text : editor.text()),
  async play() {
    if (left) return pause();
    if (!(await isShown())) return;
    before.push(ids());
    say('');
    throwDice(WRITES);
  },
  same: repeat,
  other() {
    guesses.newSeed();
    repeat();
  },
  whole() {
    without.clear();
    switched();
  },
  step: () => picture.step(),
  back() {
    pause();
    const earlier = before.pop();
    if (earlier) ask(earlier, true);
    else say('This is where it began.');
  },
  again() {
    before.length = 0;
    begun = null;
    without.clear();
    setSentence(JSON.parse(page.props.value).text ?? '', hear);
    sync();
  },
};

/** @param {Component<Sentence, StartServer>} given */
export function start(given) {
  page = given;
  const {element, watch} = page;
  // A changed sentence is read by this script; only another model is opened by an event.
  const openModel = page.answer.ask;
  page.answer.ask = () => model !== valueOf('model') && openModel();
  told = story(find('story'), page.server, () => data?.tokens);
  picture = machinePicture(element.querySelector('.mc-box'), element.querySelector('.mc-said'), {
    go: way => {
      if (isRead) setSentence(data.text, hear); // the view opens on the same sentence
      goTo(new URLSearchParams(way));
    },
    look: place => chooseToken(place < data.tokens.length - 1 ? place : null),
    isOff: name => without.has(name),
    toggle,
    next,
    choose: head => chooseHead(head),
  });
  const replaced = (i, id) => change([...ids().slice(0, i), id], WRITES);
  // What is typed and not yet read is the browser's to take back.
  const undone = () => {
    if (!before.length || !isRead) return false;
    tools.back();
    return true;
  };
  const look = i => data && drawArcs(i);
  editor = sentenceEditor(find('line'), {typed, pointed: look, opened: open, replaced, undone});
  const partsInLink = () => (linked('without') ?? '').split(',').filter(name => PART.test(name));
  for (const name of partsInLink()) without.add(name);
  const taken = ([, , id]) => (id === data.end ? say('Here it would end its text.') : append(id));
  guesses = guessBars(find, settings, {
    taken,
    changed: pause,
    another: request => page.server.another(request),
  });
  holdsState(
    'start/',
    {
      without: () => (without.size ? off() : null),
      start_temperature: () => written(settings).start_temperature,
      start_top_k: () => written(settings).start_top_k,
      dice: () => written(settings).dice,
    },
    () => {
      const parts = partsInLink();
      const isSame = parts.length === without.size && parts.every(name => without.has(name));
      Object.assign(settings, readSettings(linked));
      guesses.reshape();
      if (isSame) return;
      without.clear();
      for (const name of parts) without.add(name);
      if (data && isRead) switched();
    },
  );
  offer('guesses', () => (element.clientWidth ? guesses.answers() : []));
  onStore(hear);
  // A sentence from another tab is read once Start is open again.
  new ResizeObserver(() => {
    if (
      data &&
      sentence() &&
      sentence() !== data.text &&
      sentence() !== tried &&
      element.clientWidth
    )
      read(sentence());
  }).observe(element);
  onTools(element, () => data && tools);
  panels(element, find, told.open);
  questions(find('questions'), find('search'), page.given.questions);
  new ResizeObserver(() => drawArcs()).observe(editor.words);
  watch('value', sync);
  sync();
}
