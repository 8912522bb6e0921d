// Leading the room: this page says what it shows, and others follow.
import {keep, kept} from '../../../shared/view/kept.js';
import {askRoom, offered} from '../../../shared/view/offers.js';
import {linkFor, showCode} from '../../../shared/view/page.js';
import {counted, drawnName} from '../../../shared/view/plain.js';
import {pickedModel, place} from '../../../shared/view/places.js';
import {chosenHead, chosenToken, sentence} from '../../../shared/view/sentence.js';
import {chip} from './chip.js';

const KEY = 'gptlens-leads';
const EVERY = 100; // milliseconds between two looks at what this page shows
const ALIVE = 30; // of those, after which it says again what has not changed

let line = null;
let secret = '';
let name = '';
let timer = null;
let [told, rounds] = ['', 0];

let model = ''; // what is picked; while a name is typed, what was picked before
function sceneNow() {
  const [tab, view] = place();
  if (!document.activeElement?.matches('#model input')) model = pickedModel();
  return {tab, view, model, text: sentence(), head: chosenHead(), token: chosenToken()};
}

async function tell() {
  const scene = sceneNow();
  const text = JSON.stringify(scene);
  rounds += 1;
  if (scene.tab && (text !== told || rounds >= ALIVE)) {
    [told, rounds] = [text, 0];
    const led = await askRoom('hall', 'lead', {secret, scene});
    if (!line) return;
    if (led) {
      name = led.name;
      line.say(led.followers ? `Leading: followed by ${counted(led.followers, 'page')}` : 'Leading: nobody yet');
    } else line.say('Leading: the server did not take what this page shows');
  }
  timer = setTimeout(tell, EVERY);
}

async function code() {
  if (!name) return line.say('Leading: the server has not answered yet; press again in a moment');
  const link = linkFor({follow: name});
  showCode(link, await offered('hall').code({link}));
}

export async function startLeading(given = '') {
  if (line) return;
  secret = typeof given === 'string' && given ? given : drawnName();
  keep(KEY, secret);
  [told, rounds, name] = ['', 0, ''];
  line = chip('Leading the room', [
    ['Code for phones', code],
    ['End', stopLeading],
  ]);
  line.say('Leading: beginning…');
  await tell();
}

function stopLeading() {
  clearTimeout(timer);
  askRoom('hall', 'lead', {secret, scene: null});
  line.remove();
  [line, secret] = [null, ''];
  keep(KEY, secret);
}

// Goes on after a load of the page.
export function resumeLeading() {
  if (kept(KEY)) startLeading(kept(KEY));
}
