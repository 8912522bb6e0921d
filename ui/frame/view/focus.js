// The keyboard's place on the page: where what had the focus is gone or hidden, it goes to what has
// opened.
import {visible} from '../../shared/view/tabs.js';

const FRAMES = 3; // a view that puts the focus back itself does so by then
const OVER =
  ':is([role=dialog], #tour, #exercise, #sheet) :is(button, input, textarea, [tabindex="0"])';
const OPEN_TAB = '#tabs [role=tab][aria-selected=true]';

let last = null; // what had the focus, since a key was pressed

const isLost = () =>
  last &&
  document.activeElement === document.body &&
  !(last.isConnected && last.getClientRects().length);

function later(call, frames = FRAMES) {
  requestAnimationFrame(() => (frames ? later(call, frames - 1) : call()));
}

function restore() {
  if (!isLost()) return;
  last = null;
  const tabs = [...document.querySelectorAll(OPEN_TAB)].filter(tab => tab.getClientRects().length);
  (visible(OVER) ?? /** @type {HTMLElement} */ (tabs.at(-1)))?.focus();
}

export function keepFocus() {
  addEventListener('focusin', event => (last = event.target));
  addEventListener('pointerdown', () => (last = null), true); // a mouse needs no place
  const seen = {
    subtree: true,
    childList: true,
    attributeFilter: ['class', 'style', 'hidden', 'open'],
  };
  new MutationObserver(() => isLost() && later(restore)).observe(document.body, seen);
}
