// The story, the talks and the exercises: one at a time takes the place of the picture.
import {offered} from '../../../shared/view/offers.js';

const TITLES = {story: 'The story', talks: 'Talks', exercises: 'Exercises'};

// find: a part of the view by its name; tell: draws the story. The rooms beside the lenses offer what draws theirs.
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
