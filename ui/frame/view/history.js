// Browser history: Back and Forward step through the tabs and views opened before.
import {addressNow, keepAddress} from './address.js';
import {awaited} from '../../shared/view/awaited.js';
import {goTo} from '../../shared/view/places.js';
import {isOpen, place} from '../../shared/view/tabs.js';

const same = ([tab, view], [other, its]) => tab === other && (view === its || !its);

// turnBack: handles Back during a tour; returns false otherwise.
export function keepHistory(turnBack) {
  const linked = new URLSearchParams(location.search).get('tab')?.replace('-', ' ');
  let going = false;
  let hasActed = false; // since this load; the browser's own userActivation outlives a reload
  for (const name of ['pointerdown', 'keydown'])
    addEventListener(name, () => (hasActed = true), {capture: true, once: true});
  const keep = at => history.pushState({...history.state, place: at}, '', addressNow());
  const note = changes => {
    const [now, before] = [place(), history.state?.place];
    if (going || !now[0]) return;
    // the page is still opening it
    if (!before && linked && now[0].toLowerCase().replace('-', ' ') !== linked) return;
    if (!before || !hasActed) {
      // what a link asks for stays in the address
      history.replaceState({...history.state, place: now}, '');
      return;
    }
    if (before[0] === now[0] && !before[1]) {
      // A tab is recorded before its views are mounted; now the name of its open view is known.
      const left = changes.map(change => change.target).find(tab => !isOpen(tab));
      history.replaceState(
        {...history.state, place: [before[0], left?.textContent.trim() ?? '']},
        '',
      );
      if (!left) return;
    }
    if (!same(now, before) || !before[1]) keep(now);
  };
  async function travel(back) {
    going = true;
    await goTo(new URLSearchParams({tab: back[0], view: back[1]}));
    await awaited(() => same(place(), back));
    going = false;
  }
  const open = {subtree: true, attributeFilter: ['aria-selected']};
  new MutationObserver(note).observe(document.querySelector('#tabs'), open);
  const left = history.state?.place;
  // Back was pressed while the page was still loading
  if (left && !same(place(), left)) travel(left);
  else note([]);
  keepAddress(() => !going);
  addEventListener('popstate', event => {
    const back = event.state?.place;
    if (!back) return;
    if (turnBack()) keep(place());
    else travel(back);
  });
}
