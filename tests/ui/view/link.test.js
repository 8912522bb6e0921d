import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {holdsState, ownNames, setRegister, standsAt, stateOfView} from '../../../ui/shared/view/link.js';
import {chooseHead, chooseToken, holdComposed, holdFields, setSentence} from '../../../ui/shared/view/store.js';

globalThis.document = /** @type {any} */ ({querySelector: () => ({value: 'mini · bundled'})});
const heads = {name: 'heads', title: 'Heads', shows_sentence: true};
const pair = {name: 'pair', title: 'Two sentences', shows_sentence: false};
setRegister({
  tabs: [
    {name: 'attention', title: 'Attention', views: [heads, pair]},
    {name: 'train', title: 'Train', views: []},
  ],
  fields: [
    {name: 'sink', tab: 'attention', view: 'heads', base: ''},
    {name: 'keep', tab: 'attention', view: '', base: ''},
    {name: 'pair_a', tab: 'attention', view: 'pair', base: ''},
    {name: 'preset', tab: 'train', view: '', base: ''},
    {name: 'train.seed', tab: 'train', view: '', base: 'preset'},
    {name: 'task', tab: 'train', view: '', base: ''},
    {name: 'body', tab: 'train', view: '', base: 'task'},
    {name: 'asked', tab: 'train', view: '', base: '', composed: true},
  ],
  bases: {preset: {long: {'train.seed': 5}}},
});

test('a link holds what differs from the page as it was sent, of its view and of its tab alone', () => {
  holdFields(['sink', 'keep', 'pair_a'], ['raw', 'end', '']);
  assert.deepEqual(stateOfView(['Attention', 'Heads']), {tab: 'attention', view: 'Heads', model: 'mini'});
  holdFields(['sink', 'keep', 'pair_a'], ['front', 'beginning', 'One']);
  const found = stateOfView(['Attention', 'Heads']);
  assert.deepEqual([found.sink, found.keep, found.pair_a], ['front', 'beginning', undefined]);
  const other = stateOfView(['Attention', 'Two sentences']);
  assert.deepEqual([other.sink, other.keep, other.pair_a], [undefined, 'beginning', 'One']);
});

test('a link holds the sentence and what is chosen where the view is about them', () => {
  setSentence('the cat');
  chooseHead([3, 1]);
  chooseToken(2);
  const {text, layer, head, token} = stateOfView(['Attention', 'Heads']);
  assert.deepEqual([text, layer, head, token], ['the cat', 3, 1, 2]);
  assert.equal(stateOfView(['Attention', 'Two sentences']).text, undefined);
});

test('a link holds the pieces of its scripts, as they are when it is made', () => {
  let cell = null;
  holdsState('attention/heads', {cell: () => cell, draws: () => 'lines'});
  assert.equal(stateOfView(['Attention', 'Heads']).cell, undefined);
  cell = '3-2';
  const {cell: piece, draws} = stateOfView(['Attention', 'Heads']);
  assert.deepEqual([piece, draws], ['3-2', 'lines']);
  assert.ok(ownNames().has('cell') && ownNames().has('sink') && !ownNames().has('exercise'));
});

test('of a preset a link holds what differs from what it fills in, of an unknown choice everything', () => {
  holdFields(['preset', 'train.seed', 'task', 'body'], ['short', 1, 'one', 'as one']);
  assert.deepEqual(stateOfView(['Train', '']), {tab: 'train', model: 'mini'});
  holdFields(['preset', 'train.seed'], ['long', 5]);
  assert.deepEqual(stateOfView(['Train', '']), {tab: 'train', model: 'mini', preset: 'long'});
  holdFields(['train.seed'], [1]);
  assert.equal(stateOfView(['Train', ''])['train.seed'], '1');
  holdFields(['task', 'body'], ['two', 'as one']);
  assert.equal(stateOfView(['Train', '']).body, 'as one');
});

test('values are written as the server reads them, and where the page stands at one nothing is to be set', () => {
  holdFields(['sink', 'keep'], [false, [['a', 1]]]);
  const found = stateOfView(['Attention', 'Heads']);
  assert.deepEqual([found.sink, found.keep], ['0', '[["a",1]]']);
  assert.equal(standsAt('sink', '0'), true);
  assert.equal(standsAt('sink', '1'), false);
  assert.equal(standsAt('cell', '3-2'), undefined);
});

test('what an answer composes of the other fields is said where it was edited alone', () => {
  const asked = () => stateOfView(['Train', '']).asked;
  holdFields(['asked'], ['as sent']);
  assert.equal(asked(), undefined);
  holdFields(['asked'], ['my own']);
  assert.equal(asked(), 'my own');
  holdComposed({asked: 'composed'});
  holdFields(['asked'], ['composed']);
  assert.equal(asked(), undefined);
  holdFields(['asked'], ['as sent']);
  assert.equal(asked(), 'as sent');
});
