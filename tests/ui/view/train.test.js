import assert from 'node:assert/strict';
import {test} from 'node:test';
import {trainingLoss} from '../../../ui/lenses/train/view/figures.js';
import {begun, queued, receive} from '../../../ui/lenses/train/view/received.js';

const news = (first, rows, from, looks) => ({first, rows, looks_from: from, looks, state: 'running', step: 9});

test('news are added, and what is no longer the beginning is replaced', () => {
  const run = begun({run: 'run-a', about: {}, version: 0});
  receive(run, news(0, [[1], [2]], 0, [{step: 0}]));
  receive(run, news(2, [[3]], 1, [{step: 2}]));
  assert.deepEqual(run.rows, [[1], [2], [3]]);
  receive(run, news(0, [[2], [4]], 0, [{step: 4}]));
  assert.deepEqual([run.rows, run.looks, run.step], [[[2], [4]], [{step: 4}], 9]);
});

test('a place in the queue is said with when the run begins, as far as that is known', () => {
  assert.equal(queued({number: 3, seconds: 49.6}), 'You are 3rd in the queue, in about 50 s: it begins by itself');
  assert.equal(queued({number: 1, seconds: null}), 'You are 1st in the queue: it begins by itself');
  assert.deepEqual(
    [2, 4, 11, 12, 13, 21, 22].map(number => queued({number, seconds: null}).split(' ')[2]),
    ['2nd', '4th', '11th', '12th', '13th', '21st', '22nd'],
  );
});

test('where the model of an earlier update is kept, the training loss is that of this update', () => {
  const rows = [1, 2, 3].map(step => [step, 4 - step, 0.1, 1]);
  const last = trainingLoss({rows, kept: null});
  const kept = trainingLoss({rows, kept: 1});
  assert.equal(kept, 3);
  assert.ok(last < kept);
  assert.equal(trainingLoss({rows, kept: 0}), null);
});
