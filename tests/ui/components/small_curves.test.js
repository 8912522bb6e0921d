import assert from 'node:assert/strict';
import test from 'node:test';
import {curvePath, frameOf} from '../../../ui/components/shared/small_curves.js';

const falling = [
  [0, 4],
  [10, 2],
];

test('the frame holds all curves', () => {
  assert.deepEqual(frameOf([falling, [[5, 3]]]), {right: 10, low: 2, high: 4});
});

test('curves of one frame are comparable', () => {
  const frame = frameOf([falling, [[5, 3]]]);
  assert.equal(curvePath(falling, frame, 100, 50), 'M0.0 0.0L100.0 50.0');
  assert.equal(curvePath([[5, 3]], frame, 100, 50), 'M50.0 25.0');
});

test('no point is no curve, and a single height stands in the middle', () => {
  assert.equal(curvePath([], frameOf([]), 100, 50), '');
  assert.equal(curvePath([[1, 2]], frameOf([[[1, 2]]]), 100, 50), 'M100.0 25.0');
});
