// "More", at the right of the header: what helps on every tab and stands in no view.
import {listWords} from './glossary.js';
import {add, addButton, sayBriefly} from '../../shared/view/dom.js';
import {shareLink} from '../../shared/view/link.js';
import {goTo} from '../../shared/view/places.js';
import {offered} from '../../shared/view/offers.js';

// Opens one of the lists on Start.
const list = name => async () => {
  const button = `#start [data-do=${name}]`;
  await goTo(new URLSearchParams({tab: 'Start', once: button}));
  const shown = document.querySelector(button);
  if (shown?.getAttribute('aria-expanded') === 'false') /** @type {HTMLElement} */ (shown).click();
};

// keys: what the keys of the page do, by the key.
export function showMenu(keys) {
  const head = document.querySelector('#head');
  if (!head) return;
  const menu = add(head, 'details', 'lens-menu lens-more');
  add(menu, 'summary', 'button', 'More');
  const box = add(menu, 'div', 'u-panel');
  const status = add(head, 'span', 'lens-more-said u-panel');
  status.setAttribute('role', 'status');
  const entries = [
    ['Show me around', 'T', () => offered('tour')?.()],
    ['Follow one word', '', () => offered('word tour')?.()],
    ['What do you want to know?', 'Q', keys.q],
    ['An exercise about this view', 'E', keys.e],
    ['All exercises', '', list('exercises')],
    ['Talks, and leading a room', '', list('talks')],
    ['Large type', 'P', keys.p],
    ['Dark or light', 'D', keys.d],
    ['Keys', '?', keys['?']],
    ['Glossary', '', listWords],
    [
      'Use it from a program (API)',
      '',
      () => /** @type {any} */ (document.querySelector('footer .show-api'))?.click(),
    ],
    ['Copy a link to this view', '', async () => sayBriefly(status, await shareLink(), 6)],
  ];
  for (const [text, key, press] of entries) {
    const entry = addButton(box, '', text, press);
    if (key) add(entry, 'kbd', 'u-muted', key);
  }
}
