// Session storage of a browser tab across reloads: an id by which the server finds its text, the
// text itself in case the server restarts. A link with other settings starts a new visit.
import {goTo, pressMain} from '../../shared/view/places.js';
import {isOpen, outerTabs} from '../../shared/view/tabs.js';
import {drawnName} from '../../shared/view/plain.js';
import {VISIT, held, hold, keep, kept} from '../../shared/view/kept.js';
import {arrived} from '../../shared/view/ask.js';
import {isSameVisit} from '../../shared/view/way.js';
import {tabOfTour} from '../../rooms/hall/view/tour.js';

let atFirst; // the tab that is open as the page loads
let isTabPressed = false; // by the visitor, who may press the open one to stay there
const notePress = (/** @type {any} */ event) => {
  if (event.isTrusted && event.target.closest?.('[role=tab]')) isTabPressed = true;
};
addEventListener('click', notePress, true);
let anew = false; // whether this is the first load of a link, and not a reload

export async function visit() {
  atFirst = outerTabs().find(isOpen);
  const [before, tab] = [kept(VISIT), tabOfTour()];
  if (isSameVisit(before)) return [await own(before.name), before.text ?? '', tab];
  anew = true;
  const name = drawnName();
  keep(VISIT, {name, visit: history.state?.visit});
  return kept(VISIT) ? [await own(name), '', tab] : ['', '', tab]; // a private window keeps nothing
}

// Holds the visit's id while this page is open. A duplicated tab begins with a copy of the other's
// storage, so its id is held already, and it gets one of its own; after a reload the page before
// gives the id back at once.
async function own(name) {
  if (await held(`${VISIT}-${name}`)) return name;
  const another = drawnName();
  hold({name: another});
  return own(another);
}

// Opens the tab that the link asks for, unless a visitor or a tour has opened another since the
// page was loaded. "start=1" then presses the main button of the view, once.
export async function arrive(name) {
  arrived();
  if (!name || isTabPressed || outerTabs().find(isOpen) !== atFirst) return;
  await goTo(new URLSearchParams({tab: name}));
  const query = new URLSearchParams(location.search);
  if (!anew || query.get('start') !== '1') return;
  if (!(await goTo(new URLSearchParams({view: query.get('view') ?? ''})))) pressMain();
}
