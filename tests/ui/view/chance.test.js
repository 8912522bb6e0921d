import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {fallen, reshaped, uniform} from '../../../ui/lenses/start/view/chance.js';
import {readSettings, written} from '../../../ui/lenses/start/view/guesses.js';

const CHANCES = [0.4, 0.3, 0.2, 0.06, 0.04]; // of a whole vocabulary; three of them are shown
const SCORES = CHANCES.slice(0, 3).map(Math.log);
const power = (p, temperature) => p ** (1 / temperature);
const total = temperature => CHANCES.reduce((sum, p) => sum + power(p, temperature), 0);
const LOG_SUMS = Array.from({length: 40}, (_, i) => Math.log(total(0.05 * (i + 1))));
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} ${b}`);

test('a temperature reshapes by the sum over the whole vocabulary, and the rest is what is not shown', () => {
  for (const temperature of [0.05, 0.5, 1, 1.45, 2]) {
    const {shown, rest} = reshaped(SCORES, LOG_SUMS, temperature);
    shown.forEach((p, i) => near(p, power(CHANCES[i], temperature) / total(temperature)));
    near(
      rest,
      CHANCES.slice(3).reduce((sum, p) => sum + power(p, temperature) / total(temperature), 0),
    );
  }
});

test('at temperature 0 the likeliest has all, wherever it stands', () => {
  assert.deepEqual(reshaped(SCORES.toReversed(), LOG_SUMS, 0), {shown: [0, 0, 1], rest: 0});
});

test('top-k keeps the likeliest and shares what the others had', () => {
  const {shown, rest} = reshaped([SCORES[1], SCORES[0], SCORES[2]], LOG_SUMS, 1, 2);
  near(shown[0], 0.3 / 0.7);
  near(shown[1], 0.4 / 0.7);
  assert.deepEqual([shown[2], rest], [0, 0]);
});

test('a draw falls on the row, or among the others, that its number says', () => {
  const odds = {shown: [0.5, 0, 0.25], rest: 0.25};
  for (const [u, row] of [
    [0, 0],
    [0.499, 0],
    [0.5, 2],
    [0.749, 2],
  ])
    assert.deepEqual(fallen(odds, u), {at: row});
  near(fallen(odds, 0.75).share, 0);
  near(fallen(odds, 0.875).share, 0.5);
  assert.deepEqual(fallen({shown: [0.5, 0.5, 0], rest: 0}, 1), {at: 1}); // never a row that is cut
});

test('the same seed and place give the same number, others other ones, and all are spread evenly', () => {
  assert.equal(uniform(7, 3), uniform(7, 3));
  const numbers = Array.from({length: 10_000}, (_, i) => uniform(i % 100, Math.floor(i / 100)));
  assert.equal(new Set(numbers).size, numbers.length);
  assert.ok(numbers.every(u => u >= 0 && u < 1));
  for (const third of [0, 1, 2]) {
    const share = numbers.filter(u => Math.floor(3 * u) === third).length / numbers.length;
    assert.ok(Math.abs(share - 1 / 3) < 0.02, String(share));
  }
});

test('what Start holds in a link comes back, also where it is 0', () => {
  const read = text => readSettings(name => new URLSearchParams(text).get(name));
  const asSent = read('');
  assert.deepEqual(written(asSent), {start_temperature: null, start_top_k: null, dice: null});
  for (const settings of [
    {temperature: 0, topK: 3, seed: 0},
    {temperature: 2, topK: 8, seed: 17},
  ]) {
    const given = Object.entries(written(settings)).filter(([, text]) => text !== null);
    assert.deepEqual(read(String(new URLSearchParams(given))), settings);
  }
  assert.deepEqual(read('start_temperature=2.5&start_top_k=-1&dice=x'), asSent);
});
