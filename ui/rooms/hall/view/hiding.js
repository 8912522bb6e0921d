// Hides what a selector names, also what is drawn later, so that a room can guess it.
import {add} from '../../../shared/view/dom.js';

let hiding = null;
let selected = '';

export const hidden = () => selected;

// Hides it in the place of what was hidden before, within the tabs: the way out of a room stays.
// "" hides nothing.
export function hide(selector) {
  hiding?.remove();
  hiding = null;
  selected = selector ?? '';
  if (!selected) return;
  try {
    document.querySelector(selected); // no other text may become a rule
  } catch {
    selected = '';
    return;
  }
  hiding = add(
    document.head,
    'style',
    '',
    `#tabs :is(${selected}) { visibility: hidden !important; }`,
  );
}
