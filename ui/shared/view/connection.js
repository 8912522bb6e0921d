// Whether the server answers. While it does not, a calm line says so; what is on the page stays.
import {add} from './dom.js';

// Milliseconds: between two looks while it answers, and while it does not, and until a look is
// given up. In a talk the room should hear of it at once.
const CALM = {watched: 10_000, again: 2_000, patience: 20_000};
const TALK = {watched: 1_000, again: 500, patience: 2_000};
const pace = () => (document.querySelector('#tour') ? TALK : CALM);
export const CHANGED = 'gptlens-connection'; // the page has lost the server, or has it back
const AWAY =
  'The server is not answering. Nothing on the page is lost. This line disappears when the server is back.';
let line = null,
  timer = 0,
  looking = false;

// Any answer will do; a proxy's own error page is none.
async function answers(patience = pace().patience) {
  try {
    const signal = AbortSignal.timeout(patience);
    const answer = await fetch(new URL('./clock.js', import.meta.url), {
      method: 'HEAD',
      cache: 'no-store',
      signal,
    });
    return answer.status < 500;
  } catch {
    return false;
  }
}

export const isAway = () => line !== null;

function tell(away) {
  document.body.classList.toggle('away', away);
  const changed = away !== isAway();
  if (away && !line) {
    line = add(document.body, 'p', 'lens-away u-panel', AWAY);
    line.setAttribute('role', 'status');
  } else if (!away) {
    line?.remove();
    line = null;
  }
  if (changed) dispatchEvent(new Event(CHANGED));
}

// Waits until the server answers, so that a page that works is not left for the browser's error
// page; false where this is no longer wanted.
export async function reached(isWanted = () => true) {
  // A busy server may take longer than a talk can wait for a word about it: each look is given more
  // time.
  for (
    let patience = TALK.patience;
    !(await answers(patience));
    patience = Math.min(2 * patience, CALM.patience)
  ) {
    tell(true);
    await new Promise(done => setTimeout(done, TALK.again));
    if (!isWanted()) return false;
  }
  tell(false);
  return isWanted();
}

// Looks whether the server is there, and again while the page is in sight.
export async function look() {
  if (looking || document.hidden) return;
  looking = true;
  clearTimeout(timer);
  const away = !(await answers());
  looking = false;
  tell(away);
  timer = setTimeout(look, away ? pace().again : pace().watched);
}

export function watchConnection() {
  document.addEventListener('visibilitychange', look);
  for (const event of ['online', 'offline']) addEventListener(event, look);
  timer = setTimeout(look, TALK.watched);
}
