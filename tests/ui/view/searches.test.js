import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {attachedEvents, findNode} from '../../../ui/server/gradio_internals/searches.js';

// As Gradio looks for a node: through the whole tree.
const looked = (node, id) =>
  node.id === id
    ? node
    : (node.children ?? []).reduce((found, child) => found ?? looked(child, id), null);

const grown = (id, depth, width) => ({
  id,
  children: depth
    ? [...Array(width).keys()].map(n => grown(10 * id + n + 1, depth - 1, width))
    : [],
});
const ids = node => [node.id, ...(node.children ?? []).flatMap(ids)];

const agrees = root => {
  for (const id of [...ids(root), -1, 0.5]) assert.equal(findNode(root, id), looked(root, id), id);
};

test('a node is found where it is, also after the tree has changed', () => {
  const root = grown(1, 3, 3);
  agrees(root);
  root.children.reverse();
  agrees(root);
  const [gone] = root.children.splice(1, 1);
  agrees(root);
  assert.equal(findNode(root, gone.id), null);
  root.children[0].children[2].children.push(gone);
  agrees(root);
  root.children[1] = {id: 7000};
  agrees(root);
});

test('another tree with the same ids has nodes of its own', () => {
  const [one, other] = [grown(1, 2, 2), grown(1, 2, 2)];
  agrees(one);
  assert.equal(findNode(other, 112), looked(other, 112));
  agrees(one);
});

// As Gradio looks for the events of a component: through all of them.
const triggered = (events, id) =>
  events
    .filter(({targets}) => targets.find(([of]) => of === id))
    .map(({targets}) => targets.find(([of]) => of === id)[1])
    .filter(Boolean);

test('a component triggers the first of its events that each one names', () => {
  const events = [
    {
      targets: [
        [1, 'change'],
        [2, 'click'],
        [1, 'submit'],
      ],
    },
    {targets: []},
    {
      targets: [
        [2, null],
        [1, 'change'],
        [2, 'input'],
      ],
    },
    {
      targets: [
        [null, 'load'],
        [2, 'input'],
      ],
    },
  ];
  for (const id of [1, 2, 3, null])
    assert.deepEqual(attachedEvents(events, id), triggered(events, id));
  assert.deepEqual(attachedEvents(events, 1), ['change', 'change']);
  attachedEvents(events, 1).push('of the caller alone');
  assert.deepEqual(attachedEvents(events, 1), ['change', 'change']);
});

test('events that come later count', () => {
  const events = [{targets: [[1, 'change']]}];
  assert.deepEqual(attachedEvents(events, 1), ['change']);
  events.push({targets: [[1, 'click']]});
  assert.deepEqual(attachedEvents(events, 1), ['change', 'click']);
});
