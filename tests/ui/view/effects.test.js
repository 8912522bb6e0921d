import assert from 'node:assert/strict';
import {test} from 'node:test';
import {strengths, strongest} from '../../../ui/lenses/zero_shot/view/effects.js';

const word = (text, effect, kind = 'input') => ({text, effect, kind});
const REVIEW = [
  word('I', 0.01),
  word(' loved', 0.4),
  word(' it', -0.1),
  word('\nSentiment:', 6, 'cue'),
];

test('the cue does not take the colour from the words', () => {
  assert.deepEqual(strengths(REVIEW).slice(1), [1, 0.25, null]);
});

test('the strongest word is named, and the cue apart', () => {
  const said = strongest(REVIEW, 'positive', 0.9);
  assert.match(
    said,
    /^“loved” helps most: it makes “positive” 1\.5 times as likely \(without it 60\.3%\)/,
  );
  assert.match(said, /“it” counts against it most/);
  assert.match(said, /Without the cue “Sentiment:” the answer is 403 times less likely/);
});

test('a cue that works against the answer is said to', () => {
  const said = strongest([word('I', 0.01), word('\nSentiment:', -0.64, 'cue')], 'positive', 1e-6);
  assert.match(said, /Without the cue “Sentiment:” the answer is 1\.9 times more likely/);
});

test('the sentence changes with the data, and says so when nothing stands out', () => {
  assert.match(
    strongest([word('a', -2), word('b', 0.1)], 'x', 0.5),
    /“b” helps most.*“a” counts against it/,
  );
  assert.equal(
    strongest([word('a', 0.01), word('b', -0.02)], 'x', 0.5),
    'No single word stands out.',
  );
  assert.ok(strengths([word('a', 0.01)])[0] < 0.25);
});
