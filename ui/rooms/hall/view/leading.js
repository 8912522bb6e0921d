// Leading the room: this page says what it shows, and hears what the room answers.
import {showCode} from '../../../shared/view/dialogs.js';
import {held, keep, kept} from '../../../shared/view/kept.js';
import {LONGEST_TEXT, linkFor, stateOfView} from '../../../shared/view/link.js';
import {askRoom, offered} from '../../../shared/view/offers.js';
import {counted, drawnName} from '../../../shared/view/plain.js';
import {chosenHead, chosenToken, sentence} from '../../../shared/view/store.js';
import {pickedModel, place} from '../../../shared/view/tabs.js';
import {ownWorkspace, runShown} from '../../../shared/view/workspace.js';
import {chip} from './chip.js';
import {resumeFollowing, stopFollowing} from './following.js';
import {hidden} from './hiding.js';
import {pointNow, sayNow, showGuesses} from './tour.js';

const [LEADS, HANDS] = ['gptlens-leads', 'gptlens-hands-off'];
const EVERY = 100; // milliseconds between two looks at what this page shows
const ALIVE = 30; // of those, after which it says again what has not changed
const ASKING = 5; // the same while the room is asked something

let line = null;
let secret = '';
let name = '';
let told = '';
let rounds = 0;
let timer = null;
// the generated text, and how much of it the server has
let written = {number: 0, text: '', known: 0};
let handsOff = false; // whether pages that follow may only look
let model = ''; // what is picked; while a name is typed, what was picked before

// The state of the view; a longer text than a link holds stays here.
function link() {
  const settings = Object.entries(stateOfView()).filter(
    ([, value]) => String(value).length <= LONGEST_TEXT,
  );
  return new URLSearchParams(settings).toString();
}

function sceneNow() {
  const [tab, view] = place();
  if (!document.activeElement?.matches('#model input')) model = pickedModel();
  const asks = hidden() ? (offered('guesses')?.() ?? []) : [];
  return {
    tab,
    view,
    model,
    text: sentence(),
    head: chosenHead(),
    token: chosenToken(),
    run: runShown(),
    link: link(),
    hands_off: handsOff,
    say: sayNow(),
    point: pointNow(),
    hide: hidden(),
    asks,
    chat: offered('chat')?.read() ?? [],
  };
}

async function tell() {
  const scene = sceneNow();
  const now = JSON.stringify(scene);
  rounds += 1;
  const part = partWritten();
  if (scene.tab && (now !== told || part || rounds >= (scene.asks.length ? ASKING : ALIVE))) {
    [told, rounds] = [now, 0];
    const led = await askRoom('hall', 'lead', {
      secret,
      scene,
      workspace: ownWorkspace(),
      written: part ?? sent(),
    });
    if (!line) return;
    if (led) hear(led);
    else line.say('Leading: the server does not answer; reconnecting…');
  }
  timer = setTimeout(tell, EVERY);
}

function hear(led) {
  written.known = led.known;
  name = led.name;
  const crowd = led.followers
    ? `Leading ${counted(led.followers, 'page')}`
    : 'Leading: nobody is following yet';
  line.say(led.said ? `${crowd}. They do not see this: ${led.said}` : crowd);
  showGuesses(led.guesses);
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
  const address = linkFor({follow: name});
  showCode(address, await offered('hall').code({link: address}));
}

export async function startLeading(given = '') {
  if (line) return;
  stopFollowing(); // who leads does not follow
  const before = typeof given === 'string' && given ? given : drawnName();
  // A duplicated tab has a copy of the secret, which the other one holds: it leads under a name of
  // its own, so that pages that follow see one speaker.
  secret = (await held(`${LEADS}-${before}`)) ? before : drawnName();
  if (line) return;
  keep(LEADS, secret);
  [told, rounds, name] = ['', 0, ''];
  written = {number: Date.now(), text: '', known: 0}; // no number of this page before a load of it
  line = chip('Leading the room', [
    ['Code for phones', code],
    ['Hands off', () => setHandsOff(!handsOff)],
    ['Exercises', () => offered('exercise results')?.(secret)],
    ['End', stopLeading],
  ]);
  line.buttons[2].title =
    'How many pages have solved each exercise, and the commonest wrong answers, without names';
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
  offered('exercise results')?.('');
  askRoom('hall', 'lead', {secret, scene: null, workspace: null, written: null});
  line.remove();
  [line, secret] = [null, ''];
  keep(LEADS, secret);
}

// Goes on leading or following after a load of the page, or follows by the link.
export function resume() {
  if (kept(LEADS)) startLeading(kept(LEADS));
  else resumeFollowing();
}
