// Whether the server answers. While it does not, a calm line says so; what is on the page stays.
import {add} from './page.js';

// Milliseconds: between two looks while it answers, and while it does not, and until a look is given up.
const [WATCHED, AGAIN, PATIENCE] = [10_000, 2_000, 20_000];
const AWAY = 'The server does not answer. What is on the page stays; when this line is gone, the server is back.';
let line = null,
  timer = 0,
  looking = false;

// Any answer will do; a proxy's own error page is none.
async function answers() {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await fetch(new URL('./clock.js', import.meta.url), {method: 'HEAD', cache: 'no-store', signal});
    return answer.status < 500;
  } catch {
    return false;
  }
}

function tell(away) {
  document.body.classList.toggle('away', away);
  if (away && !line) {
    line = add(document.body, 'p', 'lens-away', AWAY);
    line.setAttribute('role', 'status');
  } else if (!away) {
    line?.remove();
    line = null;
  }
}

// Looks whether the server is there, and again while the page is in sight.
export async function look() {
  if (looking || document.hidden) return;
  looking = true;
  clearTimeout(timer);
  const away = !(await answers());
  looking = false;
  tell(away);
  timer = setTimeout(look, away ? AGAIN : WATCHED);
}

export function watchConnection() {
  document.addEventListener('visibilitychange', look);
  for (const event of ['online', 'offline']) addEventListener(event, look);
  timer = setTimeout(look, WATCHED);
}
