// Fields that have a meaning only with a value of another one are seen only then.
import {onStore, valueOf} from '../../shared/view/store.js';

let limited = []; // {element: its id, only: [the other field, its value]} of each

export function showApplying() {
  for (const {element, only} of limited) {
    const [other, value] = only;
    document.getElementById(element)?.classList.toggle('not-applying', valueOf(other) !== value);
  }
}

// fields: of the page's register (`ui/page.py`).
export function startApplying(fields) {
  limited = fields.filter(field => field.only);
  onStore(news => 'fields' in news && showApplying());
  showApplying();
}
