import assert from 'node:assert/strict';
import {test} from 'node:test';
import {scrollFor, seenShare} from '../../../ui/rooms/hall/view/framing.js';

const FREE = {top: 0, bottom: 600};

test('what is seen whole stays where it is', () => {
  assert.equal(scrollFor({top: 100, height: 200}, FREE), 0);
  assert.equal(seenShare({top: 100, height: 200}, FREE), 1);
});

test('what lies under the bar comes to the middle of what is free', () => {
  const by = scrollFor({top: 550, height: 200}, FREE);
  assert.equal(550 - by + 100, 300);
  assert.equal(seenShare({top: 550 - by, height: 200}, FREE), 1);
});

test('what is taller than the free space begins at its top', () => {
  const by = scrollFor({top: 900, height: 2000}, FREE);
  assert.equal(900 - by, 12);
  assert.ok(seenShare({top: 900 - by, height: 2000}, FREE) > 0.97);
});

test('a share counts what is covered', () => {
  assert.equal(seenShare({top: 500, height: 200}, FREE), 0.5);
  assert.equal(seenShare({top: 700, height: 200}, FREE), 0);
});
