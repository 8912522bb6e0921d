// "When did this form?" of a bundled model: requested once on screen, because it loads every checkpoint.
/** @import {AttentionServer} from '../../../shared/view/payloads' */
import {add} from '../../../shared/view/page.js';
import {formedDrawing} from '../../../shared/view/formed.js';

// box: where to draw; server: formed, which takes {model, text, word, rival}.
/** @param {AttentionServer} server */
export function formedView(box, server) {
  const drawing = formedDrawing(box.querySelector('.fm-drawing'));
  let wanted = null,
    number = 0;

  function show(question) {
    wanted = question;
    number += 1;
    box.hidden = false;
    const {top} = box.getBoundingClientRect();
    if (box.getClientRects().length && top < innerHeight && top > -innerHeight) ask();
  }
  new IntersectionObserver(seen => seen.at(-1).isIntersecting && ask()).observe(box);

  async function ask() {
    if (!wanted) return;
    const question = wanted,
      mine = number;
    wanted = null;
    const answer = await server.formed(question).catch(() => null);
    if (mine !== number || !answer) return;
    const found = JSON.parse(answer);
    box.hidden = found.message === ''; // a model without checkpoints
    box.querySelector('.fm-message').textContent = found.message ?? '';
    box.querySelector('.conclusion').textContent = found.said ?? '';
    if (found.message === undefined) drawing.draw(found);
  }

  add(box, 'div', 'wy-muted', 'What each part writes for the word, in logits, after so many updates of the training.');
  return {show};
}
