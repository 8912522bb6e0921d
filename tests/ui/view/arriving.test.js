// A page that was opened by a link: this stands before the module is loaded.
import {strict as assert} from 'node:assert';
import {test} from 'node:test';

/** @type {any} */ (globalThis).gptlensArriving = true;
const {answerOf, arrived, asks} = await import('../../../ui/shared/view/ask.js');
const {holdFields} = await import('../../../ui/shared/view/store.js');

test('a page that is opened by a link draws nothing of a component before it is known to answer the link', () => {
  holdFields(['g'], [1]);
  let drawn = 0;
  const attributes = new Set();
  const element = {
    getClientRects: () => [1],
    setAttribute: name => attributes.add(name),
    removeAttribute: name => attributes.delete(name),
    toggleAttribute: (name, on) => (on ? attributes.add(name) : attributes.delete(name)),
  };
  const view = answerOf('view');
  Object.assign(view, {needs: ['g'], element, hears: new Set([() => (drawn += 1)])});
  const isWithheld = () => attributes.has('data-withheld');
  view.mark();
  assert.ok(isWithheld() && !attributes.has('data-stale'));
  assert.equal(view.content('an example'), '');
  holdFields(['g'], [2]); // as the link has it
  arrived();
  assert.ok(isWithheld());
  assert.equal(drawn, 0);
  holdFields(['g'], [1]); // back to what the page was sent with
  assert.ok(!isWithheld() && !attributes.has('data-stale'));
  assert.equal(drawn, 1);
  assert.equal(view.content('an example'), 'an example');
  holdFields(['g'], [2]);
  const [number] = asks([view.id], ['g'], [2]);
  view.came(`#${number}\nits own`);
  assert.ok(!isWithheld() && !attributes.has('data-stale'));
});
