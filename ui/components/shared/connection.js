// Whether the server answers. While it does not, a calm line says so; what is on the page stays.
import {add} from './page.js';

const [WATCHED, AGAIN] = [10_000, 2_000]; // milliseconds between two looks: while it answers, and while it does not
const AWAY = 'The server does not answer. What is on the page stays, and it goes on by itself when the server is back.';
let line = null,
  timer = 0;

// Any answer will do; a proxy's own error page is none.
async function answers() {
  try {
    const answer = await fetch(new URL('./clock.js', import.meta.url), {method: 'HEAD', cache: 'no-store'});
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

// Looks now, and then again and again while the page is in sight.
async function look() {
  clearTimeout(timer);
  const away = !document.hidden && !(await answers());
  tell(away);
  timer = setTimeout(look, away ? AGAIN : WATCHED);
}

// A question to the server was not answered: looks at once whether the server is there.
export function unanswered() {
  if (!line) look();
}

export function watchConnection() {
  document.addEventListener('visibilitychange', look);
  for (const event of ['online', 'offline']) addEventListener(event, look);
  timer = setTimeout(look, WATCHED);
}
