import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {
  chooseHead,
  chooseToken,
  chosenHead,
  chosenInLink,
  chosenToken,
  firstChosen,
  firstSentence,
  onSentence,
  sentence,
  setSentence,
} from '../../../ui/shared/view/sentence.js';

test('who has told of a change does not hear of it, all others do, once', () => {
  const heard = [];
  const mine = news => heard.push(['mine', news]);
  const leave = onSentence(mine);
  onSentence(news => heard.push(['other', news]));
  setSentence('the cat', mine);
  setSentence('the cat', null);
  chooseHead([5, 0], mine);
  chooseHead([5, 0]);
  assert.deepEqual(heard, [
    ['other', {text: 'the cat'}],
    ['other', {head: [5, 0]}],
  ]);
  assert.equal(sentence(), 'the cat');
  assert.deepEqual(chosenHead(), [5, 0]);
  leave();
  setSentence('the dog');
  assert.equal(heard.filter(([who]) => who === 'mine').length, 0);
});

test('a reload keeps the sentence, a link sets it, and one with two texts sets each in its place', () => {
  assert.equal(firstSentence('?a=1', {search: '?a=1', text: 'kept'}), 'kept');
  assert.equal(firstSentence('?prompt=One', {search: '?a=1', text: 'kept'}), 'One');
  assert.equal(firstSentence('?text=Two', null), 'Two');
  assert.equal(firstSentence('?text=Two&prompt=One', null), '');
  assert.equal(firstSentence('', null), '');
});

test('a link carries the chosen head and token, and another sentence has none chosen', () => {
  assert.deepEqual(firstChosen('?layer=5&head=0&token=12'), {head: [5, 0], token: 12});
  assert.deepEqual(firstChosen('?layer=5&token=-1'), {head: null, token: null});
  setSentence('one more sentence');
  chooseHead([2, 1]);
  chooseToken(3);
  assert.deepEqual(chosenInLink(), {layer: 2, head: 1, token: 3});
  setSentence('and another');
  assert.equal(chosenToken(), null);
  assert.deepEqual(chosenInLink(), {layer: 2, head: 1});
});
