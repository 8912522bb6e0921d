import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deflateSync} from 'node:zlib';
import * as coding from '../../../ui/shared/view/coding.js';

const packed = typed => deflateSync(Buffer.from(typed.buffer)).toString('base64');

test('a causal map comes back with nothing in the future', async () => {
  const found = await coding.decodeMap(packed(Uint16Array.of(65534, 32767, 32767)), 2, true, false);
  assert.deepEqual([...found], [1, NaN, 0.5, 0.5]);
});

test('differences keep their sign, and what is not available is not a number', async () => {
  const found = await coding.decodeMap(
    packed(Int16Array.of(32767, -32767, -32768, 0)),
    2,
    false,
    true,
  );
  assert.deepEqual([...found], [1, -1, NaN, 0]);
});

test('small maps of all heads are read two cells a byte, head by head', async () => {
  // two heads of a 2 x 2 causal map: three cells each, 4 bits a cell, the low half first
  const bytes = Uint8Array.of(0xf | (0x0 << 4), 0xf | (0x1 << 4), 0x2 | (0x3 << 4));
  const thumbs = await coding.decodeThumbs({
    thumbs: packed(bytes),
    side: 2,
    causal: true,
    signed: false,
    H: 2,
    L: 1,
  });
  assert.deepEqual([...thumbs.values(0, 0)], [1, NaN, 0, 1]);
  const near = [...thumbs.values(0, 1)].map(x => (Number.isNaN(x) ? x : +x.toFixed(4)));
  assert.deepEqual(near, [0.0044, NaN, 0.0178, 0.04]);
});

test('four bits of a difference are symmetric around zero', () => {
  assert.equal(coding.thumbDifference(8), 0);
  for (let step = 1; step <= 7; step++)
    assert.equal(coding.thumbDifference(8 + step), -coding.thumbDifference(8 - step));
  assert.equal(coding.thumbDifference(15), 1);
});
