// Following the page that leads: all that it shows; one click leaves, one returns.
import {awaited} from '../../../shared/view/awaited.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {fill} from '../../../shared/view/fill.js';
import {keep, kept} from '../../../shared/view/kept.js';
import {stateOfView, takePieces, unmet} from '../../../shared/view/link.js';
import {askRoom, offer, offered} from '../../../shared/view/offers.js';
import {goTo} from '../../../shared/view/places.js';
import {drawnName} from '../../../shared/view/plain.js';
import {chooseHead, chooseToken, sentence, showSentence} from '../../../shared/view/store.js';
import {pickedModel, place, visible} from '../../../shared/view/tabs.js';
import {followRun} from '../../../shared/view/workspace.js';
import {chip} from './chip.js';
import {hide} from './hiding.js';

const FOLLOWS = 'gptlens-follows';
// What starts or changes something: not tabs, nor figures, where one points.
const HANDLES =
  '#tabs button:not([role=tab]), #tabs :is(input, textarea, select, label, [contenteditable]), #model';
const ASKED = 450; // milliseconds between two questions
// of a link; the scene has them apart
const SHARED = ['model', 'text', 'prompt', 'layer', 'head', 'token'];

let state = {name: '', follows: true};
let followed = null; // its line
let soon = null; // the timer of the next question
let scene = null; // what the speaker's page shows, as this page was last told
let version = 0; // of the scene
// what the speaker's page has generated, and what of it is shown here
let heard = {number: 0, text: '', shown: ''};
let stood = null; // the state of this page once it showed the scene; null before
let guess = null; // the place of the answer that the visitor guesses
let mayOnlyLook = false;
let round = 0; // of the line of questions: an older one ends
const page = drawnName();

async function look(mine = ++round) {
  const {number, text} = heard;
  const request = {name: state.name, page, version, number, start: text.length, guess};
  const reply = await askRoom('hall', 'follow', request);
  if (!state.follows || mine !== round) return;
  const news = reply?.written;
  if (news) heard = {...heard, number: news.number, text: text.slice(0, news.start) + news.lines};
  if (reply?.scene) {
    version = reply.version;
    const before = scene;
    scene = reply.scene;
    await show(scene, before, () => state.follows && mine === round);
  }
  if (!state.follows || mine !== round) return;
  followRun(scene?.run ?? '');
  mayOnlyLook = Boolean(reply?.state === 'on' && scene?.hands_off);
  showWritten();
  offered('chat')?.show(scene?.chat ?? []);
  tellWhere(reply?.state);
  soon = setTimeout(look, ASKED, mine);
}

// Shows what the speaker's page shows. Who has typed keeps the text until the speaker shows another
// one than before, and who has set something keeps it until the speaker sets something in the same
// view, or goes to another one.
async function show({tab, view, model, text, head, token, link, ...more}, before, isWanted) {
  hide(more.hide);
  showSaid(more.say);
  drawGuesses(more.asks, before?.asks);
  if (model && model !== pickedModel()) {
    offered('open model')?.(model);
    await awaited(() => pickedModel() === model, isWanted);
  }
  const query = new URLSearchParams(link);
  for (const name of SHARED) query.delete(name);
  const isAnother = link !== before?.link;
  if (isAnother) await fill(query, isWanted, () => true);
  if (!isWanted()) return;
  const [tabNow, viewNow] = place();
  if (tab !== tabNow || view !== viewNow) await goTo(new URLSearchParams({tab, view}), isWanted);
  if (text !== before?.text) showSentence(text);
  chooseHead(head);
  chooseToken(token);
  if (more.point && more.point !== before?.point) showPoint(more.point, isWanted);
  if (!isAnother) return;
  takePieces(query, true);
  stood = null;
}

// Scrolls to what the speaker's talk is about, once it is there.
async function showPoint(point, isWanted) {
  const target = await awaited(() => visible(point), isWanted);
  if (isWanted()) target?.scrollIntoView({block: 'center'});
}

// The sentence of the speaker's talk.
function showSaid(sentenceOfTalk) {
  const line = followed.bar.querySelector('.hall-said') ?? document.createElement('p');
  line.className = 'hall-said u-strong';
  line.textContent = sentenceOfTalk;
  line.hidden = !sentenceOfTalk;
  followed.bar.prepend(line);
}

// Shows the text that the speaker's page has generated, under the same prompt.
function showWritten() {
  const here = offered('written');
  if (!here || !heard.text || heard.text === heard.shown || sentence() !== scene?.text) return;
  heard.shown = heard.text;
  if (here.read() !== heard.text) here.show(heard.text);
}

// The buttons of a question to the room: one tap guesses, another one changes the guess.
function drawGuesses(answers, before) {
  if (JSON.stringify(answers) === JSON.stringify(before)) return;
  guess = null;
  followed.bar.querySelector('.hall-guesses')?.remove();
  if (!answers.length) return;
  const row = add(followed.bar, 'div', 'hall-guesses u-row');
  row.setAttribute('role', 'group');
  row.setAttribute('aria-label', 'Your guess');
  add(row, 'b', '', 'Your guess:');
  const buttons = answers.map((answer, i) =>
    addButton(row, '', answer, () => {
      guess = i;
      buttons.forEach((button, k) => {
        button.setAttribute('aria-pressed', String(k === i));
        button.classList.toggle('on', k === i);
      });
    }),
  );
}

// What this page shows, apart from the text and what is chosen in it.
function standing() {
  const settings = Object.entries(stateOfView()).filter(([name]) => !SHARED.includes(name));
  return JSON.stringify(settings);
}

// Whether the visitor has set something in the view that the speaker shows: a field, or what its
// scripts hold.
function isChanged() {
  if (unmet(new URLSearchParams(scene.link), () => true).length) return true;
  if (document.querySelector('#tabs [aria-busy=true]')) return false;
  stood ??= standing();
  return stood !== standing();
}

// Says whether this page shows what the speaker's shows.
function tellWhere(speaker) {
  const [tab, view] = place();
  const isThere =
    tab === scene?.tab && view === scene?.view && (!scene.model || scene.model === pickedModel());
  const isElsewhere = speaker === 'on' && scene && !isThere;
  const isOther = speaker === 'on' && scene && isThere && isChanged();
  const isOwn = scene?.text && sentence() !== scene.text;
  const [, back] = followed.buttons;
  back.hidden = !isElsewhere && !isOther;
  if (speaker === 'left') followed.say('The speaker no longer leads; this page is yours.');
  else if (speaker === 'away') followed.say('The speaker is not connected; reconnecting…');
  else if (!speaker) followed.say('The server does not answer; reconnecting…');
  else if (mayOnlyLook) followed.say('Following the speaker. Hands off: look and point, or leave.');
  else if (isElsewhere) followed.say('You are looking elsewhere.');
  else if (isOther) followed.say('You have set something of your own here.');
  else
    followed.say(
      isOwn ? 'Following the speaker, with a text of your own.' : 'Following the speaker.',
    );
}

function backToSpeaker() {
  heard.shown = '';
  [version, scene] = [0, null];
  clearTimeout(soon);
  look();
}

// On a page that may only look, what a visitor does to a control has no effect; its line says so.
function holdBack(event) {
  if (!mayOnlyLook || !event.isTrusted) return;
  // such as G, which presses the main button
  const isHotKey = event.type === 'keydown' && event.key.length === 1;
  if (!isHotKey && !event.target.closest?.(HANDLES)) return;
  if (event.type === 'keydown' && ['Tab', 'Escape'].includes(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
for (const event of [
  'pointerdown',
  'mousedown',
  'click',
  'keydown',
  'beforeinput',
  'paste',
  'drop',
])
  addEventListener(event, holdBack, {capture: true});

// What a room shows of its question ends with it.
function leaveScene() {
  mayOnlyLook = false;
  followRun('');
  hide('');
  showSaid('');
  drawGuesses([], scene?.asks);
  [version, scene, stood] = [0, null, null];
  clearTimeout(soon);
}

export function stopFollowing() {
  if (!followed) return;
  leaveScene();
  state = {name: '', follows: false};
  keep(FOLLOWS, null);
  followed.remove();
  followed = null;
}

function turn(follows) {
  leaveScene();
  state.follows = follows;
  heard.shown = '';
  followed.buttons[1].hidden = true;
  keep(FOLLOWS, state);
  followed.buttons[0].textContent = follows ? 'Leave' : 'Return to the speaker';
  followed.say(follows ? 'Following the speaker.' : 'On your own.');
  if (follows) look();
}

// Goes on following after a load of the page, or follows by the link.
export function resumeFollowing() {
  // it counts who has solved an exercise
  offer('room', () => (state.name && state.follows ? {name: state.name, page} : null));
  const [linked, before] = [new URLSearchParams(location.search).get('follow'), kept(FOLLOWS)];
  if (before?.name && (!linked || before.name === linked)) state = before;
  if (linked) state.name = linked;
  if (!state.name) return;
  followed = chip('Following the speaker', [
    ['', () => turn(!state.follows)],
    ['Back to the speaker', backToSpeaker],
  ]);
  turn(state.follows);
}
