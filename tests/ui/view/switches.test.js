import assert from 'node:assert/strict';
import {test} from 'node:test';
import {pressed} from '../../../ui/lenses/attention/view/switches.js';

const off = new Set(['0,attention,']);

test('the first click takes the example away', () => {
  assert.deepEqual([...pressed(off, '1,head,2', true)], ['1,head,2']);
  assert.deepEqual([...pressed(off, '0,attention,', true)], []);
});

test('a later click adds to what is off, and a second one on the same part takes it away', () => {
  assert.deepEqual([...pressed(off, '1,head,2', false)], ['0,attention,', '1,head,2']);
  assert.deepEqual([...pressed(new Set(['1,head,2']), '1,head,2', false)], []);
});

test('what was off before is left as it was', () => {
  pressed(off, '1,head,2', false);
  assert.deepEqual([...off], ['0,attention,']);
});
