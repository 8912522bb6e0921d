import assert from 'node:assert/strict';
import {test} from 'node:test';
import {atOnce, bound, verdict} from '../../../ui/components/start/guessing_score.js';

test("Shannon's bound is the entropy of how many guesses were needed", () => {
  assert.equal(bound([1, 1, 1, 1]), 0);
  assert.equal(bound([1, 2]), 1);
  assert.ok(Math.abs(bound([1, 1, 1, 2]) - 0.8112781) < 1e-6);
  assert.ok(Number.isNaN(bound([])));
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
