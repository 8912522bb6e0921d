import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {matching} from '../../../ui/lenses/start/view/questions.js';

const ASKED = [
  ['Where does each head look?', 'tab=attention&view=Heads', '', 'attention map', true],
  ['How much memory does it need?', 'tab=parameters&view=Reference', '', '', false],
];

test('a search finds every question with all its words, in any order and case', () => {
  assert.deepEqual(matching(ASKED, 'HEAD look'), [ASKED[0]]);
  assert.deepEqual(matching(ASKED, 'look head'), [ASKED[0]]);
});

test('the names of tab and view are found, too, and the words that stand for a question', () => {
  assert.deepEqual(matching(ASKED, 'reference'), [ASKED[1]]);
  assert.deepEqual(matching(ASKED, 'map'), [ASKED[0]]);
});

test('an empty search leaves the first few, or all; an unknown word none', () => {
  assert.deepEqual(matching(ASKED, '  '), ASKED);
  assert.deepEqual(matching(ASKED, '  ', false), [ASKED[0]]);
  assert.deepEqual(matching(ASKED, 'head zebra'), []);
});
