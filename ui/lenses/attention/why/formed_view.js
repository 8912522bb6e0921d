// "When did this form?" of a bundled model: requested once unfolded, because it loads every
// checkpoint.
/** @import {AttentionServer} from '../../../shared/view/payloads' */
import {formedDrawing} from './formed.js';

// box: details, where to draw; server: formed, which takes {model, text, word, rival}.
/** @param {AttentionServer} server */
export function formedView(box, server) {
  const drawing = formedDrawing(box.querySelector('.fm-drawing'));
  let wanted = null,
    number = 0;

  function show(question) {
    wanted = question;
    number += 1;
    ask();
  }
  box.addEventListener('toggle', () => ask());

  async function ask() {
    if (!wanted || !box.open) return;
    const question = wanted,
      mine = number;
    wanted = null;
    const answer = await server.formed(question);
    if (mine !== number || !answer) return;
    const history = JSON.parse(answer);
    box.querySelector('.fm-message').textContent = history.message ?? '';
    box.querySelector('.conclusion').textContent = history.said ?? '';
    if (history.message === undefined) drawing.draw(history);
    else box.querySelector('.fm-drawing').textContent = '';
  }
  return {show};
}
