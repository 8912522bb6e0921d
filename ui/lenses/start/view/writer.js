// A word that was drawn flies from its bar to the end of the text.
import {add} from '../../../shared/view/dom.js';

export const [PAUSE, SLOW] = [320, 1800]; // milliseconds between words
const FLIGHT = 300; // milliseconds

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
