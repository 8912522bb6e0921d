// Weight-based analysis of the chosen head, independent of the text; requested when opened.
import {visible} from '../../../shared/view/plain.js';
import {answerIn, asking} from '../../../shared/view/ask.js';
import {add} from '../../../shared/view/dom.js';

export function headWeights(view) {
  const box = view.part('weights');
  if (!box) return {mark: () => {}};
  const body = add(box, 'div', 'at-weights-body');
  let shown = '';

  const ask = asking(
    answerIn(body),
    async question => view.server.head_weights(question),
    draw,
    60,
  );

  function draw(circuits) {
    body.textContent = '';
    if (circuits.message) {
      add(body, 'p', 'at-muted u-muted u-type-xs', circuits.message);
      return;
    }
    add(body, 'p', 'conclusion', circuits.said);
    const two = add(body, 'div', 'u-fit u-apart u-type-sm');
    words(two, 'copies most', circuits.copied);
    words(two, 'suppresses most', circuits.suppressed);
    const score = `Copying score ${circuits.copying.toFixed(2)}, from −1 to 1.`;
    const source =
      'Computed from weights alone: W_U W_O W_V W_E, with the first MLP’s output added to the embedding';
    add(body, 'p', 'at-muted u-muted u-type-xs', `${score} ${source} (Elhage et al. 2021).`);
  }

  function words(parent, title, list) {
    const part = add(parent, 'div');
    add(part, 'b', '', title);
    add(
      part,
      'div',
      'at-weights-words u-mono',
      list.map(([label]) => visible(label).replace('␣', '')).join(' · '),
    );
  }

  function mark() {
    const {value, chosen} = view;
    const key = value && [value.model, ...chosen].join();
    if (!box.open || !value || key === shown) return;
    shown = key;
    ask([{model: value.model, layer: chosen[0], head: chosen[1]}]);
  }
  box.addEventListener('toggle', mark);
  return {mark};
}
