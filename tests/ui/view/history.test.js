// The address bar follows the tab and the view, and keeps what a link sets.
import assert from 'node:assert/strict';
import test from 'node:test';
import {addressOf} from '../../../ui/frame/view/history.js';
import {WAY, isSameVisit, settingsOf} from '../../../ui/shared/view/way.js';

test('the address names the place, and drops what was pressed at the one before', () => {
  const before = 'http://here/?tab=train&view=Labels&start=1&see=%23x&model=mini';
  assert.equal(addressOf(before, ['Zero-shot', '']), 'http://here/?model=mini&tab=zero-shot');
  assert.equal(addressOf('http://here/', ['Attention', 'Heads']), 'http://here/?tab=attention&view=Heads');
  assert.equal(addressOf('http://here/?embed=train', ['Train', 'Labels']), 'http://here/?embed=train&view=Labels');
});

test('nothing of a way is a setting', () => {
  const query = new URLSearchParams(WAY.map(name => [name, 'x']));
  assert.equal(settingsOf(`?${query}&model=mini`), 'model=mini');
});

test('a visit goes on at another place, and not with other settings', () => {
  assert.equal(settingsOf('?tab=train&view=x&start=1'), '');
  assert.ok(isSameVisit({search: '?model=mini'}, '?model=mini&tab=train'));
  assert.ok(!isSameVisit({search: '?model=mini'}, '?model=world'));
  assert.ok(!isSameVisit(null, '') && !isSameVisit({}, ''));
});
