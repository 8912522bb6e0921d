// Writes on by itself: one token after another, each drawn from the guesses that the page shows.
import {add} from '../../../shared/view/page.js';

const [PAUSE, SLOW] = [320, 1800]; // milliseconds between words
const FLIGHT = 300; // milliseconds
export const FULL = 'The text has reached its limit here. Start over, or open Generate for a whole story.';

// A token drawn from guesses, [label, probability, id] each; undefined where there are none.
export function drawn(guesses) {
  let at = Math.random() * guesses.reduce((sum, [, p]) => sum + p, 0);
  for (const [, p, id] of guesses) if ((at -= p) <= 0) return id;
  return guesses.at(-1)?.[2];
}

// The guesses but the end of the text.
export const words = data => data.next.filter(([, , id]) => id !== data.end);

// data() is the sentence; take(id) lengthens it and tells whether it could; end() is the node behind which words land;
// changed(writes) hears when it begins and ends.
export function writer({data, take, say, beat, bars, end, isSlow, isThere, changed}) {
  let left = 0; // words still to be written
  let writing = 0; // number of the newest writing; an older one ends

  function pause() {
    left = 0;
    writing += 1;
    changed(false);
  }

  async function write(n) {
    const mine = ++writing;
    const goesOn = () => mine === writing && left > 0 && isThere();
    left = n;
    changed(left > 0);
    while (goesOn()) {
      if (data().full) {
        say(FULL);
        break;
      }
      const picked = drawn(words(data()));
      if (picked === undefined) break;
      left -= 1;
      beat();
      await fly(picked);
      if (mine !== writing || !(await take(picked))) break;
      if (goesOn()) await new Promise(done => setTimeout(done, isSlow() ? SLOW : PAUSE));
    }
    if (mine === writing) pause();
  }

  // The chosen word flies from its bar to the end of the text.
  function fly(id) {
    const place = data().next.findIndex(([, , other]) => other === id);
    const [bar, last] = [bars.children[place]?.querySelector('.st-name'), end()];
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!bar?.getClientRects().length || !last || calm || document.hidden) return null;
    const [from, to] = [bar.getBoundingClientRect(), last.getBoundingClientRect()];
    const word = add(document.body, 'span', 'st-fly u-mono u-strong lens-component', bar.textContent);
    Object.assign(word.style, {left: `${from.left}px`, top: `${from.top}px`});
    return new Promise((/** @type {(value?: unknown) => void} */ done) => {
      requestAnimationFrame(() => {
        word.style.transform = `translate(${to.left - from.left}px, ${to.top - from.top}px)`;
      });
      setTimeout(() => {
        word.remove();
        done();
      }, FLIGHT);
    });
  }

  return {pause, write, writes: () => left > 0};
}
