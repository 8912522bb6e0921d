import assert from 'node:assert/strict';
import {test} from 'node:test';
import {leftOf, ofView} from '../../../ui/rooms/exercises/view/exercises.js';

const some = [
  {name: 'a', tab: 'Attention', view: 'Heads', link: 'tab=attention&view=Heads&text=x%20y'},
  {name: 'b', tab: 'Attention', view: 'Layers', link: ''},
  {name: 'c', tab: 'Start', view: '', link: ''},
];

test('a view has its own exercises; one without any shows those of its tab', () => {
  const names = (...place) => ofView(some, place).map(one => one.name);
  assert.deepEqual(names('Attention', 'Heads'), ['a']);
  assert.deepEqual(names('Attention', 'Compare'), ['a', 'b']);
  assert.deepEqual(names('Parameters', 'Count'), []);
});

test('an exercise whose view, model or text was left says so', () => {
  const one = {
    tab: 'Attention',
    view: 'Heads',
    kind: 'head',
    link: 'tab=attention&view=Heads&model=mini&text=x%20y',
  };
  assert.equal(leftOf(one, ['Attention', 'Heads'], 'x y', 'mini'), '');
  assert.equal(leftOf(one, ['Attention', 'Heads'], 'x y and more', ''), '');
  assert.match(
    leftOf(one, ['Attention', 'Layers'], 'x y', 'mini'),
    /another view; this is about Attention, Heads/,
  );
  assert.match(
    leftOf(one, ['Attention', 'Heads'], 'z', 'mini'),
    /another text; this is about “x y”/,
  );
  assert.match(
    leftOf(one, ['Attention', 'Heads'], 'x y', 'world'),
    /another model; this is about mini/,
  );
  assert.equal(leftOf({...one, kind: 'text'}, ['Attention', 'Heads'], 'z', 'mini'), '');
});
