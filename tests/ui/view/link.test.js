import assert from 'node:assert/strict';
import {test} from 'node:test';
import {LONGEST_TEXT, linkTo} from '../../../ui/shared/view/page.js';

test('a link holds the given settings, the theme, and nothing of the link before', () => {
  const link = linkTo('http://here/app?prompt=old&__theme=dark&workspace=secret', {tab: 'train', seed: 0, model: ''});
  assert.equal(link, 'http://here/app?tab=train&seed=0&__theme=dark');
});

test('long texts are cut, and large type is kept', () => {
  const link = new URL(linkTo('http://here/', {prompt: 'x'.repeat(5000)}, {present: true}));
  assert.equal(link.searchParams.get('prompt').length, LONGEST_TEXT);
  assert.equal(link.searchParams.get('present'), '1');
});

test('what cannot stand in an address is escaped and comes back', () => {
  const text = 'a&b=c #é\n😀';
  assert.equal(new URL(linkTo('http://here/', {text})).searchParams.get('text'), text);
});
