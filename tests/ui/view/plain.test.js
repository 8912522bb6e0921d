import assert from 'node:assert/strict';
import {test} from 'node:test';
import * as plain from '../../../ui/shared/view/plain.js';

test('spaces and line breaks of a token can be seen', () => {
  assert.equal(plain.visible(' a\nb\t '), '␣a⏎b⇥␣');
  assert.equal(plain.visible('a b'), 'a b');
});

test('percentages keep two or three digits and never say 0 or 100 for what is not', () => {
  const said = [1, 0.9996, 0.9994, 0.5, 0.0123, 0.00012, 0.00001, 0].map(plain.percent);
  assert.deepEqual(said, ['100%', '>99.9%', '99.9%', '50.0%', '1.2%', '0.012%', '<0.01%', '<0.01%']);
});

test('ticks are round, within the axis, and rise', () => {
  for (const [low, high, wanted] of [
    [0, 1, 5],
    [1.32, 4.27, 5],
    [-0.3, 0.31, 4],
    [0, 12_345, 8],
    [2e-5, 3e-3, 2],
  ]) {
    const found = plain.ticks(low, high, wanted);
    assert.ok(found.length >= 1 && found.length <= 2 * wanted + 1, `${found}`);
    assert.ok(
      found.every((tick, i) => tick >= low - 1e-12 && tick <= high * (1 + 1e-6) && (i === 0 || tick > found[i - 1])),
    );
  }
  assert.deepEqual(
    plain.ticks(0, 1, 5),
    [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1].map(x => x),
  );
  assert.ok(plain.ticks(-0.3, 0.3, 4).includes(0), 'zero is exactly zero');
});

test('cells of a table are quoted, with their own quotes doubled', () => {
  assert.equal(
    plain.csvText([
      ['a', 'say "hi"'],
      [1, null],
    ]),
    '"a","say ""hi"""\n"1",""',
  );
});

test('merges are made from left to right, and bytes are text where they are whole', () => {
  const merges = [
    ['a', 'b'],
    ['ab', 'ab'],
  ];
  assert.deepEqual(plain.applied(['abab', 'xa', 'aab'], merges), [['abab'], ['x', 'a'], ['a', 'ab']]);
  assert.deepEqual(plain.applied(['abab'], []), [['a', 'b', 'a', 'b']]);
  assert.equal(plain.bytesText(' caf\u00c3\u00a9'), '␣café');
  assert.equal(plain.bytesText('\u00c3'), '<0xC3>');
});

test('a cell that a spreadsheet would compute is text, and numbers stay numbers', () => {
  const rows = [['=1+1', '+x', '@a', '-b', '-0.5', -2, 'a=b', '"=1']];
  assert.equal(plain.csvText(rows), `"'=1+1","'+x","'@a","'-b","-0.5","-2","a=b","""=1"`);
});
