// What the page says while its server is away.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {CHANGED, isAway, reached} from '../../../ui/shared/view/connection.js';

const lines = [];
const body = {
  classList: {toggle: () => {}},
  append: node => lines.push(node),
};

function element() {
  const node = /** @type {any} */ ({setAttribute: () => {}});
  node.remove = () => lines.splice(lines.indexOf(node), 1);
  return node;
}

Object.assign(globalThis, {
  document: {body, createElement: element, querySelector: () => null},
  setTimeout: call => queueMicrotask(call),
});

test('the page says once that its server is away, and once that it is back', async () => {
  const heard = [];
  globalThis.dispatchEvent = event => heard.push([event.type, isAway(), lines.length]) > 0;
  const answers = [null, {status: 502}, {status: 200}];
  globalThis.fetch = async () => {
    const answer = answers.shift();
    if (!answer) throw new TypeError('network');
    return /** @type {any} */ (answer);
  };
  assert.ok(await reached());
  assert.deepEqual(heard, [
    [CHANGED, true, 1],
    [CHANGED, false, 0],
  ]);
  answers.push({status: 404}); // of a server that answers
  assert.ok(await reached());
  assert.equal(heard.length, 2);
});

test('a server that is not wanted any longer is not waited for', async () => {
  globalThis.fetch = async () => Promise.reject(new TypeError('network'));
  assert.ok(!(await reached(() => false)));
  assert.ok(isAway());
});
