// Words of the field: where they stand in a sentence, each explained once.
import assert from 'node:assert/strict';
import test from 'node:test';
import {readFileSync} from 'node:fs';
import {WORDS, wordsIn} from '../../../ui/frame/view/glossary.js';

const named = text => wordsIn(text).map(([from, to, name]) => `${text.slice(from, to)}: ${name}`);

test('a word is found where it first stands, in the order of the sentence', () => {
  assert.deepEqual(named('The last block makes it so; its L5H6 looks back.'), [
    'block: block',
    'L5H6: L5H6',
  ]);
  assert.deepEqual(named('It is calm.'), []);
});

test('no word lies in another one', () => {
  assert.deepEqual(named('2 rest on the first token; pre-norm'), [
    'rest on the first token: attention sink',
    'pre-norm: pre-norm',
  ]);
  const three = wordsIn('0.89 nats below the bigram baseline, held out').map(([, , name]) => name);
  assert.deepEqual(three, ['nats', 'bigram', 'held out']);
});

test('every word has a name of its own and one sentence that ends, and finds itself or a form of it', () => {
  assert.equal(new Set(WORDS.map(([, name]) => name)).size, WORDS.length);
  for (const [, name, says] of WORDS) assert.ok(/[.]$/.test(says) && says.length < 160, name);
});

test('the words that the server marks are words of the list', () => {
  const page = readFileSync(new URL('../../../ui/page.py', import.meta.url), 'utf8');
  const marked = /_WORDS = re[.]compile\("([^"]+)"\)/.exec(page)[1].split('|');
  const own = WORDS.map(([, name]) => name);
  for (const name of marked) assert.ok(own.includes(name), name);
});
