// The address bar says what the page shows: it follows the state of the open view.
import {linkTo, ownNames, stateOfView} from '../../shared/view/link.js';
import {onStore} from '../../shared/view/store.js';

const PAUSE = 400; // milliseconds after the last change
const ACTS = ['click', 'input', 'change', 'keyup', 'pointerup'];

// The address of what the page shows; what belongs to nobody here stays in it.
export function addressNow() {
  const owned = ownNames();
  const kept = [...new URLSearchParams(location.search)].filter(([name]) => !owned.has(name));
  const state = stateOfView();
  /** @type {Record<string, string>} */
  const settings = {...state, ...Object.fromEntries(kept)};
  if (settings.embed) delete settings.tab; // a frame names its tab so
  return linkTo(location.href, settings) + location.hash;
}

// Follows what the visitor does, from the first deed on: what a link asks for stays in the address
// until then. isFree: whether the address may change now.
export function keepAddress(isFree) {
  let hasActed = false;
  let timer = 0;
  const write = () => {
    if (!isFree()) return;
    const address = addressNow();
    if (address !== location.href) history.replaceState(history.state, '', address);
  };
  const soon = () => {
    if (!hasActed) return;
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE);
  };
  for (const name of ACTS)
    addEventListener(
      name,
      event => {
        hasActed ||= event.isTrusted;
        soon();
      },
      true,
    );
  onStore(soon);
}
