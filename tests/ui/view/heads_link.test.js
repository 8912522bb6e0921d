// What a link says of a view of heads: the cell, the zoom, how a head is drawn.
import assert from 'node:assert/strict';
import test from 'node:test';
import {viewInLink} from '../../../ui/lenses/attention/view/link.js';
import {takePieces} from '../../../ui/shared/view/link.js';

globalThis.document = /** @type {any} */ ({querySelector: () => null});

// Of a text of n tokens.
function opened(pieces, n = 6) {
  takePieces(new URLSearchParams(pieces), true);
  return viewInLink(n);
}

test('a zoom may reach the last token, and is at least two tokens wide and high', () => {
  assert.deepEqual(opened({zoom: '4-6-0-6'}).zoom, {q0: 4, q1: 6, k0: 0, k1: 6});
  assert.deepEqual(opened({zoom: '0-2-3-5'}).zoom, {q0: 0, q1: 2, k0: 3, k1: 5});
  for (const zoom of ['4-7-0-6', '4-5-0-6', '0-6-4-5', '0-6-2', '6-4-0-6', 'x', ''])
    assert.equal(opened({zoom}).zoom, null, zoom);
});

test('a cell is within the text', () => {
  assert.deepEqual(opened({cell: '5-5'}).cell, [5, 5]);
  assert.deepEqual(opened({cell: '0-0'}).cell, [0, 0]);
  for (const cell of ['6-0', '5-6', '5', '', 'a-b']) assert.equal(opened({cell}).cell, null, cell);
});

test('a head is drawn as lines or steps, else as a map', () => {
  assert.equal(opened({draws: 'lines'}).mode, 'lines');
  assert.equal(opened({draws: 'steps'}).mode, 'steps');
  for (const draws of ['map', 'else', '']) assert.equal(opened({draws}).mode, null);
});
