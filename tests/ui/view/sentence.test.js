import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import * as strip from '../../../ui/shared/view/sentence.js';

test('who has told of a change does not hear of it, all others do, once', () => {
  const heard = [];
  const mine = news => heard.push(['mine', news]);
  const leave = strip.onSentence(mine);
  strip.onSentence(news => heard.push(['other', news]));
  strip.setSentence('the cat', mine);
  strip.setSentence('the cat', null);
  strip.chooseHead([5, 0], mine);
  strip.chooseHead([5, 0]);
  assert.equal(JSON.stringify(heard), '[["other",{"text":"the cat"}],["other",{"head":[5,0]}]]');
  assert.equal(strip.sentence(), 'the cat');
  assert.deepEqual(strip.chosenHead(), [5, 0]);
  leave();
  strip.setSentence('the dog');
  assert.equal(heard.filter(([who]) => who === 'mine').length, 0);
});

test('a reload keeps the sentence, a link sets it, and one with two texts sets each in its place', () => {
  assert.equal(strip.firstSentence('?a=1', {search: '?a=1', text: 'kept'}), 'kept');
  assert.equal(strip.firstSentence('?prompt=One', {search: '?a=1', text: 'kept'}), 'One');
  assert.equal(strip.firstSentence('?text=Two', null), 'Two');
  assert.equal(strip.firstSentence('?text=Two&prompt=One', null), '');
  assert.equal(strip.firstSentence('', null), '');
});

test('a link carries the chosen head and token, and another sentence has none chosen', () => {
  assert.deepEqual(strip.firstChosen('?layer=5&head=0&token=12'), {head: [5, 0], token: 12});
  assert.deepEqual(strip.firstChosen('?layer=5&token=-1'), {head: null, token: null});
  strip.setSentence('one more sentence');
  strip.chooseHead([2, 1]);
  strip.chooseToken(3);
  assert.deepEqual(strip.chosenInLink(), {layer: 2, head: 1, token: 3});
  strip.setSentence('and another');
  assert.equal(strip.chosenToken(), null);
  assert.deepEqual(strip.chosenInLink(), {layer: 2, head: 1});
});
