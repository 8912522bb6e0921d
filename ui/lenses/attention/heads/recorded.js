// The model diagram of Start for a recorded model: its attention and its last guess.
/** @import {Component} from '../../../shared/view/component' */
/** @import {RecordedSentence} from '../../../shared/view/payloads' */
import {machinePicture} from '../../../shared/view/machine.js';
import {goTo} from '../../../shared/view/places.js';
import {chooseHead, chosenHead, onStore} from '../../../shared/view/store.js';

/** @param {Component<RecordedSentence>} page */
export function start({element, props, watch}) {
  const find = name => element.querySelector(`.${name}`);
  const heads = () => document.querySelector('#recorded-heads')?.scrollIntoView({block: 'nearest'});
  const picture = machinePicture(find('mc-box'), find('mc-said'), {
    // Only the heads' view is recorded; it is below.
    go: way => (way.tab === 'attention' ? heads() : goTo(new URLSearchParams(way))),
    look: () => {},
    choose: head => chooseHead(head),
    next: null,
  });
  const draw = () => {
    if (!props.value) return;
    const data = JSON.parse(props.value);
    find('conclusion').textContent = data.machine.said;
    picture.draw(data, chosenHead());
  };
  onStore(news => 'head' in news && draw());
  watch('value', draw);
  new ResizeObserver(draw).observe(element);
  draw();
}
