// Fields that have a meaning only with a value of another one are seen only then, and so are the
// pages of a view. A style element holds the rule that hides the others: it is there before they
// are, so that none is seen in between.
import {onStore, valueOf} from '../../shared/view/store.js';

let limited = []; // {element: its id, only: [a field, the value with which it is seen]} of each

export function showApplying() {
  const apart = limited.filter(({only: [other, value]}) => valueOf(other) !== value);
  const rule = apart.map(({element}) => `#${element}`).join(', ');
  const sheet = document.getElementById('not-applying');
  if (sheet) sheet.textContent = rule && `${rule} { display: none !important; }`;
  // for the rules of rows and of what stands beside a page
  for (const {element} of limited)
    document.getElementById(element)?.classList.toggle(
      'not-applying',
      apart.some(item => item.element === element),
    );
}

// fields: of the page's register (`ui/page.py`).
export function startApplying(fields) {
  const pages = fields.flatMap(({name, shows = {}}) =>
    Object.entries(shows).map(([value, element]) => ({element, only: [name, value]})),
  );
  limited = [...fields.filter(field => field.only), ...pages];
  onStore(news => 'fields' in news && showApplying());
  showApplying();
}
