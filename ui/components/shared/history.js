// The browser's Back and Forward go through the tabs and views that were open, and not away from the page.
import {awaited, goTo, isOpen, place} from './places.js';

const same = ([tab, view], [other, its]) => tab === other && (view === its || !its);

// turnBack: what Back does while something else than the visitor opens the tabs, as a tour does; false while nothing
// does.
export function keepHistory(turnBack) {
  const linked = new URLSearchParams(location.search).get('tab')?.replace('-', ' ');
  let going = false;
  const keep = (how, at) => history[how]({...history.state, place: at}, '');
  const note = changes => {
    const [now, before] = [place(), history.state?.place];
    if (going || !now[0]) return;
    if (!before && linked && now[0].toLowerCase().replace('-', ' ') !== linked) return; // the page is still opening it
    if (!before || navigator.userActivation?.hasBeenActive === false) {
      keep('replaceState', now);
      return;
    }
    if (before[0] === now[0] && !before[1]) {
      // A tab is noted before its views are there: now the name of the one that was open is known.
      const left = changes.map(change => change.target).find(tab => !isOpen(tab));
      keep('replaceState', [before[0], left?.textContent.trim() ?? '']);
      if (!left) return;
    }
    if (!same(now, before) || !before[1]) keep('pushState', now);
  };
  const open = {subtree: true, attributeFilter: ['aria-selected']};
  new MutationObserver(note).observe(document.querySelector('#tabs'), open);
  note([]);
  addEventListener('popstate', async event => {
    const back = event.state?.place;
    if (!back) return;
    if (turnBack()) {
      keep('pushState', place());
      return;
    }
    going = true;
    await goTo(new URLSearchParams({tab: back[0], view: back[1]}));
    await awaited(() => same(place(), back));
    going = false;
  });
}
