// What happens just at a limit, where a sign that is off by one would show.
import assert from 'node:assert/strict';
import test from 'node:test';
import {arcPath} from '../../../ui/lenses/start/view/arcs.js';
import {figure, percent} from '../../../ui/shared/view/plain.js';
import {setRegister} from '../../../ui/shared/view/link.js';
import {needsLoad} from '../../../ui/shared/view/places.js';

test('a figure has about three digits on either side of 1, 10 and 100', () => {
  assert.equal(figure(0.999), '0.999');
  assert.equal(figure(1), '1.00');
  assert.equal(figure(-1), '-1.00');
  assert.equal(figure(9.99), '9.99');
  assert.equal(figure(10), '10.0');
  assert.equal(figure(99.9), '99.9');
  assert.equal(figure(100), '100');
});

test('a share is never said to be nothing or all before it is', () => {
  assert.equal(percent(1), '100%');
  assert.equal(percent(0.99995), '>99.99%');
  assert.equal(percent(0.9995), '99.95%');
  assert.equal(percent(0.9994), '99.9%');
  assert.equal(percent(0.1), '10.0%');
  assert.equal(percent(0.0999), '10%');
  assert.equal(percent(0.0001), '0.010%');
  assert.equal(percent(0.00009), '<0.01%');
});

test('an arc goes to the same line or the one above, and to no other', () => {
  const word = top => ({left: 0, right: 20, top, bottom: top + 10});
  assert.match(arcPath(word(0), word(4)), / C10,-12 10,-8 10,4$/);
  assert.match(arcPath(word(20), word(0)), / S10,15 10,10$/);
  assert.match(arcPath(word(25), word(0)), / S10,17.5 10,10$/); // a gap of 1.5 lines
  assert.equal(arcPath(word(26), word(0)), null);
  assert.equal(arcPath(word(9), word(0)), null); // lines that overlap
  assert.equal(arcPath(word(0), word(20)), null); // a later line
  assert.match(arcPath(word(10), word(0)), / S10,10 10,10$/); // lines that touch
});

test('a way loads the page for two texts, or for a setting of no view', () => {
  globalThis.location = {search: ''};
  setRegister({tabs: [], bases: {}, fields: [{name: 'temperature'}]});
  const needs = query => needsLoad(new URLSearchParams(query));
  assert.equal(needs('tab=start&view=x&text=a'), false);
  assert.equal(needs('text=a&prompt=a'), false);
  assert.equal(needs('text=a&prompt=b'), true);
  assert.equal(needs('temperature=2'), false);
  assert.equal(needs('exercise=pieces'), true);
  globalThis.location.search = '?exercise=pieces&text=a&prompt=b';
  assert.equal(needs('exercise=pieces'), false);
  assert.equal(needs('text=a&prompt=b'), false);
});
