import assert from 'node:assert/strict';
import {test} from 'node:test';
import {letters} from '../../../ui/shared/view/letters.js';

const whole = text => ({text, label: text});
const piece = (byte, text = '') => ({text, label: `<0x${byte}>`});

test('tokens of one letter are together, all others alone', () => {
  const tokens = [whole('B'), piece('C3'), piece('A4', 'ä'), whole('r')];
  assert.deepEqual(letters(tokens), [
    [0, 0],
    [1, 2],
    [3, 3],
  ]);
});

test('two letters in a row are two, and one that is not finished is alone', () => {
  const bytes = [piece('F0'), piece('9F'), piece('98'), piece('80', '😀'), piece('C3'), piece('A4', 'ä')];
  const tokens = [...bytes, piece('C3')];
  assert.deepEqual(letters(tokens), [
    [0, 3],
    [4, 5],
    [6, 6],
  ]);
});

test('a control byte and the end of a text are no pieces of a letter', () => {
  const end = {text: '', label: '<|endoftext|>'};
  assert.deepEqual(letters([end, {text: '\0', label: '<0x00>'}, whole('a')]), [
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
});
