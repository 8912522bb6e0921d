// How a text is written on: tokens are drawn from the guesses that the page shows.
import {add} from '../../../shared/view/dom.js';

export const [PAUSE, SLOW] = [320, 1800]; // milliseconds between words
const FLIGHT = 300; // milliseconds

// A token drawn from guesses, [label, probability, id] each; undefined where there are none.
export function drawn(guesses) {
  let at = Math.random() * guesses.reduce((sum, [, p]) => sum + p, 0);
  for (const [, p, id] of guesses) if ((at -= p) <= 0) return id;
  return guesses.at(-1)?.[2];
}

// The guesses but the end of the text.
export const words = data => data.next.filter(([, , id]) => id !== data.end);

// A word flies from its bar to the end of the text.
export function fly(row, last) {
  const bar = row?.querySelector('.st-name');
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!bar?.getClientRects().length || !last || calm || document.hidden) return null;
  const [from, to] = [bar.getBoundingClientRect(), last.getBoundingClientRect()];
  const word = add(document.body, 'span', 'st-fly u-mono u-strong lens-component', bar.textContent);
  Object.assign(word.style, {left: `${from.left}px`, top: `${from.top}px`});
  requestAnimationFrame(() => {
    word.style.transform = `translate(${to.left - from.left}px, ${to.top - from.top}px)`;
  });
  return new Promise(done => setTimeout(done, FLIGHT)).then(() => word.remove());
}
