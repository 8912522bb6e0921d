// The maps of a reading's heads at full precision, as the server gives them.
import {decodeMap} from '../../../shared/view/coding.js';

// milliseconds after which a text that is being read again is asked for
const RETRIES = [300, 1000, 3000, 8000];
const MOST_MAPS = 48; // maps kept
const REREADING = 're-reading.';
const NO_ANSWER =
  'The server does not answer; what is shown is a preview. Check the connection, then choose a head again.';

// view: {server, status, value}, as they are now. reread() has the server read the text again,
// draw() asks for the map.
export function headMaps(view, {reread, draw}) {
  const {server, status} = view;
  let maps = new Map();
  let isReread = false; // since the last answer

  // How the server is asked about a head of a reading.
  const question = ([layer, head], of = view.value) => ({key: of.key, layer, head, mode: of.mode});

  // A head's map; null where there is none, or its text has gone.
  async function exact(at) {
    const key = at.join(),
      of = view.value;
    if (!maps.has(key)) {
      const ask = view.signed ? server.head_difference : server.head_map;
      const reply = await ask(question(at, of));
      if (of !== view.value) return null;
      if (!isThere(reply)) return null;
      maps.set(key, await decodeMap(reply, of.tokens.length, of.causal, of.signed));
      if (maps.size > MOST_MAPS) maps.delete(maps.keys().next().value);
    }
    return of === view.value ? maps.get(key) : null;
  }

  // Whether the server has answered about the reading. One that was evicted, or that a restarted
  // server does not know, is read again, once.
  function isThere(reply) {
    if (reply) {
      isReread = false;
      return true;
    }
    status.textContent =
      reply === undefined ? NO_ANSWER : `The server no longer has this text; ${REREADING}`;
    if (reply !== undefined && !isReread) rereadOnce();
    return false;
  }

  function rereadOnce() {
    isReread = true;
    reread();
    // Read again by the same model, it has the same key, and the value does not change.
    const of = view.value;
    for (const wait of RETRIES)
      setTimeout(() => {
        if (of === view.value && status.textContent.endsWith(REREADING)) draw();
      }, wait);
  }

  return {
    question,
    exact,
    isThere,
    kept: at => maps.get(at.join()),
    // A map is drawn.
    found() {
      if (status.textContent.endsWith(REREADING)) status.textContent = '';
    },
    forget() {
      [maps, isReread] = [new Map(), false];
    },
  };
}
