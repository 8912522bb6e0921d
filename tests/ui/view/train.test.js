import assert from 'node:assert/strict';
import {test} from 'node:test';
import {curveRows, tiles, trainingLoss} from '../../../ui/lenses/train/view/figures.js';
import {freePlace} from '../../../ui/lenses/train/view/curve_lines.js';
import {learned, race, verdict} from '../../../ui/lenses/train/view/figures.js';
import {isAlive} from '../../../ui/lenses/train/view/run_drawing.js';
import {begun, queued, receive} from '../../../ui/lenses/train/view/received.js';

const news = (first, rows, from, looks) => ({
  first,
  rows,
  looks_from: from,
  looks,
  state: 'running',
  step: 9,
});

test('a race goes on as long as one of its runs does', () => {
  const runs = (state, rival) => ({state, rival: rival && {state: rival}});
  assert.ok(isAlive(runs('running')) && isAlive(runs('ended', 'running')));
  assert.ok(isAlive(runs('paused', 'ended')) && isAlive(runs('queued', 'queued')));
  assert.ok(!isAlive(runs('ended')) && !isAlive(runs('ended', 'ended')) && !isAlive(null));
});

test('news are added, and what is no longer the beginning is replaced', () => {
  const run = begun({run: 'run-a', about: {}, version: 0});
  receive(run, news(0, [[1], [2]], 0, [{step: 0}]));
  receive(run, news(2, [[3]], 1, [{step: 2}]));
  assert.deepEqual(run.rows, [[1], [2], [3]]);
  receive(run, news(0, [[2], [4]], 0, [{step: 4}]));
  assert.deepEqual([run.rows, run.looks, run.step], [[[2], [4]], [{step: 4}], 9]);
});

test('a place in the queue is said with when the run begins, as far as that is known', () => {
  assert.equal(
    queued({number: 3, seconds: 49.6}),
    'You are 3rd in the queue; your run starts by itself in about 50 s',
  );
  assert.equal(
    queued({number: 1, seconds: null}),
    'You are 1st in the queue; your run starts by itself',
  );
  const said = [2, 4, 11, 12, 13, 21, 22].map(
    number => queued({number, seconds: null}).split(' ')[2],
  );
  assert.deepEqual(said, ['2nd', '4th', '11th', '12th', '13th', '21st', '22nd']);
});

test('where the model of an earlier update is kept, the training loss is that of this update', () => {
  const rows = [1, 2, 3].map(step => [step, 4 - step, 0.1, 1]);
  const last = trainingLoss({rows, kept: null});
  const kept = trainingLoss({rows, kept: 1});
  assert.equal(kept, 3);
  assert.ok(last < kept);
  assert.equal(trainingLoss({rows, kept: 0}), null);
});

const about = {kind: 'text', tokens_per_character: 0.5, terms: [], commonest: null};
const pace = {step: 1200, rate: 5000.4, elapsed: 12, left: 95};
const looks = [
  {step: 0, valid: 4},
  {step: 1000, valid: Math.LN2},
];
const run = {
  about,
  ...pace,
  state: 'running',
  final: null,
  final_accuracy: null,
  rows: [[1, 3, 0.1, 1, 1]],
  looks,
};

test('bits per character come from the held-out loss and the tokens in a character', () => {
  const tilesOf = (of, more = {}) =>
    Object.fromEntries(tiles({...run, ...more, about: {...about, ...of}}, false));
  const shown = tilesOf({});
  assert.equal(shown['loss on unseen text, update 1,000'], '0.693');
  assert.equal(shown.perplexity, '2.00');
  assert.equal(shown['bits per character'], '0.500');
  assert.equal(shown.left, '1 min 35 s');
  assert.equal(tilesOf({}, {left: 0}).left, 'scoring');
  assert.equal(tilesOf({kind: 'instructions'})['bits per character'], '0.500');
  const pairs = tilesOf({kind: 'preferences', tokens_per_character: null}, {final_accuracy: 0.75});
  assert.equal(pairs['the preferred one gained'], '75.0%');
  assert.ok(!Object.keys(pairs).some(name => /perplexity|bits/.test(name)));
  const labels = tilesOf({kind: 'labels', commonest: 0.5}, {final_accuracy: 0.75});
  assert.deepEqual([labels.accuracy, labels['the most frequent label']], ['75.0%', '50.0%']);
});

test('the table of a curve has a column for every term of a loss that is a sum', () => {
  const sum = {
    ...run,
    about: {...about, terms: ['DPO', 'own']},
    rows: [[1, 3, 0.1, 1, 1, 0.7, 2.3]],
  };
  const [names, first, row] = curveRows(sum);
  assert.deepEqual(names.slice(5), [
    'DPO, nats',
    'own, nats',
    'held_out_nats',
    'held_out_at_the_end_nats',
  ]);
  assert.deepEqual([first.length, first.at(-2), row.length], [names.length, 4, names.length]);
  // a term that is the loss itself has no column
  assert.equal(curveRows({...sum, about})[2].length, 7);
});

const LINES = {uniform: 4.3, unigram: 3.07, bigram: 2.38};

test('the sentence changes with the loss', () => {
  const said = [4.3, 3.5, 2.7, 1.5].map(loss => learned(LINES, loss, null));
  assert.match(said[0], /knows nothing yet/);
  assert.match(said[1], /0\.80 nats below guessing evenly, not yet below the unigram/);
  assert.match(said[2], /0\.37 nats below the unigram baseline, 0\.32 nats above the bigram one/);
  assert.match(said[3], /0\.88 nats below the bigram baseline/);
});

test('a loss that is close to a baseline is about as good', () => {
  assert.match(learned(LINES, 2.334, null), /about as good as the bigram baseline/);
  assert.match(learned(LINES, 3.04, null), /about as good as the unigram baseline/);
  assert.match(learned(LINES, 4.26, null), /no better than guessing evenly/);
});

test('where the baselines are not in order, the best of them counts', () => {
  const short = {uniform: 3.33, unigram: 3.39, bigram: 3.74};
  assert.match(
    learned(short, 3.5, null),
    /best baseline is guessing evenly, at 3\.33 nats.* 0\.17 nats above it: it has not beaten/,
  );
  assert.match(learned(short, 3.1, null), /0\.23 nats below it\.$/);
});

test('a text that is learned by heart is told from one that is understood', () => {
  assert.match(learned(LINES, 1.5, 1.1), /0\.40 lower: part of that may be memorised/);
  assert.doesNotMatch(learned(LINES, 1.5, 1.4), /memorised/);
});

test('nothing is said without a held-out loss or baselines', () => {
  assert.equal(learned(LINES, null, null), '');
  assert.equal(learned({uniform: 1.1}, 1.0, null), '');
});

test('the label of a level stands where it covers no curve', () => {
  const place = taken => freePlace(60, 12, [50, 450], 100, taken);
  assert.deepEqual(place([]), [446, 98]); // at the right, above
  // a curve just above the level
  const along = Array.from({length: 40}, (_, i) => [60 + 10 * i, 92]);
  assert.deepEqual(place(along), [446, 116]);
  const right = [
    [440, 92],
    [440, 110],
  ];
  assert.deepEqual(place(right), [280, 98]); // in the middle
});

const madeRun = more => ({
  about: {
    lines: LINES,
    trick: 'none',
    n_valid: 5000,
    n_train: 1000,
    tokens_per_step: 100,
    settings: {},
  },
  rows: [
    [1, 3],
    [11, 2],
    [52, 1],
  ],
  looks: [
    {step: 0, valid: 4.3},
    {step: 11, valid: 2.2},
  ],
  step: 52,
  final: null,
  kept: null,
  ...more,
});

test('a verdict compares losses of one update, and speaks of memory once the text was read again', () => {
  assert.doesNotMatch(verdict(madeRun({})), /memorised/); // 2.2 against about 2.6 at update 11
  assert.match(verdict(madeRun({looks: [{step: 52, valid: 2.2}]})), /memorised/);
  const long = madeRun({looks: [{step: 52, valid: 2.2}]});
  long.about.n_train = 100_000;
  assert.doesNotMatch(verdict(long), /memorised/);
});

test('where every token sees the next one, or hardly anything is held out, no baseline is compared', () => {
  const seeing = madeRun({});
  seeing.about.trick = 'no_mask';
  assert.match(verdict(seeing), /measures copying/);
  const short = madeRun({});
  short.about.n_valid = 7;
  assert.match(verdict(short), /Only 7 tokens are held out/);
  assert.equal(verdict(madeRun({looks: []})), '');
});

test('a race gives each loss with its own update, and may be level', () => {
  const mine = madeRun({about: {...madeRun({}).about, settings: {a: '1'}}});
  const theirs = madeRun({
    about: {...madeRun({}).about, settings: {a: '2'}},
    looks: [{step: 30, valid: 2.2001}],
  });
  assert.match(
    race(mine, theirs).line,
    /2\.200 after 11 updates.*2\.200 after 30 updates\. They are level\./,
  );
});

test('every snapshot is in the table of the curve, also where the rows were thinned out, and the last loss of all', () => {
  const about = {terms: [], tokens_per_character: 1};
  const thinned = {
    about,
    rows: [[10, 2, 0.1, 1, 5]],
    looks: [0, 7, 10].map(step => ({step, valid: step / 10})),
    final: 0.5,
  };
  const [names, ...rows] = curveRows({...thinned, kept: null, step: 10});
  assert.deepEqual(
    rows.map(row => [row[0], row.at(-2), row.at(-1)]),
    [
      [0, 0, ''],
      [7, 0.7, ''],
      [10, 1, 0.5],
    ],
  );
  assert.ok(rows.every(row => row.length === names.length));
  assert.equal(curveRows({about, rows: [], looks: [], final: 1, kept: null, step: 0}).length, 1);
});
