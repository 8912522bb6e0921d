import assert from 'node:assert/strict';
import {test} from 'node:test';
import {letters} from '../../../ui/shared/view/letters.js';
import {LONGEST_TEXT, linkTo} from '../../../ui/shared/view/link.js';
import * as plain from '../../../ui/shared/view/plain.js';

test('spaces and line breaks of a token can be seen', () => {
  assert.equal(plain.visible(' a\nb\t '), '␣a⏎b⇥␣');
  assert.equal(plain.visible('a b'), 'a b');
});

test('percentages keep two or three digits and never say 0 or 100 for what is not', () => {
  const said = [1, 0.99998, 0.9996, 0.9994, 0.5, 0.0123, 0.00012, 0.00001, 0].map(plain.percent);
  assert.deepEqual(said, [
    '100%',
    '>99.99%',
    '99.96%',
    '99.9%',
    '50.0%',
    '1.2%',
    '0.012%',
    '<0.01%',
    '<0.01%',
  ]);
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
      found.every(
        (tick, i) =>
          tick >= low - 1e-12 && tick <= high * (1 + 1e-6) && (i === 0 || tick > found[i - 1]),
      ),
    );
  }
  assert.deepEqual(plain.ticks(0, 1, 5), [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
  assert.ok(plain.ticks(-0.3, 0.3, 4).includes(0), 'zero is exactly zero');
});

test('cells of a table are quoted, with their own quotes doubled', () => {
  const names = ['a', 'say "hi"'];
  assert.equal(plain.csvText([names, [1, null]]), '"a","say ""hi"""\n"1",""');
});

test('merges are made from left to right, and bytes are text where they are whole', () => {
  const merges = ['a b', 'ab ab'].map(pair => pair.split(' '));
  assert.deepEqual(plain.applied(['abab', 'xa', 'aab'], merges), [
    ['abab'],
    ['x', 'a'],
    ['a', 'ab'],
  ]);
  assert.deepEqual(plain.applied(['abab'], []), [['a', 'b', 'a', 'b']]);
  assert.equal(plain.bytesText(' caf\u00c3\u00a9'), '␣café');
  assert.equal(plain.bytesText('\u00c3'), '<0xC3>');
});

test('a cell that a spreadsheet would compute is text, and numbers stay numbers', () => {
  const rows = [['=1+1', '+x', '@a', '-b', '-0.5', -2, 'a=b', '"=1']];
  assert.equal(plain.csvText(rows), `"'=1+1","'+x","'@a","'-b","-0.5","-2","a=b","""=1"`);
});

const whole = text => ({text, label: text});
const spans = tokens => letters(tokens).join(' ');
const piece = (byte, text = '') => ({text, label: `<0x${byte}>`});

test('tokens of one letter are together, all others alone', () => {
  const tokens = [whole('B'), piece('C3'), piece('A4', 'ä'), whole('r')];
  assert.equal(spans(tokens), '0,0 1,2 3,3');
});

test('two letters in a row are two, and one that is not finished is alone', () => {
  const bytes = [
    piece('F0'),
    piece('9F'),
    piece('98'),
    piece('80', '😀'),
    piece('C3'),
    piece('A4', 'ä'),
  ];
  assert.equal(spans([...bytes, piece('C3')]), '0,3 4,5 6,6');
});

test('a control byte and the end of a text are no pieces of a letter', () => {
  const end = {text: '', label: '<|endoftext|>'};
  assert.equal(spans([end, {text: '\0', label: '<0x00>'}, whole('a')]), '0,0 1,1 2,2');
});

test('a link holds the given settings, the theme, and nothing of the link before', () => {
  const link = linkTo('http://here/app?prompt=old&__theme=dark&workspace=secret', {
    tab: 'train',
    seed: 0,
    model: null,
  });
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
