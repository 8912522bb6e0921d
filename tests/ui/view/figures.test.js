import assert from 'node:assert/strict';
import test from 'node:test';
import {curveRows, tiles} from '../../../ui/lenses/train/view/figures.js';

const about = {
  title: 'A run',
  kind: 'text',
  parameters: 12345,
  settings: {optimiser: 'AdamW', layers: 2},
  tokens_per_character: 0.5,
  terms: [],
  commonest: null,
  tuned: false,
};
const run = {
  about,
  state: 'running',
  reason: '',
  busy: null,
  step: 1200,
  rate: 5000.4,
  elapsed: 12,
  left: 95,
  final: null,
  final_accuracy: null,
  queue: null,
  next_look: 14,
  rows: [[1, 3, 0.1, 1, 1]],
  looks: [
    {step: 0, elapsed: 0, valid: 4, accuracy: null},
    {step: 1000, elapsed: 10, valid: Math.LN2, accuracy: null},
  ],
};

test('bits per character come from the held-out loss and the tokens in a character', () => {
  const shown = Object.fromEntries(tiles(run, false));
  assert.equal(shown['held out, update 1,000'], '0.693');
  assert.equal(shown.perplexity, '2.00');
  assert.equal(shown['bits per character'], '0.500');
  assert.equal(shown.left, '1 min 35 s');
  const answers = {...run, about: {...about, kind: 'instructions'}};
  assert.equal(Object.fromEntries(tiles(answers, false))['bits per character'], '0.500');
  const pairs = {...run, final_accuracy: 0.75, about: {...about, kind: 'preferences', tokens_per_character: null}};
  assert.equal(Object.fromEntries(tiles(pairs, false))['the preferred one gained'], '75.0%');
  assert.ok(!tiles(pairs, false).some(([name]) => /perplexity|bits/.test(name)));
  const labels = {...run, final_accuracy: 0.75, about: {...about, kind: 'labels', commonest: 0.5}};
  assert.equal(Object.fromEntries(tiles(labels, false)).accuracy, '75.0%');
  assert.equal(Object.fromEntries(tiles(labels, false))['the most frequent label'], '50.0%');
});

test('the table of a curve has a column for every term of a loss that is a sum', () => {
  const sum = {...run, about: {...about, terms: ['DPO', 'own']}, rows: [[1, 3, 0.1, 1, 1, 0.7, 2.3]]};
  const [names, first, row] = curveRows(sum);
  assert.deepEqual(names.slice(5), ['DPO, nats', 'own, nats', 'held_out_nats']);
  assert.deepEqual([first.length, first.at(-1), row.length], [names.length, 4, names.length]);
  assert.equal(curveRows({...sum, about})[2].length, 6); // a term that is the loss itself has no column
});
