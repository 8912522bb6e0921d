// The line below a map: what the cell in sight says, and why its head looks there.
import {addButton} from '../../../shared/view/page.js';
import {same} from './roles.js';

// view: {part, server, maps, value, shown, cell, hovered, preview, token, inView}, as they are now.
export function cellDetail(view) {
  const {part, server} = view;
  function draw() {
    const {value, shown, cell, hovered, preview} = view,
      at = hovered || cell,
      line = part('detail');
    if (!at || !shown) {
      line.textContent = matchMedia('(pointer: coarse)').matches
        ? 'Tap a cell for its value; + and − zoom in on it.'
        : 'Point at a cell, or use the arrow keys, for its value. Drag to zoom, double-click to see all; ' +
          'Shift with an arrow key goes to the next head.';
      return;
    }
    const [q, k] = at,
      weight = shown[q * value.tokens.length + k];
    const amount =
      value.causal && k > q
        ? 'n/a, the future is hidden'
        : Number.isNaN(weight)
          ? 'n/a, there is nothing else to look at'
          : (preview ? '≈ ' : '') + (value.signed && weight > 0 ? '+' : '') + weight.toFixed(preview ? 1 : 4);
    const [from, to] = [q, k].map(place => `${view.token(place)} (no. ${place})`);
    line.textContent = `reading token ${from} → looked at ${to}: ${amount} `;
    if (server.why_there && cell && same(at, cell) && !(value.causal && k > q))
      addButton(line, 'at-why', 'Why there?', () => whyThere(line, [q, k]));
  }
  // What draws the head's attention from one token to the other, behind the cell's value.
  async function whyThere(line, at) {
    const of = view.value,
      head = view.inView(),
      question = {...view.maps.question(head, of), row: at[0], column: at[1]};
    const answer = await server.why_there(question);
    if (of !== view.value || !same(head, view.inView()) || String(at) !== String(view.cell)) return;
    if (!answer) view.maps.lost(answer);
    else line.querySelector('.at-why')?.replaceWith(answer.said);
  }

  return {draw};
}
