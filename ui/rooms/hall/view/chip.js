// The line at the bottom that says that this page leads or follows, with its buttons.
import {add, addButton} from '../../../shared/view/page.js';

// buttons: [text, what it does] each. Gives a function that changes the sentence, and one that removes the line.
export function chip(name, buttons) {
  const bar = add(document.body, 'aside', 'hall-chip u-panel u-row lens-component');
  bar.setAttribute('aria-label', name);
  const status = add(bar, 'span', '');
  status.setAttribute('role', 'status');
  const made = buttons.map(([text, press]) => addButton(bar, '', text, press));
  return {
    buttons: made,
    say: text => {
      if (status.textContent !== text) status.textContent = text;
    },
    remove: () => bar.remove(),
  };
}
