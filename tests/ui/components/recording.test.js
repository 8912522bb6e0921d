import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  finished,
  newTape,
  noteAnswer,
  noteValue,
  noteView,
  player,
  readTalk,
  talkText,
} from '../../../ui/components/shared/recording.js';

function recorded() {
  const tape = newTape({title: 'generate with mini', model: 'mini', date: '2026-01-01'});
  noteView(tape, 0, 'generate', 'Write');
  noteValue(tape, 0, 'stream', 'a\n');
  noteValue(tape, 0, 'hidden', 'never shown');
  noteValue(tape, 100, 'stream', 'a\nb\n');
  noteValue(tape, 100, 'stream', 'a\nb\n');
  noteAnswer(tape, 150, 'attention', 'head_map', ['key', 0, 1], {map: 'first'});
  noteAnswer(tape, 250, 'attention', 'head_map', ['key', 0, 1], {map: 'second'});
  noteAnswer(tape, 260, 'train', 'poll', ['bench', null], {rows: [1]});
  noteAnswer(tape, 270, 'train', 'poll', ['bench', 7], null);
  noteAnswer(tape, 280, 'train', 'poll', ['bench', 7], {rows: [2]});
  noteValue(tape, 300, 'stream', 'c\n');
  return finished(tape, 400.4, id => id === 'stream');
}

test('a text that grows is kept as what was added, and nothing of what was not on screen', () => {
  const {events, length} = recorded();
  assert.equal(length, 400);
  assert.deepEqual(
    events.filter(([kind]) => kind === 'value'),
    [
      ['value', 0, 'stream', 0, 'a\n'],
      ['value', 100, 'stream', 2, 'b\n'],
      ['value', 300, 'stream', 0, 'c\n'],
    ],
  );
});

test('a replay gives the same values at the same times, in steps of any size', () => {
  const slow = player(recorded());
  const seen = [];
  for (let ms = 0; ms <= 400; ms += 50) {
    const {changed, view} = slow.advance(ms);
    if (view) seen.push(view.join(' '));
    if (changed.has('stream')) seen.push([ms, slow.values.get('stream')]);
  }
  assert.deepEqual(seen, ['generate Write', [0, 'a\n'], [100, 'a\nb\n'], [300, 'c\n']]);
  const fast = player(recorded());
  fast.advance(400);
  assert.equal(fast.values.get('stream'), 'c\n');
});

test('a question has the answer that it had by then, of another bench or text too', () => {
  const one = player(recorded());
  assert.deepEqual(one.answer('attention', 'head_map', ['key', 0, 1], 200).answer, {map: 'first'});
  assert.deepEqual(one.answer('attention', 'head_map', ['another', 0, 1], 300).answer, {map: 'second'});
  assert.equal(one.answer('attention', 'head_map', ['key', 3, 1], 300), null);
  const news = [1, 2, 3].map(() => one.answer('train', 'poll', ['mine', null], 0));
  assert.deepEqual(news, [{ms: 260, answer: {rows: [1]}}, {ms: 280, answer: {rows: [2]}}, null]);
});

test('a talk is read as it was saved, and any other file is refused in a sentence', () => {
  const talk = readTalk(
    talkText('Mine', [
      {say: 'Look', recording: recorded()},
      {say: 'Then', link: 'tab=train'},
    ]),
  );
  assert.deepEqual([talk.title, talk.steps.length, talk.steps[1].link], ['Mine', 2, 'tab=train']);
  assert.deepEqual(talk.steps[0].recording, recorded());
  assert.throws(() => readTalk('{"kind": '), /not JSON/);
  for (const bad of [
    {},
    {kind: 'gptlens-talk', version: 2, steps: [{}]},
    {kind: 'gptlens-talk', version: 1, steps: []},
  ])
    assert.throws(() => readTalk(JSON.stringify(bad)), /not a (GPT Lens )?talk/);
  for (const step of [null, 7, {}, {say: 'Only words'}])
    assert.throws(() => readTalk(talkText('x', [step])), /Step 1 of this talk/);
  const broken = [
    {length: 3},
    {length: -1, events: []},
    {length: '3', events: []},
    {length: 3, events: [['value', '0', 'stream', 0, 'a']]},
    {length: 3, events: [['value', 0, 'stream', -1, 'a']]},
    null,
    {length: 3, events: [['value', 0, 'stream', 0, 7]]},
    {length: 3, events: [['answer', 0, 'drawing', 'drawn', [], {dark: '<img onerror=...>'}]]},
    {length: 3, events: [['other', 0]]},
    {
      length: 3,
      events: [
        ['view', 5, 'a', 'b'],
        ['view', 4, 'a', 'b'],
      ],
    },
  ];
  for (const recording of broken)
    assert.throws(() => readTalk(talkText('x', [{say: '', recording}])), /Step 1 of this talk/);
});
