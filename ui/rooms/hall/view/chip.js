import {add, addButton} from '../../../shared/view/dom.js';

// The line at the bottom that says that this page leads or follows; buttons: [text, what it does]
// each.
export function chip(name, buttons) {
  const bar = add(document.body, 'aside', 'hall-chip u-panel u-row lens-component');
  bar.setAttribute('aria-label', name);
  const status = add(bar, 'span', '');
  status.setAttribute('role', 'status');
  const made = buttons.map(([text, press]) => addButton(bar, '', text, press));
  const say = text => status.textContent !== text && (status.textContent = text);
  return {bar, buttons: made, say, remove: () => bar.remove()};
}
