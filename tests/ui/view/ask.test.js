import {strict as assert} from 'node:assert';
import {mock, test} from 'node:test';
import {answerOf, asking, asks, ended} from '../../../ui/shared/view/ask.js';
import {holdFields, setSentence} from '../../../ui/shared/view/store.js';

// A component in sight, as far as a question needs it.
function element() {
  const attributes = new Set();
  return {
    attributes,
    getClientRects: () => [1],
    setAttribute: name => attributes.add(name),
    removeAttribute: name => attributes.delete(name),
    toggleAttribute: (name, on) => (on ? attributes.add(name) : attributes.delete(name)),
  };
}

let count = 0;
function component(needs, more = {}) {
  const answer = answerOf(`view-${(count += 1)}`);
  Object.assign(answer, {needs, element: element(), ...more});
  return answer;
}

const isStale = answer => answer.element.attributes.has('data-stale');
const isBusy = answer => answer.element.attributes.has('aria-busy');
const soon = () => {
  for (let i = 0; i < 8; i += 1) mock.timers.tick(130);
};
const model = name => holdFields(['model', 'opened'], [name, name]);

test('a component is stale from the moment that one of its needs changes, until its answer comes', () => {
  holdFields(['a', 'b'], [1, 1]);
  const [one, other] = [component(['a']), component(['b'])];
  holdFields(['a'], [2]);
  assert.ok(isStale(one) && !isStale(other));
  const [number, ...inputs] = asks([one.id], ['a'], [2]);
  assert.deepEqual(inputs, [2]);
  assert.ok(isBusy(one));
  one.came(`#${number}\n{"x": 1}`);
  assert.ok(!isStale(one) && !isBusy(one));
  assert.equal(one.content(`#${number}\n{"x": 1}`), '{"x": 1}');
  holdFields(['a'], [1]); // what the page was sent with is another question now
  assert.ok(isStale(one));
});

test('an answer to an older question leaves the component stale, whenever it comes', () => {
  holdFields(['c'], ['old']);
  const view = component(['c']);
  const [older] = asks([view.id], ['c'], ['older']);
  holdFields(['c'], ['newer']);
  const [newer] = asks([view.id], ['c'], ['newer']);
  view.came(`#${newer}\nnewer`);
  assert.ok(!isStale(view));
  view.came(`#${older}\nolder`);
  assert.ok(isStale(view));
});

test('what an event sets is part of the question that it answers', () => {
  holdFields(['prompt', 'seed'], ['', 1]);
  const view = component(['seed']);
  const [number] = asks([view.id], ['seed'], [1]);
  holdFields(['seed'], [7]);
  assert.ok(isStale(view));
  view.came(`#${number} {"seed": 7}\ntext`);
  assert.ok(!isStale(view));
});

test('a need of two names is the first that is set, and what the page has picked otherwise', () => {
  model('mini');
  holdFields(['asked'], ['the model above']);
  const view = component(['asked|model']);
  model('world');
  assert.ok(isStale(view));
  view.answer();
  holdFields(['asked'], ['assistant']);
  view.answer();
  model('mini');
  assert.ok(!isStale(view));
});

test('a component in sight asks by itself once its question stands, and not about what was refused', () => {
  mock.timers.enable({apis: ['setTimeout']});
  holdFields(['d'], [0]);
  let asked = 0;
  const view = component(['d'], {asks: 'always', ask: () => (asked += 1)});
  for (const value of [1, 2, 3]) holdFields(['d'], [value]);
  assert.equal(asked, 0);
  soon();
  assert.equal(asked, 1); // about the last one alone
  soon();
  assert.equal(asked, 1); // it is on its way
  asks([view.id], ['d'], [3]);
  ended([view.id], [], [], true); // with an error
  soon();
  assert.equal(asked, 1);
  holdFields(['d'], [4]);
  soon();
  assert.equal(asked, 2);
  view.element.getClientRects = () => [];
  holdFields(['d'], [5]);
  soon();
  assert.ok(isStale(view));
  assert.equal(asked, 2); // out of sight
  mock.timers.reset();
});

test('a question that another action has ended without a value is asked again, five times at most', () => {
  mock.timers.enable({apis: ['setTimeout']});
  holdFields(['i'], [0]);
  let asked = 0;
  const view = component(['i'], {asks: 'first', isEmpty: true, ask: () => (asked += 1)});
  view.mark();
  soon();
  for (const times of [2, 3, 4, 5, 5]) {
    asks([view.id], ['i'], [0]);
    ended([view.id]);
    soon();
    assert.equal(asked, times);
  }
  assert.equal(view.question(), view.refused);
  const [number] = asks([view.id], ['i'], [0]); // its button
  view.came(`#${number}\nanswer`);
  ended([view.id]);
  assert.ok(!isStale(view));
  mock.timers.reset();
});

test('nothing asks about a model before it is open', () => {
  mock.timers.enable({apis: ['setTimeout']});
  model('mini');
  let asked = 0;
  component(['model'], {asks: 'always', ask: () => (asked += 1)});
  holdFields(['model'], ['gpt2-xl']);
  soon();
  assert.equal(asked, 0);
  holdFields(['opened'], ['gpt2-xl']);
  soon();
  assert.equal(asked, 1);
  mock.timers.reset();
});

test('a component that waits for its button asks once, where it was sent empty, and stays stale afterwards', () => {
  mock.timers.enable({apis: ['setTimeout']});
  holdFields(['e'], [0]);
  let asked = 0;
  const view = component(['e'], {asks: 'first', isEmpty: true, ask: () => (asked += 1)});
  view.mark();
  soon();
  assert.equal(asked, 1);
  view.answer();
  holdFields(['e'], [1]);
  soon();
  assert.ok(isStale(view));
  assert.equal(asked, 1);
  mock.timers.reset();
});

test('a script that asks gets the newest answer only, and what it asks about is part of the question', async () => {
  setSentence('a text');
  const view = component(['text']);
  holdFields(['text'], ['a text']);
  const taken = [];
  const waiting = [];
  const ask = asking(
    view,
    name => new Promise(done => waiting.push([name, done])),
    reply => taken.push(reply.name),
    0,
  );
  const turn = () => new Promise(done => setTimeout(done, 5));
  view.about('first');
  ask(['first']);
  await turn();
  view.about('second');
  assert.ok(isStale(view));
  ask(['second']);
  await turn();
  for (const [name, done] of waiting.reverse()) done(JSON.stringify({name}));
  await turn();
  assert.deepEqual(taken, ['second']);
  assert.ok(!isStale(view) && !isBusy(view));
});

test('an answer that comes after its question has changed is of the question that was asked', async () => {
  const view = component(['e']);
  holdFields(['e'], ['before']);
  let done;
  const ask = asking(
    view,
    () => new Promise(answer => (done = answer)),
    () => {},
    0,
  );
  ask([]);
  await new Promise(turn => setTimeout(turn, 5));
  holdFields(['e'], ['since then']);
  done('{}');
  await new Promise(turn => setTimeout(turn, 5));
  assert.ok(isStale(view) && !isBusy(view));
  holdFields(['e'], ['before']); // its question again
  assert.ok(!isStale(view));
});

test('a server that does not answer is told of, and the component stays no answer to the next question', async () => {
  const view = component([]);
  const taken = [];
  asking(
    view,
    () => Promise.reject(new Error('gone')),
    reply => taken.push(reply.message),
    0,
  )();
  await new Promise(done => setTimeout(done, 5));
  assert.deepEqual(taken, ['The server did not answer. Change something to try again.']);
});

test('an event that fails ends, and its question is not asked again by itself', () => {
  const view = component(['d']);
  holdFields(['d'], ['a']);
  asks([view.id], ['d'], ['a']);
  assert.ok(isBusy(view));
  ended([view.id]);
  assert.ok(!isBusy(view) && isStale(view));
  assert.equal(view.reason, 'waits');
  asks([view.id], ['d'], ['a']);
  ended([view.id], [], [], true);
  assert.equal(view.reason, 'refused');
  holdFields(['d'], ['b']);
  assert.equal(view.reason, 'waits');
});
