import assert from 'node:assert/strict';
import test from 'node:test';
import {
  cells,
  clock,
  guessSaid,
  heldOut,
  lookSaid,
  nats,
  curveRows,
  race,
  tiles,
  title,
} from '../../../ui/lenses/train/view/figures.js';

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

test('numbers are short, and what is not known is a dash', () => {
  assert.equal(nats(null), '–');
  assert.equal(nats(1.23456), '1.235');
  assert.deepEqual([clock(null), clock(3.25), clock(42.4), clock(125)], ['–', '3.3 s', '42 s', '2 min 5 s']);
});

test('the title says the state, the size and what slows it down', () => {
  assert.equal(title(run, false), 'Learning · A run · 12,345 parameters');
  assert.match(title({...run, busy: 0.45}, false), /gets 45% of its processor/);
  assert.match(title({...run, state: 'ended', reason: 'stopped'}, false), /^Ended · .* · stopped$/);
  assert.equal(title({...run, state: 'ended', reason: 'stopped'}, true).split(' · ')[0], 'Recorded example');
});

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

test('the final loss takes the place of the last observation', () => {
  assert.equal(heldOut(run), Math.LN2);
  assert.equal(heldOut({...run, final: 0.5}), 0.5);
  assert.equal(heldOut({...run, looks: []}), null);
  assert.ok(Object.fromEntries(tiles({...run, final: 0.5}, false))['held out, all of it']);
});

test('a race names what differs and who leads', () => {
  const rival = {...run, step: 900, final: 1, about: {...about, settings: {optimiser: 'Muon', layers: 2}}};
  const {mine, theirs, line} = race(run, rival);
  assert.deepEqual([mine, theirs], ['AdamW', 'Muon']);
  assert.match(line, /AdamW 0.693 after 1,200 updates, Muon 1.000 after 900 updates. AdamW leads by 0.307/);
  assert.doesNotMatch(race({...run, looks: []}, rival).line, /leads/);
});

test('a guess is a line until the run has ended', () => {
  assert.equal(guessSaid(null, run), '');
  assert.equal(guessSaid(2, run), 'Drawn as a line.');
  assert.match(guessSaid(2, {...run, state: 'ended', final: 1.5}), /ended at 1.50, 0.50 lower/);
});

test('a row of the table says what was changed; labels have no perplexity', () => {
  const old = {title: 'A', changed: ['layers 3'], steps: 1000, seconds: 2, valid: Math.LN2, tokens_per_character: 1};
  assert.deepEqual(cells(old, 1), [2, 'A', 'layers 3', '1,000', '2.0', '0.693', '2.00', '1.000']);
  assert.equal(cells(old, 0)[2], 'the first');
  assert.deepEqual(cells({...old, changed: [], tokens_per_character: null}, 1).slice(2), [
    'nothing',
    '1,000',
    '2.0',
    '0.693',
    '–',
    '–',
  ]);
});

test('an observation says when it was made and when the next is', () => {
  assert.equal(lookSaid(run, 1), 'after 1,000 updates, 10.0 s, loss 0.69 · next snapshot at 14 s');
  assert.equal(lookSaid(run, 0), 'after 0 updates, 0.0 s, loss 4.00: untrained');
  assert.match(lookSaid(run, 5), /before the first update is on its way/);
});
