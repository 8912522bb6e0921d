// Fields that have a meaning only with a value of another one are seen only then, and so are the
// pages of a view.
import {onStore, valueOf} from '../../shared/view/store.js';

let limited = []; // {element: its id, only: [a field, the value with which it is seen]} of each

export function showApplying() {
  for (const {element, only} of limited) {
    const [other, value] = only;
    document.getElementById(element)?.classList.toggle('not-applying', valueOf(other) !== value);
  }
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
