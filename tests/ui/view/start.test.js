import assert from 'node:assert/strict';
import {test} from 'node:test';
import {arcPath} from '../../../ui/lenses/start/view/arcs.js';
import {heldSentence, holdSentence} from '../../../ui/lenses/start/view/held.js';

const word = (left, line) => ({left, right: left + 40, top: 50 * line, bottom: 50 * line + 24});

test('a sentence is kept as the page last drew it', () => {
  assert.equal(heldSentence(), '');
  holdSentence({model: 'mini', ids: [1, 2], own: true});
  assert.deepEqual(JSON.parse(heldSentence()), {model: 'mini', ids: [1, 2], own: true});
});

test('an arc between words of one line runs above it', () => {
  const ys = [...arcPath(word(300, 1), word(0, 1)).matchAll(/,(-?[\d.]+)/g)].map(found => +found[1]);
  assert.ok(ys.every(y => y <= 50));
});

test('an arc to the line above stays between the two lines', () => {
  const ys = [...arcPath(word(100, 1), word(300, 0)).matchAll(/,(-?[\d.]+)/g)].map(found => +found[1]);
  assert.ok(ys.every(y => y >= 24 && y <= 50));
});

test('no arc strikes through a line between', () => {
  assert.equal(arcPath(word(100, 2), word(300, 0)), null);
});
