// Session storage of a browser tab across reloads: an id by which the server finds its text, the text itself in case
// the server restarts, and the open tab and view. Another link starts a new visit.
import {goTo, isOpen, outerTabs, pressMain} from './places.js';
import {drawnName} from './plain.js';
import {tabOfTour} from './tour.js';

const KEY = 'gptlens-visit';

let atFirst; // the tab that is open as the page loads
let anew = false; // whether this is the first load of a link, and not a reload

export function visit() {
  atFirst = outerTabs().find(isOpen);
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    const tab = tabOfTour();
    if (kept && kept.search === location.search) return [kept.name, kept.text ?? '', tab || (kept.tab ?? '')];
    anew = true;
    const name = drawnName();
    sessionStorage.setItem(KEY, JSON.stringify({name, search: location.search}));
    return [name, '', tab];
  } catch {
    return ['', '', '']; // a private window that keeps nothing
  }
}

// Opens the tab that the link asks for, unless a visitor or a tour has opened another since the page was loaded.
// "start=1" then presses the main button of the view, once.
export async function arrive(name) {
  if (!name || outerTabs().find(isOpen) !== atFirst) return;
  await goTo(new URLSearchParams({tab: name}));
  const query = new URLSearchParams(location.search);
  if (!anew || query.get('start') !== '1') return;
  if (!(await goTo(new URLSearchParams({view: query.get('view') ?? ''})))) pressMain();
}

// The view within the open tab, before this load.
export function heldView() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    return kept?.search === location.search ? (kept.view ?? '') : '';
  } catch {
    return '';
  }
}

// Keeps the text, or the name of the open tab.
export function hold(what) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    if (kept) sessionStorage.setItem(KEY, JSON.stringify({...kept, ...what}));
  } catch {
    // the text is lost with the server's
  }
}
