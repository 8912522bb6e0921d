// Exercises on paper: a page of its own that the browser prints.
import {add, linkTo} from '../../../shared/view/page.js';
import {LEVELS, linkOf, placeOf} from './exercises.js';

// Opens the sheet and prints it; false where the browser allows no window. answers: one of each, or null.
export function sheet(exercises, answers, address) {
  const page = window.open(new URL('./sheet.html', import.meta.url));
  if (!page) return false;
  page.addEventListener('load', () => {
    fill(page.document.body, exercises, answers, address);
    page.print();
  });
  return true;
}

function fill(paper, exercises, answers, address) {
  add(paper, 'h1', '', 'Exercises');
  add(paper, 'p', 'place', 'Name: ____________________________');
  let number = 1;
  for (const [level, name] of Object.entries(LEVELS)) {
    const here = exercises.map((one, i) => [one, answers[i]]).filter(([one]) => one.level === +level);
    if (!here.length) continue;
    add(paper, 'h2', '', name);
    const list = add(paper, 'ol', '');
    list.start = number;
    number += here.length;
    for (const [one, answer] of here) {
      const item = add(list, 'li', '');
      add(item, 'b', '', one.title);
      add(item, 'span', 'place', ` · ${placeOf(one)}`);
      add(item, 'div', '', one.question);
      add(item, 'div', 'link', linkTo(address, linkOf(one)));
      if (answer) add(item, 'p', 'answer', `${answer.said} ${answer.reason}`);
      else add(item, 'div', 'line');
    }
  }
}
