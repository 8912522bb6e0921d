import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import * as store from '../../../ui/shared/view/store.js';

test('who has told of a change does not hear of it, all others do, once', () => {
  const heard = [];
  const mine = news => heard.push(['mine', news]);
  const leave = store.onStore(mine);
  store.onStore(news => heard.push(['other', news]));
  store.setSentence('the cat', mine);
  store.setSentence('the cat', null);
  store.chooseHead([5, 0], mine);
  store.chooseHead([5, 0]);
  assert.equal(
    JSON.stringify(heard),
    '[["other",{"text":"the cat","replaced":""}],["other",{"head":[5,0]}]]',
  );
  assert.equal(store.sentence(), 'the cat');
  assert.deepEqual(store.chosenHead(), [5, 0]);
  leave();
  store.setSentence('the dog');
  assert.equal(heard.filter(([who]) => who === 'mine').length, 0);
});

test("the visitor's own sentence is told where another text takes its place, and not where it goes on", () => {
  const heard = [];
  const leave = store.onStore(news => 'text' in news && heard.push(news.replaced));
  store.typeSentence('We went home');
  store.setSentence('We went home and slept'); // written on
  store.setSentence('We went home'); // taken back
  store.setSentence('An exercise');
  store.setSentence('Another one'); // not the visitor's
  store.setSentence('We went home');
  store.setSentence('A third');
  leave();
  assert.deepEqual(heard, ['', '', '', 'We went home', '', '', 'We went home']);
});

test('a reload keeps the sentence, a link sets it, and one with two texts sets each in its place', () => {
  assert.equal(
    store.firstSentence('?a=1', {text: 'kept'}, () => true),
    'kept',
  );
  assert.equal(
    store.firstSentence('?prompt=One', {text: 'kept'}, () => false),
    'One',
  );
  assert.equal(store.firstSentence('?text=Two', null), 'Two');
  assert.equal(store.firstSentence('?text=Two&prompt=One', null), '');
  assert.equal(store.firstSentence('', null), '');
});

test('a link names the chosen head and token, and another sentence has none chosen', () => {
  assert.deepEqual(store.firstChosen('?layer=5&head=0&token=12'), {head: [5, 0], token: 12});
  assert.deepEqual(store.firstChosen('?layer=5&token=-1'), {head: null, token: null});
  store.setSentence('one more sentence');
  store.chooseHead([2, 1]);
  store.chooseToken(3);
  assert.equal(store.valueOf('token'), 3);
  store.setSentence('and another');
  assert.equal(store.chosenToken(), null);
  assert.deepEqual(store.chosenHead(), [2, 1]);
});

test('a field has the value that was held last, and the first one is remembered; who subscribes hears what changed', () => {
  const heard = [];
  const leave = store.onStore(news => news.fields && heard.push(news.fields));
  store.holdFields(['temperature', 'sink'], [1, 'raw']);
  store.holdFields(['temperature', 'sink'], [0.5, 'raw']);
  store.holdFields(['temperature'], [0.5]);
  leave();
  assert.deepEqual(heard, [['temperature', 'sink'], ['temperature']]);
  assert.equal(store.valueOf('temperature'), 0.5);
  assert.equal(store.initialOf('temperature'), 1);
  assert.equal(store.valueOf('nothing'), null);
  assert.ok(store.isKnown('sink') && store.isKnown('head') && !store.isKnown('nothing'));
});

test('the text that a question is about is the visitor’s sentence, once there is one, whatever stands in a box', () => {
  store.setSentence('');
  store.holdFields(['text', 'prompt'], ['an example', 'another']);
  assert.equal(store.valueOf('text'), 'an example');
  store.setSentence('my own');
  assert.equal(store.valueOf('text'), 'my own');
  assert.equal(store.valueOf('prompt'), 'my own');
});

test('rows of a table are held as rows, however Gradio wraps them', () => {
  store.holdFields(['examples'], [{headers: ['a', 'b'], data: [['x', 'y']], metadata: null}]);
  assert.deepEqual(store.valueOf('examples'), [['x', 'y']]);
});

test('a token that was chosen in a sentence is not chosen in the next one', () => {
  store.setSentence('the cat sat');
  store.chooseToken(2);
  store.setSentence('the cat sat down');
  assert.equal(store.chosenToken(), null);
  store.chooseToken(1);
  store.setSentence('the cat sat down'); // the same
  assert.equal(store.chosenToken(), 1);
});
