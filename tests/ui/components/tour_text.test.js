import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {clock} from '../../../ui/components/shared/clock.js';
import {inWords, moved, sceneOf} from '../../../ui/components/shared/scenes.js';
import {parseTour, tourText} from '../../../ui/components/shared/tour_text.js';

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

test('a talk is read with its notes, and what is written is read again', () => {
  const {title, steps} = parseTour(TEXT);
  assert.equal(title, 'Two things');
  assert.deepEqual(steps, [
    {link: 'tab=start&model=mini', point: '#start', say: 'It guesses, again and again.', notes: 'Ask the hall. Wait.'},
    {link: 'tab=train&start=1', point: '', say: 'A run.', notes: ''},
  ]);
  const again = parseTour(tourText({title, steps}));
  assert.deepEqual([again.title, again.steps], [title, steps]);
});

test('what a speaker types never becomes a mark of the file', () => {
  const typed = {link: 'tab=start', point: '', say: '? Why\n\n> this', notes: '@home\n\n?tab=x'};
  const [step, ...more] = parseTour(tourText({title: '> T\n\nU', steps: [typed]})).steps;
  assert.deepEqual(more, []);
  assert.deepEqual(step, {link: 'tab=start', point: '', say: 'Why > this', notes: 'home ?tab=x'});
});

test('a text without scenes is refused with the way out', () => {
  assert.throws(() => parseTour('nothing but words'), /has no steps. A step is a line like/);
});

test('a scene holds what its view sets, the shared sentence once, and the selection', () => {
  const place = {tab: 'attention', view: 'Heads', model: 'mini', sentence: 'The fox', chosen: {layer: 5, head: 0}};
  assert.equal(sceneOf(place, {}).link, 'tab=attention&view=Heads&model=mini&text=The+fox&layer=5&head=0');
  const write = sceneOf(
    {...place, tab: 'generate', view: 'Write', chosen: {}},
    {prompt: 'The fox', seed: 3, top_k: null},
  );
  assert.equal(write.link, 'tab=generate&view=Write&model=mini&prompt=The+fox&seed=3');
  assert.equal(inWords(write.link), 'generate · Write · model mini · prompt The fox · seed 3');
});

test('scenes move within the list alone', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 1), ['b', 'a', 'c']);
  assert.deepEqual(moved(['a', 'b', 'c'], 0, -1), ['a', 'b', 'c']);
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 1), ['a', 'b', 'c']);
});

test('a clock shows minutes and hours', () => {
  assert.deepEqual([0, 65_400, 3_729_000].map(clock), ['0:00', '1:05', '1:02:09']);
});
