// Following a speaker: the tab, the view, the model, the text and what is chosen; one click leaves, one returns.
import {drawnName} from '../../../shared/view/plain.js';
import {awaited} from '../../../shared/view/awaited.js';
import {keep, kept} from '../../../shared/view/kept.js';
import {goTo, pickedModel, place} from '../../../shared/view/places.js';
import {askRoom, offered} from '../../../shared/view/offers.js';
import {chooseHead, chooseToken, sentence, showSentence} from '../../../shared/view/sentence.js';
import {chip} from './chip.js';

const KEY = 'gptlens-follows';
const EVERY = 450; // milliseconds

let line = null;
let timer = null;
let state = {name: '', follows: true};
let version = 0;
let text = ''; // the speaker's, as it was shown last
let round = 0; // number of the newest line of questions; an older one ends
const page = drawnName();

async function look(mine = ++round) {
  const reply = await askRoom('hall', 'follow', {name: state.name, page, version});
  if (!state.follows || mine !== round) return;
  if (reply && !reply.on) line.say('The speaker no longer leads; this page is yours.');
  else if (reply) {
    if (reply.scene) {
      version = reply.version;
      text = reply.scene.text;
      await show(reply.scene);
    }
    // Who types keeps the text until the speaker shows another one.
    const isOwn = text && sentence() !== text;
    line.say(isOwn ? 'Following the speaker, with a text of your own.' : 'Following the speaker.');
  } else line.say('The server does not answer; trying again.');
  if (state.follows && mine === round) timer = setTimeout(look, EVERY, mine);
}

async function show({tab, view, model, text: shown, head, token}) {
  if (model && model !== pickedModel()) {
    offered('open model')?.(model);
    await awaited(() => pickedModel() === model);
  }
  const [tabNow, viewNow] = place();
  if (tab !== tabNow || view !== viewNow) await goTo(new URLSearchParams({tab, view}));
  showSentence(shown);
  chooseHead(head);
  chooseToken(token);
}

function turn(follows) {
  state.follows = follows;
  version = 0;
  keep(KEY, state);
  line.buttons[0].textContent = follows ? 'Leave' : 'Return to the speaker';
  clearTimeout(timer);
  line.say(follows ? 'Following the speaker.' : 'On your own.');
  if (follows) look();
}

// Follows by the link, and goes on after a load of the page.
export function resumeFollowing() {
  const [linked, before] = [new URLSearchParams(location.search).get('follow'), kept(KEY)];
  if (before?.name && (!linked || before.name === linked)) state = before;
  if (linked) state.name = linked;
  if (!state.name) return;
  line = chip('Following the speaker', [['', () => turn(!state.follows)]]);
  turn(state.follows);
}
