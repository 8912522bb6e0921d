import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {found} from '../../../ui/lenses/start/view/search.js';

const KNOWN = [
  ['What does temperature do?', '', '', 'wild wilder softmax'],
  ['Why is the text different every time?', '', '', 'random seed dice'],
  ['Why does it make things up?', '', '', 'hallucinate hallucination'],
  ['Which heads copy what came before?', '', '', 'induction name'],
  ['Where are all the numbers?', '', '', 'parameters weights'],
  ['Why 124M parameters and not 117M?', '', ''],
];
const first = search => found(KNOWN, search)[0]?.[0];

test('small words do not count, unless there are no others', () => {
  assert.equal(first('how many parameters'), 'Where are all the numbers?');
  assert.equal(first('copy a name'), 'Which heads copy what came before?');
  assert.ok(found(KNOWN, 'why').length > 1);
});

test('words are compared by their beginnings', () => {
  assert.equal(first('hallucinating'), 'Why does it make things up?');
  assert.equal(first('seeds'), 'Why is the text different every time?');
  assert.equal(first('TEMPERATURES?'), 'What does temperature do?');
});

test('those that match more of the words come first and alone', () => {
  assert.deepEqual(
    found(KNOWN, '124M parameters').map(([text]) => text),
    ['Why 124M parameters and not 117M?'],
  );
  assert.equal(found(KNOWN, 'parameters').length, 2);
});

test('what no question is about finds none', () => {
  assert.deepEqual(found(KNOWN, 'zebra'), []);
  assert.deepEqual(found(KNOWN, '?!'), []);
});

test("further words are searched, and a question's example sentence is not", () => {
  const known = [
    ['How is it drawn?', 'a link', 'The zebra ran', 'dice seed'],
    ['Why?', '', '', ''],
  ];
  assert.deepEqual(found(known, 'dice'), [known[0]]);
  assert.deepEqual(found(known, 'zebra'), []);
});
