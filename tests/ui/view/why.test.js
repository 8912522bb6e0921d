import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {apart} from '../../../ui/lenses/attention/why/formed.js';
import {places} from '../../../ui/lenses/attention/why/circuit.js';
import {waterfall} from '../../../ui/lenses/attention/why/view.js';

test('the bars of a waterfall begin where the one before ends, about one zero', () => {
  const {zero, bars} = waterfall([2, -1, 3]);
  assert.equal(zero, 0);
  const ends = bars.map(({from, to}) => `${from} to ${to}`);
  assert.deepEqual(ends, ['0 to 0.5', '0.25 to 0.5', '0.25 to 1']);
  assert.equal(waterfall([-1, 2]).zero, 0.5);
  assert.deepEqual(waterfall([0]).bars, [{from: 0.5, to: 0.5}]);
});

const node = (kind, layer, place, index = 0) => ({kind, layer, place, index});

test('every part of a circuit has a place of its own, words left, the answer right, layers in order', () => {
  const nodes = [
    node('word', -1, 0),
    node('word', -1, 4),
    node('head', 0, 4, 1),
    node('head', 0, 4, 2),
    node('neuron', 0, 4, 7),
    node('head', 3, 6),
    node('answer', 4, 6),
  ];
  for (const width of [340, 800, 1500]) {
    const at = places(nodes, 4, width);
    assert.deepEqual(at.rows, [0, 4, 6]);
    assert.equal(new Set(at.points.map(String)).size, nodes.length);
    const xs = at.points.map(([x]) => x);
    assert.ok(xs[0] < xs[2] && xs[2] < xs[4] && xs[4] < xs[5] && xs[5] < xs[6]);
    assert.equal(xs[2], xs[3]);
    for (const [x, y] of at.points) assert.ok(x > 0 && x < width && y > 0 && y < at.height);
    assert.ok(at.points[0][1] < at.points[1][1] && at.points[1][1] < at.points[5][1]);
  }
});

test('names at the ends of lines never lie on each other, and keep their order', () => {
  assert.deepEqual(apart([10, 12, 50], 14), [10, 24, 50]);
  assert.deepEqual(apart([50, 10, 12], 14), [50, 10, 24]);
  assert.deepEqual(apart([], 14), []);
});
