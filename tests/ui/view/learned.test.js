import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {learned} from '../../../ui/lenses/train/view/figures.js';

const LINES = {uniform: 4.3, unigram: 3.07, bigram: 2.38};

test('the sentence changes with the loss', () => {
  const said = [4.3, 3.5, 2.7, 1.5].map(loss => learned(LINES, loss, null));
  assert.match(said[0], /knows nothing yet/);
  assert.match(said[1], /0\.80 nats below guessing evenly/);
  assert.match(said[2], /not yet below the bigram one/);
  assert.match(said[3], /0\.88 nats below the bigram baseline/);
});

test('a text that is learned by heart is told from one that is understood', () => {
  assert.match(learned(LINES, 1.5, 1.1), /0\.40 lower: part of that may be memorised/);
  assert.doesNotMatch(learned(LINES, 1.5, 1.4), /memorised/);
});

test('nothing is said without a held-out loss or baselines', () => {
  assert.equal(learned(LINES, null, null), '');
  assert.equal(learned({uniform: 1.1}, 1.0, null), '');
});
