// "What do you want to know?": questions, each of which opens the view that answers it.
import {addButton} from '../../../shared/view/page.js';
import {goTo} from '../../../shared/view/places.js';
import {sentence, setSentence} from '../../../shared/view/sentence.js';

// The questions that hold every word of what is searched for.
export function matching(asked, searched) {
  const words = searched.toLowerCase().split(/\s+/).filter(Boolean);
  return asked.filter(([text, way]) => {
    const held = `${text} ${way}`.toLowerCase();
    return words.every(word => held.includes(word));
  });
}

// box: where they stand; search: the field that narrows them; asked: [question, link, sentence] each.
export function questions(box, search, asked) {
  function draw() {
    box.textContent = '';
    const found = matching(asked, search.value);
    for (const [text, way, best] of found)
      addButton(box, 'st-question', text, () => {
        if (best && !sentence()) setSentence(best);
        goTo(new URLSearchParams(way));
      });
    if (!found.length) box.textContent = 'No question contains these words. Try one word, such as “memory”.';
  }
  search.addEventListener('input', draw);
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.isComposing) box.querySelector('button')?.click();
  });
  draw();
}
