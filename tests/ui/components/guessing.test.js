import assert from 'node:assert/strict';
import {test} from 'node:test';
import {atOnce, bound, boundCurve, verdict} from '../../../ui/components/start/guessing_score.js';

test("Shannon's bound is the entropy of how many guesses were needed", () => {
  assert.equal(bound([1, 1, 1, 1], 30), 0);
  assert.equal(bound([1, 2], 30), 1);
  assert.ok(Math.abs(bound([1, 1, 1, 2], 30) - 0.8112781) < 1e-6);
  assert.ok(Number.isNaN(bound([], 30)));
});

test('whoever always misses needs as many bits as there are choices left', () => {
  assert.equal(bound([6, 6, 6], 37), 5); // of 37, five were tried
  assert.equal(bound([1, 6], 37), 1 + 5 / 2);
  assert.equal(bound([6], 5), 0);
});

test('what is right at once is counted', () => {
  assert.deepEqual([atOnce([1, 2, 1, 6]), atOnce([])], [2, 0]);
});

test('the verdict counts, names who leads, and says so when nobody does', () => {
  assert.equal(verdict([], [], 'mini', 'letters'), '');
  assert.match(
    verdict([1], [2], 'mini', 'letters'),
    /^After 1 letter: right first time, you 1 \(100%\), mini 0 \(0%\)\.$/,
  );
  assert.doesNotMatch(verdict([1], [2], 'mini', 'letters'), /lead/); // too few to tell
  const [ten, none] = [Array(10).fill(1), Array(10).fill(2)];
  assert.match(verdict(ten, none, 'mini', 'words'), /After 10 words.*You lead by 10\.$/);
  assert.match(verdict(none, ten, 'mini', 'words'), /mini leads by 10\.$/);
  assert.match(verdict(ten, ten, 'mini', 'words'), /Nothing stands out\.$/);
});

test('the bound as it went ends at the bound, and begins where it says something', () => {
  const ranks = [1, 2, 1, 3, 1, 1];
  const curve = boundCurve(ranks, 30);
  assert.deepEqual(curve[0], [4, bound(ranks.slice(0, 4), 30)]);
  assert.deepEqual(curve.at(-1), [6, bound(ranks, 30)]);
  assert.deepEqual(boundCurve([1, 1, 1], 30), []);
});
