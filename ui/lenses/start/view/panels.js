// What leads further: the story, the talks and the exercises, one at a time in the place of the
// picture; and "What do you want to know?", questions, each of which opens the view that answers
// it.
import {offered} from '../../../shared/view/offers.js';
import {addButton} from '../../../shared/view/dom.js';
import {follow} from '../../../shared/view/places.js';
import {sentence, setSentence} from '../../../shared/view/store.js';
import {found} from './search.js';

const TITLES = {story: 'The story', talks: 'Talks', exercises: 'Exercises'};

// find: a part of the view by its name; tell: draws the story. The rooms beside the lenses offer
// what draws theirs.
export function panels(element, find, tell) {
  function turn(name) {
    const draw = name === 'story' ? tell : offered(name);
    if (!draw) return; // its room has not started yet
    const opens = find(name).hidden;
    for (const [other, title] of Object.entries(TITLES)) {
      const shown = opens && other === name;
      find(other).hidden = !shown;
      if (shown) draw(find(other));
      const button = element.querySelector(`[data-do=${other}]`);
      button.setAttribute('aria-expanded', shown);
      button.textContent = shown ? `Close the ${name}` : title;
      if (shown) find(other).scrollIntoView({block: 'nearest'});
    }
    find('two').hidden = opens;
  }
  for (const name of Object.keys(TITLES))
    element.querySelector(`[data-do=${name}]`).addEventListener('click', () => turn(name));
}

// The questions that a search finds; the first few where nothing is searched for, or all.
function matching(known, searched, all) {
  if (searched.trim()) return found(known, searched);
  return all ? known : known.filter(([, , , , isFirst]) => isFirst);
}

// box: where they stand; search: the field that narrows them; asked: [question, link, sentence,
// further words, whether it is one of the first] each.
export function questions(box, search, known) {
  let all = false;
  function draw() {
    box.textContent = '';
    const matches = matching(known, search.value, all);
    for (const [text, way, best] of matches)
      addButton(box, 'st-question', text, () => {
        if (best && !sentence()) setSentence(best);
        follow(new URLSearchParams(way));
      });
    if (!matches.length)
      box.textContent = 'No question is about this. Try another word, or choose from all of them.';
    if (matches.length === known.length || (matches.length && search.value.trim())) return;
    addButton(box, 'st-question st-all', `All ${known.length} questions`, () => {
      all = true;
      search.value = '';
      draw();
      box.querySelector('button').focus();
    });
  }
  search.addEventListener('input', draw);
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.isComposing) box.querySelector('button')?.click();
  });
  draw();
}
