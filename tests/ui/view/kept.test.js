// What the browser keeps for a reload: the visit, and the workspace of the training.
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {VISIT, hold, keep, kept} from '../../../ui/shared/view/kept.js';
import {
  forgetWorkspace,
  ownWorkspace,
  remembered,
  useWorkspace,
} from '../../../ui/shared/view/workspace.js';

function storage() {
  const held = new Map();
  return {
    getItem: key => held.get(key) ?? null,
    setItem: (key, text) => held.set(key, text),
    removeItem: key => held.delete(key),
  };
}

beforeEach(() => {
  globalThis.window = /** @type {any} */ ({lensDrawnName: () => 'drawn by chance'});
  for (const name of ['sessionStorage', 'localStorage'])
    Object.defineProperty(globalThis, name, {value: storage(), configurable: true});
});

test('what is kept comes back, and nothing takes it away', () => {
  keep('a', {b: [1]});
  assert.deepEqual(kept('a'), {b: [1]});
  assert.equal(kept('a', 'localStorage'), null);
  keep('a', null);
  assert.equal(kept('a'), null);
  sessionStorage.setItem('a', 'no JSON');
  assert.equal(kept('a'), null);
});

test('a visit holds the newest of each thing, and no visit holds nothing', () => {
  hold({text: 'lost'});
  assert.equal(kept(VISIT), null);
  keep(VISIT, {name: 'mine', text: 'first'});
  hold({text: 'second'});
  hold({search: '?tab=start'});
  assert.deepEqual(kept(VISIT), {name: 'mine', text: 'second', search: '?tab=start'});
});

test('a workspace is remembered until it is gone, and an example takes none away', () => {
  useWorkspace('mine');
  assert.equal(remembered(), 'mine');
  useWorkspace(null); // an example is shown
  assert.equal(remembered(), 'mine');
  assert.equal(ownWorkspace(), 'mine');
  useWorkspace('of a speaker', false);
  assert.equal(remembered(), 'mine');
  assert.equal(ownWorkspace(), 'of a speaker');
  forgetWorkspace();
  assert.equal(remembered(), null);
  assert.equal(ownWorkspace(), 'drawn by chance');
});
