// Leading the room: this page says what it shows. Following it: the tab, the view, the model, the text and what is
// chosen; one click leaves, one returns.
import {awaited} from '../../../shared/view/awaited.js';
import {held, keep, kept} from '../../../shared/view/kept.js';
import {askRoom, offered} from '../../../shared/view/offers.js';
import {showCode} from '../../../shared/view/dialogs.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {linkFor} from '../../../shared/view/link.js';
import {goTo} from '../../../shared/view/places.js';
import {pickedModel, place} from '../../../shared/view/tabs.js';
import {counted, drawnName} from '../../../shared/view/plain.js';
import {followRun, ownWorkspace, runShown} from '../../../shared/view/workspace.js';
import {chooseHead, chooseToken, chosenHead, chosenToken, sentence, showSentence} from '../../../shared/view/store.js';

const [LEADS, FOLLOWS, HANDS] = ['gptlens-leads', 'gptlens-follows', 'gptlens-hands-off'];
// What starts or changes something: not tabs, nor figures, where one points.
const HANDLES = '#tabs button:not([role=tab]), #tabs :is(input, textarea, select, label, [contenteditable]), #model';
const EVERY = 100; // milliseconds between two looks at what this page shows
const ALIVE = 30; // of those, after which it says again what has not changed
const ASKED = 450; // milliseconds between two questions of a page that follows

// The line at the bottom that says that this page leads or follows; buttons: [text, what it does] each.
function chip(name, buttons) {
  const bar = add(document.body, 'aside', 'hall-chip u-panel u-row lens-component');
  bar.setAttribute('aria-label', name);
  const status = add(bar, 'span', '');
  status.setAttribute('role', 'status');
  const made = buttons.map(([text, press]) => addButton(bar, '', text, press));
  const say = text => status.textContent !== text && (status.textContent = text);
  return {buttons: made, say, remove: () => bar.remove()};
}

// --- leading
let line = null;
let [secret, name, told, rounds] = ['', '', '', 0];
let timer = null;
let written = {number: 0, text: '', known: 0}; // the generated text, and how much of it the server has
let handsOff = false; // whether pages that follow may only look
let model = ''; // what is picked; while a name is typed, what was picked before

async function tell() {
  const [tab, view] = place();
  if (!document.activeElement?.matches('#model input')) model = pickedModel();
  const scene = {
    tab,
    view,
    model,
    text: sentence(),
    head: chosenHead(),
    token: chosenToken(),
    run: runShown(),
    hands_off: handsOff,
  };
  const now = JSON.stringify(scene);
  rounds += 1;
  const part = partWritten();
  if (tab && (now !== told || part || rounds >= ALIVE)) {
    [told, rounds] = [now, 0];
    const led = await askRoom('hall', 'lead', {secret, scene, workspace: ownWorkspace(), written: part ?? sent()});
    if (!line) return;
    if (led) written.known = led.known;
    if (!led) line.say('Leading: the server does not answer; reconnecting…');
    else {
      name = led.name;
      const crowd = led.followers ? `Leading ${counted(led.followers, 'page')}` : 'Leading: nobody is following yet';
      line.say(led.said ? `${crowd}. They do not see this: ${led.said}` : crowd);
    }
  }
  timer = setTimeout(tell, EVERY);
}

const sent = () => ({number: written.number, start: written.known, lines: ''});

// What is new of the text that this page has generated; null for nothing.
function partWritten() {
  const text = offered('written')?.read() ?? '';
  if (!text.startsWith(written.text) || written.known > text.length)
    written = {number: written.number, text: '', known: 0};
  const isAnother = written.text === '' && text !== '';
  written = {number: written.number + (isAnother ? 1 : 0), text, known: written.known};
  if (!text || written.known === text.length) return null;
  return {number: written.number, start: written.known, lines: text.slice(written.known)};
}

async function code() {
  if (!name) return line.say('Leading: the server has not answered yet; press again in a moment');
  const link = linkFor({follow: name});
  showCode(link, await offered('hall').code({link}));
}

export async function startLeading(given = '') {
  if (line) return;
  stopFollowing(); // who leads does not follow
  const before = typeof given === 'string' && given ? given : drawnName();
  // A duplicated tab has a copy of the secret, which the other one holds: it leads under a name of its own, so that
  // pages that follow see one speaker.
  secret = (await held(`${LEADS}-${before}`)) ? before : drawnName();
  if (line) return;
  keep(LEADS, secret);
  [told, rounds, name] = ['', 0, ''];
  written = {number: Date.now(), text: '', known: 0}; // no number of this page before a load of it
  line = chip('Leading the room', [
    ['Code for phones', code],
    ['Hands off', () => setHandsOff(!handsOff)],
    ['End', stopLeading],
  ]);
  setHandsOff(kept(HANDS) ?? false);
  line.say('Leading: beginning…');
  await tell();
}

function setHandsOff(on) {
  handsOff = on;
  keep(HANDS, on || null);
  const [, button] = line.buttons;
  button.setAttribute('aria-pressed', String(on));
  button.classList.toggle('on', on);
  button.title = 'Pages that follow can look and point, and not start or change anything';
}

function stopLeading() {
  clearTimeout(timer);
  askRoom('hall', 'lead', {secret, scene: null, workspace: null, written: null});
  line.remove();
  [line, secret] = [null, ''];
  keep(LEADS, secret);
}

// --- following
let state = {name: '', follows: true};
let followed = null; // its line
let soon = null; // the timer of the next question
let scene = null; // what the speaker's page shows, as this page was last told
let version = 0; // of the scene
let heard = {number: 0, text: '', shown: ''}; // what the speaker's page has generated, and what of it is shown here
let round = 0; // of the line of questions: an older one ends
const page = drawnName();

async function look(mine = ++round) {
  const {number, text} = heard;
  const request = {name: state.name, page, version, number, start: text.length};
  const reply = await askRoom('hall', 'follow', request);
  if (!state.follows || mine !== round) return;
  const news = reply?.written;
  if (news) heard = {...heard, number: news.number, text: text.slice(0, news.start) + news.lines};
  if (reply?.scene) {
    version = reply.version;
    const before = scene;
    scene = reply.scene;
    await show(scene, before);
  }
  if (!state.follows || mine !== round) return;
  followRun(scene?.run ?? '');
  mayOnlyLook = Boolean(reply?.state === 'on' && scene?.hands_off);
  showWritten();
  tellWhere(reply?.state);
  soon = setTimeout(look, ASKED, mine);
}

// Shows the text that the speaker's page has generated, under the same prompt.
function showWritten() {
  const here = offered('written');
  if (!here || !heard.text || heard.text === heard.shown || sentence() !== scene?.text) return;
  heard.shown = heard.text;
  if (here.read() !== heard.text) here.show(heard.text);
}

// Says whether this page shows what the speaker's shows.
function tellWhere(speaker) {
  const [tab, view] = place();
  const isElsewhere = speaker === 'on' && scene && (tab !== scene.tab || view !== scene.view || !isModel(scene.model));
  const isOwn = scene?.text && sentence() !== scene.text;
  const [, back] = followed.buttons;
  back.hidden = !isElsewhere;
  if (speaker === 'left') followed.say('The speaker no longer leads; this page is yours.');
  else if (speaker === 'away') followed.say('The speaker is not connected; reconnecting…');
  else if (!speaker) followed.say('The server does not answer; reconnecting…');
  else if (mayOnlyLook) followed.say('Following the speaker. Hands off: look and point, or leave.');
  else if (isElsewhere) followed.say('You are looking elsewhere.');
  else followed.say(isOwn ? 'Following the speaker, with a text of your own.' : 'Following the speaker.');
}

const isModel = given => !given || given === pickedModel();

// Shows what the speaker's page shows. Who has typed keeps the text until the speaker shows another one than before.
async function show({tab, view, model: picked, text, head, token}, before) {
  if (picked && picked !== pickedModel()) {
    offered('open model')?.(picked);
    await awaited(() => pickedModel() === picked);
  }
  const [tabNow, viewNow] = place();
  if (tab !== tabNow || view !== viewNow) await goTo(new URLSearchParams({tab, view}));
  if (text !== before?.text) showSentence(text);
  chooseHead(head);
  chooseToken(token);
}

function backToSpeaker() {
  heard.shown = '';
  [version, scene] = [0, null];
  clearTimeout(soon);
  look();
}

// On a page that may only look, what a visitor does to a control has no effect; its line says so.
let mayOnlyLook = false;
function holdBack(event) {
  if (!mayOnlyLook || !event.isTrusted) return;
  const isHotKey = event.type === 'keydown' && event.key.length === 1; // such as G, which presses the main button
  if (!isHotKey && !event.target.closest?.(HANDLES)) return;
  if (event.type === 'keydown' && ['Tab', 'Escape'].includes(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
for (const event of ['pointerdown', 'mousedown', 'click', 'keydown', 'beforeinput', 'paste', 'drop'])
  addEventListener(event, holdBack, {capture: true});

function stopFollowing() {
  mayOnlyLook = false;
  followRun('');
  state = {name: '', follows: false};
  keep(FOLLOWS, null);
  clearTimeout(soon);
  followed?.remove();
  followed = null;
}

function turn(follows) {
  state.follows = follows;
  heard.shown = '';
  if (!follows) followRun('');
  mayOnlyLook = false;
  [version, scene] = [0, null];
  followed.buttons[1].hidden = true;
  keep(FOLLOWS, state);
  followed.buttons[0].textContent = follows ? 'Leave' : 'Return to the speaker';
  clearTimeout(soon);
  followed.say(follows ? 'Following the speaker.' : 'On your own.');
  if (follows) look();
}

// Goes on after a load of the page, or follows by the link.
export function resume() {
  if (kept(LEADS)) {
    startLeading(kept(LEADS));
    return;
  }
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
