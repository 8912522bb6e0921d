// A small drawing of the machine beside the tabs, with the parts that the open view is about in colour.
import {add} from '../../shared/view/page.js';
import {place} from '../../shared/view/places.js';

// titles: of the parts, in their order; views: {"tab title/view title": numbers of the parts}.
export function showParts({titles, views}) {
  const row = document.querySelector('#tabs > .tab-wrapper');
  if (!row) return;
  const strip = add(row, 'div', 'part-strip no-present');
  strip.setAttribute('role', 'img');
  const boxes = titles.map(title => add(strip, 'span', '', title));
  const draw = () => {
    const about = partsOf(views, place());
    strip.hidden = !about.length;
    strip.setAttribute('aria-label', `This view is about ${about.map(i => titles[i]).join(', ')}`);
    boxes.forEach((box, i) => box.classList.toggle('on', about.includes(i)));
  };
  new MutationObserver(draw).observe(document.querySelector('#tabs'), {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-selected'],
  });
  draw();
}

// The parts of a place; none where it is about the whole machine.
export const partsOf = (views, [tab, view]) => views[`${tab}/${view}`] ?? [];
