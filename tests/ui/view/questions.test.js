import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {matching} from '../../../ui/lenses/start/view/questions.js';

const ASKED = [
  ['Where does each head look?', 'tab=attention&view=Heads', ''],
  ['How much memory does it need?', 'tab=parameters&view=Reference', ''],
];

test('a search finds every question with all its words, in any order and case', () => {
  assert.deepEqual(matching(ASKED, 'HEAD look'), [ASKED[0]]);
  assert.deepEqual(matching(ASKED, 'look head'), [ASKED[0]]);
});

test('the names of tab and view are found, too', () => {
  assert.deepEqual(matching(ASKED, 'reference'), [ASKED[1]]);
});

test('an empty search leaves all, an unknown word none', () => {
  assert.deepEqual(matching(ASKED, '  '), ASKED);
  assert.deepEqual(matching(ASKED, 'head zebra'), []);
});
