import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {
  holdsState,
  linked,
  ownNames,
  setRegister,
  stateOfView,
  takePieces,
  unmet,
} from '../../../ui/shared/view/link.js';
import {
  chooseHead,
  chooseToken,
  holdComposed,
  holdFields,
  setSentence,
} from '../../../ui/shared/view/store.js';

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
  assert.deepEqual(stateOfView(['Attention', 'Heads']), {
    tab: 'attention',
    view: 'Heads',
    model: 'mini',
  });
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
  holdsState('attention/heads', {cell: () => cell, draws: () => 'lines'}, () => {});
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
});

test('a link sets what the page does not show: what it names, and of its view what goes back to its default', () => {
  const never = () => false;
  const always = () => true;
  const found = (link, resets) => Object.fromEntries(unmet(new URLSearchParams(link), resets));
  holdFields(['sink', 'keep', 'pair_a'], ['raw', 'end', '']);
  assert.deepEqual(found('tab=attention&view=Heads', always), {});
  holdFields(['sink', 'keep', 'pair_a'], ['front', 'middle', 'Two']);
  assert.deepEqual(found('tab=attention&view=heads&sink=front', never), {});
  assert.deepEqual(found('tab=attention&view=heads&sink=raw&pair_a=One', never), {
    sink: 'raw',
    pair_a: 'One',
  });
  // the pair is of another view
  assert.deepEqual(found('tab=attention&view=heads', always), {sink: 'raw', keep: 'end'});
  assert.deepEqual(
    found('tab=Attention', name => name === 'keep'),
    {keep: 'end'},
  );
  assert.deepEqual(found('tab=zero-shot', always), {});
  assert.deepEqual(found('tab=attention&view=heads&cell=3-2&nobody=1', never), {});
  holdFields(['sink'], [0.7]);
  assert.deepEqual(found('sink=0.70', never), {});
  assert.deepEqual(found('sink=0.71', never), {sink: '0.71'});
  assert.deepEqual(found('sink=', never), {sink: ''});
  assert.deepEqual(found(`keep=${'x'.repeat(2001)}`, never), {}); // no link holds it
  holdFields(['preset', 'train.seed'], ['long', 7]);
  assert.deepEqual(
    found('tab=train', name => name === 'train.seed'),
    {'train.seed': '5'},
  ); // as the choice fills it in
});

test('the pieces of another link are taken over by its view alone', () => {
  const taken = [];
  for (const view of ['attention/heads', 'attention/pair', 'train/'])
    holdsState(view, {}, () => taken.push(`${view} ${linked('cell')}`));
  takePieces(new URLSearchParams('tab=attention&view=Two+sentences&cell=1-1'), true);
  takePieces(new URLSearchParams('tab=attention&cell=2-2'), true); // its first view
  takePieces(new URLSearchParams('tab=train'), true);
  takePieces(new URLSearchParams('tab=nobody'), true);
  takePieces(new URLSearchParams('tab=attention')); // names no piece: all stays
  assert.deepEqual(taken, ['attention/pair 1-1', 'attention/heads 2-2', 'train/ null']);
});

test('each of the scripts of a view takes over its pieces, and all of them stand in its link', () => {
  const taken = [];
  holdsState('attention/heads', {one: () => 'a'}, () => taken.push(`one ${linked('one')}`));
  holdsState('attention/heads', {two: () => null}, () => taken.push(`two ${linked('two')}`));
  takePieces(new URLSearchParams('tab=attention&one=b&two=c'), true);
  assert.deepEqual(taken.slice(-2), ['one b', 'two c']);
  assert.equal(stateOfView(['Attention', 'Heads']).one, 'a');
  assert.equal(stateOfView(['Attention', 'Heads']).two, undefined);
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
