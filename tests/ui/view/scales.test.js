import assert from 'node:assert/strict';
import {test} from 'node:test';
import {css, limitOf, placeOf, ramp} from '../../../ui/shared/view/scales.js';

const light = colour => (colour & 255) + ((colour >> 8) & 255) + ((colour >> 16) & 255);

test('shares run from the background to the strongest colour, without a turn', () => {
  for (const dark of [false, true]) {
    const found = ramp('share', dark).map(light);
    assert.equal(found.length, 256);
    const sign = dark ? 1 : -1;
    for (let i = 1; i < 256; i++) assert.ok(sign * (found[i] - found[i - 1]) >= -3, `${dark} ${i}`);
  }
  assert.equal(css(ramp('share', false)[0]), 'rgb(255,255,255)');
});

test('zero of a difference is the background', () => {
  assert.equal(
    css(ramp('signed', false)[placeOf(0, 'signed', 1)]).replaceAll(/25[3-5]/g, '255'),
    'rgb(255,255,255)',
  );
});

test('small shares are lifted so that they show, and places stay on the scale', () => {
  const places = (kind, limit, ...values) => values.map(value => placeOf(value, kind, limit));
  assert.deepEqual(places('share', 1, 0, 0.01, 0.25, 1, 2, -1), [0, 26, 128, 255, 255, 0]);
  assert.deepEqual(places('signed', 2, -5, 0, 5), [0, 128, 255]);
});

test('the limit of a map is its largest size, also with gaps', () => {
  assert.equal(limitOf([0.5, -3, NaN]), 3);
  assert.equal(limitOf([]), 1);
});
