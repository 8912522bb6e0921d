// The story, the talks and the exercises: one at a time takes the place of the picture.
import {offered} from '../../../shared/view/offers.js';

const TITLES = {
  story: ['The story', 'Close the story'],
  talks: ['Talks', 'Close the talks'],
  exercises: ['Exercises', 'Close the exercises'],
};

// find: a part of the view by its name; told: the story. What the rooms beside the lenses offer is made when it is
// first opened.
export function panels(element, find, told) {
  /** @type {Record<string, {open(): unknown, close(): void, isOpen(): boolean}>} */
  const others = {story: told};
  function turn(name) {
    others[name] ??= offered(name)?.(find(name));
    if (!others[name]) return; // its room has not started yet
    const opens = !others[name].isOpen();
    for (const [other, [title, close]] of Object.entries(TITLES)) {
      const shown = opens && other === name;
      if (shown) others[other].open();
      else others[other]?.close();
      const button = element.querySelector(`[data-do=${other}]`);
      button.setAttribute('aria-expanded', shown);
      button.textContent = shown ? close : title;
      if (shown) find(other).scrollIntoView({block: 'nearest'});
    }
    find('two').hidden = opens;
  }
  for (const name of Object.keys(TITLES))
    element.querySelector(`[data-do=${name}]`).addEventListener('click', () => turn(name));
}
