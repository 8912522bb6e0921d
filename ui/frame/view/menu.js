// "More", at the right of the header: what helps on every tab and stands in no view.
import {listWords} from './glossary.js';
import {add, addButton, sayBriefly, shareLink} from '../../shared/view/page.js';
import {goTo, pickedModel, place} from '../../shared/view/places.js';
import {offered} from '../../shared/view/offers.js';
import {chosenInLink, sentence} from '../../shared/view/sentence.js';

// Opens one of the lists on Start.
const list = name => async () => {
  const button = `#start [data-do=${name}]`;
  await goTo(new URLSearchParams({tab: 'Start', once: button}));
  const shown = document.querySelector(button);
  if (shown?.getAttribute('aria-expanded') === 'false') /** @type {HTMLElement} */ (shown).click();
};

// A link to what is open: tab, view, model, sentence, and the token and head that are chosen.
function linked() {
  const [tab, view] = place();
  const [model, text] = [pickedModel(), sentence()];
  return shareLink({tab: tab.toLowerCase(), view, model, text, ...chosenInLink()});
}

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
    ['Words, each in one sentence', '', listWords],
    ['Use it from a program (API)', '', () => /** @type {any} */ (document.querySelector('footer .show-api'))?.click()],
    ['Copy a link to this view', '', async () => sayBriefly(status, await linked(), 6)],
  ];
  for (const [text, key, press] of entries) {
    const entry = addButton(box, '', text, press);
    if (key) add(entry, 'kbd', 'u-muted', key);
  }
}
