import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {headOf, order, sentences, shownBlock} from '../../../ui/shared/view/machine_words.js';
import {folded, layout, shownTokens} from '../../../ui/shared/view/machine_layout.js';

test('few blocks stand alone, many are folded into groups of one size without a gap', () => {
  assert.equal(folded(3, 12).join(' '), '0,0 1,1 2,2');
  for (const n of [1, 2, 6, 12, 24, 36, 48])
    for (const most of [1, 5, 8, 12]) {
      const groups = folded(n, most);
      assert.ok(groups.length <= most);
      const blocks = groups.flatMap(([a, b]) => Array.from({length: b - a + 1}, (_, i) => a + i));
      assert.deepEqual(blocks, [...Array(n).keys()]);
    }
});

test('a long text shows its end, or what is around the place that is looked at', () => {
  assert.deepEqual(shownTokens(3, 2, 5), [0, 1, 2]);
  assert.deepEqual(shownTokens(9, 8, 5), [null, 5, 6, 7, 8]);
  assert.deepEqual(shownTokens(9, 5, 5), [null, 2, 3, 4, 5]);
  assert.deepEqual(shownTokens(9, 0, 5), [null, 0, 1, 2, 3]);
  const looked = new Map([
    [1, 0.9],
    [3, 0.2],
    [8, 1],
  ]);
  // a word far back that is looked at
  assert.deepEqual(shownTokens(9, 8, 5, looked), [null, 1, 6, 7, 8]);
  assert.deepEqual(shownTokens(20, 19, 7, looked), [null, 1, 8, 16, 17, 18, 19]);
});

test('every part lies within the picture, lying and upright, for 1 to 48 blocks', () => {
  for (const width of [320, 390, 639, 640, 900, 1200, 1900])
    for (const L of [1, 2, 6, 12, 48]) {
      const at = layout({width, L, n: 30, at: 29});
      assert.equal(at.upright, width < 640);
      const [along, across] = at.upright ? [at.height, at.width] : [at.width, at.height];
      assert.ok(at.end + at.norm <= along && at.block > 20, `${width} ${L}`);
      for (const token of at.shown)
        assert.ok(at.place(token) < across - (at.upright ? 60 : 40), `${width} ${L}`);
      assert.equal(at.groups.at(-1)[1], L - 1);
    }
});

const DATA = {
  first: 0,
  tokens: [' the', ' red', ' ball'].map((label, id) => ({label, id})),
  machine: {
    at: 2,
    shape: {V: 4096, C: 224, H: 2, D: 112, L: 2, F: 896, P: 256},
    embedding: [3.21, 0.5],
    blocks: [
      {
        guess: [' a', 0.2, 5],
        chance: 0.1,
        attention: 1.5,
        mlp: 2,
        stream: 4,
        heads: [1, 2],
        looks: [[], [[1, 0.75]]],
      },
      {
        guess: [' b', 0.6, 6],
        chance: 0.6,
        attention: 1,
        mlp: 3,
        stream: 6,
        heads: [3, 1],
        looks: [[[0, 0.5]], []],
      },
    ],
    norm: 7,
    choice: [' b', 0.6, 6],
  },
};

test('each part says its own numbers', () => {
  const said = sentences(DATA);
  assert.match(
    said.attention(0, 1),
    /layer 0: 2 heads.* Head 1 looks mostly at “red” \(75.* change it\./,
  );
  assert.match(said.attention(1, 1), /Head 1 looks at no word in particular/);
  assert.match(said.head(0, 1), /^Layer 0, head 1 looks mostly at “red” \(75/);
  assert.match(said.mlp(0), /^MLP of layer 0: 896 neurons work on “ball” alone and change it\.$/);
  assert.match(said.guess(0), /would say “a” with 20.*final choice, “b”, has 10/);
  assert.doesNotMatch(said.guess(1), /final choice/);
  assert.match(said.embedding, /“ball” becomes 224 numbers; its position adds 224 more/);
  const none = structuredClone(DATA);
  none.machine.shape.P = 0;
  assert.match(sentences(none).embedding, /no position embeddings/);
  assert.match(said.norm, /4,096 scores.*“b” with 60/);
});

test('a recording tells where its heads look, and not what nobody recorded', () => {
  const recorded = structuredClone(DATA);
  delete recorded.machine.embedding;
  delete recorded.machine.norm;
  for (const block of recorded.machine.blocks)
    for (const key of ['attention', 'mlp', 'guess']) delete block[key];
  const said = sentences(recorded);
  assert.match(
    said.attention(0, 1),
    /mostly at “red” \(75[.0]*%\)\. What they write was not recorded\./,
  );
  for (const sentence of [said.embedding, said.norm])
    assert.doesNotMatch(sentence, /length|NaN|undefined/);
  assert.deepEqual(order(2, true), ['embedding', 'attention-0', 'attention-1', 'norm']);
});

test('a folded group shows the block of the chosen head, else the one whose head writes most', () => {
  const {blocks} = DATA.machine;
  assert.equal(shownBlock(blocks, [0, 1], null), 1);
  assert.equal(shownBlock(blocks, [0, 1], [0, 0]), 0);
  assert.equal(shownBlock(blocks, [0, 0], [1, 0]), 0);
  const heads = [[0.5], [0.1], [0.9], [0.2]].map(writes => ({heads: writes}));
  assert.deepEqual(
    [0, 1, 2, 3].map(layer => shownBlock(heads, [1, 3], [layer, 0])),
    [2, 1, 2, 3],
  );
});

test('a head that the model lacks is not chosen', () => {
  const shape = {L: 3, H: 4};
  assert.deepEqual(headOf(shape, [2, 3]), [2, 3]);
  assert.deepEqual(headOf(shape, [0, 0]), [0, 0]);
  for (const absent of [[3, 0], [0, 4], null]) assert.equal(headOf(shape, absent), null);
});
