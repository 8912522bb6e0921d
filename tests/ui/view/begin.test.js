import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {answerOf, asks} from '../../../ui/shared/view/ask.js';
import {begin} from '../../../ui/shared/view/begin.js';
import {holdFields} from '../../../ui/shared/view/store.js';

const observed = [];
globalThis.ResizeObserver = class {
  observe(element) {
    observed.push(element);
  }
};

// What Gradio gives a component's script, and what the script is started with.
function started(id, value, {named = [], ...more} = {}) {
  const attributes = new Map();
  const panel = {
    id,
    attributes,
    getClientRects: () => [1],
    setAttribute: (name, to) => attributes.set(name, to),
    removeAttribute: name => attributes.delete(name),
    toggleAttribute: (name, on) => (on ? attributes.set(name, '') : attributes.delete(name)),
  };
  const hears = [];
  const asked = [];
  const context = {
    id,
    needs: ['text'],
    asks: '',
    element: {closest: selector => (selector === `#${id}` ? panel : null)},
    props: {value},
    trigger: (event, data) => asked.push([event, data]),
    watch: (_, hear) => hears.push(hear),
    server: {grid: async request => ({...request, seen: true})},
    ...more,
  };
  let view = null;
  begin(given => (view = given), context, named);
  return {view, panel, hears, context, asked};
}

test('a component is begun with what the page was sent with, and is stale once its need is another', () => {
  holdFields(['text'], ['A cat']);
  const {view, panel} = started('one', 'drawn');
  assert.equal(view.props.value, 'drawn');
  assert.ok(!panel.attributes.has('data-stale') && observed.includes(panel));
  holdFields(['text'], ['A dog']);
  assert.ok(panel.attributes.has('data-stale'));
});

test('a component that begins after its need has changed is stale at once', () => {
  holdFields(['text'], ['A dog']);
  assert.ok(started('two', 'drawn').panel.attributes.has('data-stale'));
});

test('an answer that came before the component was seen is its content and answers its question', () => {
  holdFields(['text'], ['A dog']);
  const [number] = asks(['late'], ['text'], ['A dog']);
  const {view, panel, hears, context} = started('late', `#${number}\nan answer`);
  assert.equal(view.props.value, 'an answer');
  assert.ok(!panel.attributes.has('data-stale'));
  const drawn = [];
  view.watch('value', () => drawn.push(view.props.value));
  context.props.value = `#${number}\nanother`;
  hears[0]();
  assert.deepEqual(drawn, ['another']);
});

test('a long first value comes under its name, and server functions are asked by theirs', async () => {
  const {view} = started('long', 'name of a value', {named: ['name of a value', 'the value']});
  assert.equal(view.props.value, 'the value');
  assert.equal(view.server.then, undefined);
  assert.deepEqual(await view.server.grid({a: 1}), {a: 1, seen: true});
});

test('a component that asks by itself asks through Gradio', () => {
  const {asked} = started('asking', 'drawn', {asks: 'once'});
  answerOf('asking').ask();
  assert.deepEqual(asked, [['ask', {}]]);
});
