import assert from 'node:assert/strict';
import test from 'node:test';
import {changedIn, conclusion, duel, lossAt, ordered, stateOf} from '../../../ui/components/hall/wall_score.js';

const run = (viewing, settings, points = [], more = {}) => ({
  viewing,
  name: viewing.toUpperCase(),
  title: 'T',
  state: 'running',
  step: 3,
  unit: 'nats',
  loss: points.at(-1)?.[1] ?? null,
  points,
  place: null,
  settings,
  ...more,
});

test('what was changed is what most runs do not have', () => {
  const runs = [run('a', {layers: 2, rate: 1}), run('b', {layers: 2, rate: 1}), run('c', {layers: 4, rate: 1})];
  assert.deepEqual(changedIn(runs), [[], [], ['layers 4']]);
  assert.deepEqual(changedIn([run('a', {})]), [[]]);
});

test('pinned runs come first, the others keep their order', () => {
  const runs = ['a', 'b', 'c'].map(name => run(name, {}));
  assert.deepEqual(
    ordered(runs, new Set(['c'])).map(one => one.viewing),
    ['c', 'a', 'b'],
  );
});

test('a duel compares at the time that both have reached', () => {
  const ahead = run('a', {}, [
    [0, 4],
    [10, 3],
    [20, 1],
  ]);
  const behind = run('b', {}, [
    [0, 4],
    [10, 2.5],
  ]);
  assert.equal(lossAt(ahead.points, 15), 3);
  assert.equal(lossAt(ahead.points, -1), null);
  assert.equal(duel(ahead, behind), 'After 10 s of training each B is 0.50 nats below A.');
  assert.match(duel(ahead, {...ahead, name: 'C'}), /they are even: 1.00 nats/);
  assert.match(duel(ahead, run('c', {})), /have to learn/);
  assert.match(duel(ahead, {...behind, unit: 'bits per character'}), /different units/);
});

test('the wall says how many there are and whose loss is lowest', () => {
  assert.equal(conclusion({runs: [], more: 0}), 'Nobody has put a name to a run yet.');
  const runs = [run('a', {}, [[1, 2]]), run('b', {}, [], {state: 'queued', place: 1})];
  assert.equal(
    conclusion({runs, more: 1}),
    '3 names on the wall, 1 learning, 1 waiting. The lowest loss is A’s: 2.00 nats.',
  );
  assert.equal(stateOf(runs[1]), 'waits as number 1');
  assert.equal(stateOf(runs[0]), 'learning · 3 updates');
  assert.equal(stateOf(run('c', {}, [], {state: 'none'})), 'no run yet');
});
