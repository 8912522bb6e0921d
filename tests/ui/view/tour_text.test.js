import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {clock} from '../../../ui/shared/view/clock.js';
import {parseTour} from '../../../ui/rooms/hall/view/tour_text.js';

const TEXT = `# Two things

?tab=start&model=mini
@ #start
It guesses,
again and again.
> Ask the hall.
> Wait.

?tab=train&start=1
A run.
`;

test('a talk is read with its notes', () => {
  const {title, steps} = parseTour(TEXT);
  assert.equal(title, 'Two things');
  assert.deepEqual(steps, [
    {link: 'tab=start&model=mini', point: '#start', say: 'It guesses, again and again.', notes: 'Ask the hall. Wait.'},
    {link: 'tab=train&start=1', point: '', say: 'A run.', notes: ''},
  ]);
});

test('the address that Copy link gives is the line of a scene', () => {
  const [step] = parseTour('http://127.0.0.1:7860/app/?tab=train&start=1\nIt learns. Why? See.').steps;
  assert.deepEqual([step.link, step.say], ['tab=train&start=1', 'It learns. Why? See.']);
});

test('a text without scenes is refused with the way out', () => {
  assert.throws(() => parseTour('nothing but words'), /has no steps. A step is a line like/);
});

test('a clock shows minutes and hours', () => {
  assert.deepEqual([0, 65_400, 3_729_000].map(clock), ['0:00', '1:05', '1:02:09']);
});
