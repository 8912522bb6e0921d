// Small modules: a clock, roles of heads, names of parts, a talk's text, the line below a map.
import assert from 'node:assert/strict';
import test from 'node:test';
import {namesOf} from '../../../ui/lenses/attention/heads/parts.js';
import {cellDetail} from '../../../ui/lenses/attention/view/cell_detail.js';
import {
  badgeOf,
  elsewhere,
  nameOf,
  same,
  strongest,
} from '../../../ui/lenses/attention/view/roles.js';
import {parseTour} from '../../../ui/rooms/hall/view/tour_text.js';
import {clock} from '../../../ui/shared/view/clock.js';
import {askRoom, offer, offered} from '../../../ui/shared/view/offers.js';
import {isSameVisit} from '../../../ui/shared/view/way.js';

test('a clock counts minutes to sixty, then hours', () => {
  assert.equal(clock(-5), '0:00');
  assert.equal(clock(999), '0:00');
  assert.equal(clock(59_999), '0:59');
  assert.equal(clock(60_000), '1:00');
  assert.equal(clock(245_000), '4:05');
  assert.equal(clock(3_599_999), '59:59');
  assert.equal(clock(3_729_000), '1:02:09');
  assert.equal(clock(36_000_000), '10:00:00');
});

test('a small picture of a head says its role and the share of attention that makes it that', () => {
  const roles = [
    [
      ['self', false],
      ['previous', true],
      ['mixed', false],
      ['mixed', true],
    ],
  ];
  const scores = {itself: [[0.5, 0, 0, 0]], previous: [[0, 0.257, 0, 0]]};
  const heads = [0, 1, 2, 3].map(head => badgeOf({roles, scores}, [0, head], false));
  assert.deepEqual(heads, [['itself', '50%'], ['~before', '26%'], [''], ['']]);
  const tiny = [0, 1, 2].map(head => badgeOf({roles, scores}, [0, head], true));
  assert.deepEqual(tiny, [['i'], ['~b'], ['']]);
});

test('a head has a name, and the strongest of a row is the first of the largest', () => {
  assert.equal(nameOf([2, 7]), 'Layer 2 · head 7');
  assert.ok(same([1, 2], [1, 2]));
  assert.ok(!same([1, 2], [1, 3]));
  assert.ok(!same([1, 2], [0, 2]));
  assert.equal(strongest([0.2, 0.5, 0.5, 0.1]), 1);
  assert.equal(strongest([0.9, 0.05, 0.05]), 0);
  assert.equal(strongest([Number.NaN]), 0);
});

test('a role elsewhere is told where it differs from the one here', () => {
  const value = {roles: [[['first'], ['self']]], elsewhere: [['induction', 'self']]};
  assert.equal(elsewhere(value, [0, 0]), 'induction');
  assert.equal(elsewhere(value, [0, 1]), '');
  assert.equal(elsewhere({roles: value.roles}, [0, 0]), undefined);
});

test('parts that are off are named as links name them', () => {
  assert.equal(namesOf([]), 'none');
  assert.equal(namesOf(['5,head,6', '0,attention,', '3,mlp,']), 'L5H6,L0-attention,L3-mlp');
});

test('the text of a talk becomes steps, with notes and what is pointed at', () => {
  const text = [
    '# My talk',
    '',
    '?tab=start&model=mini\r\n@ #start .st-bar\r\nFirst sentence.\r\nSecond one.\r\n> say this\r\n> and that',
    '',
    'https://lens.example.org/?tab=train',
    'Then this.',
    '',
    'no link here',
  ].join('\n');
  const {title, steps, at, own} = parseTour(text);
  assert.equal(title, 'My talk');
  assert.equal(at, 0);
  assert.equal(own, text);
  assert.deepEqual(steps, [
    {
      link: 'tab=start&model=mini',
      point: '#start .st-bar',
      say: 'First sentence. Second one.',
      notes: 'say this and that',
    },
    {link: 'tab=train', point: '', say: 'Then this.', notes: ''},
  ]);
  assert.deepEqual(parseTour(text.replaceAll(/\r?\n/g, '\r\n')).steps, steps); // of Windows
  assert.throws(() => parseTour('only words'), /This file has no steps/);
  assert.equal(parseTour('?tab=start\n\nlate words').title, 'A tour');
});

// What the line says of a cell of a reading of three tokens.
function said(view, isCoarse = false) {
  const line = {textContent: ''};
  globalThis.matchMedia = () => /** @type {any} */ ({matches: isCoarse});
  const value = {tokens: ['a', 'b', 'c'], causal: true, signed: false};
  const shown = [1, 0, 0, 0.25, 0.75, 0, 0.5, 0.125, 0.375];
  cellDetail({
    part: () => line,
    value,
    shown,
    token: place => value.tokens[place],
    ...view,
  }).draw();
  return line.textContent;
}

test('the line below a map names the cell under the pointer, else the chosen one', () => {
  assert.equal(said({cell: [1, 0]}), 'reading token b (no. 1) → looked at a (no. 0): 0.2500');
  assert.equal(
    said({cell: [1, 0], hovered: [2, 2]}),
    'reading token c (no. 2) → looked at c (no. 2): 0.3750',
  );
  assert.ok(said({cell: [2, 1], preview: true}).endsWith(': ≈ 0.1'));
  assert.ok(said({cell: [0, 1]}).endsWith(': a token cannot look ahead'));
  assert.ok(said({cell: [1, 1]}).endsWith(': 0.7500'));
  const signed = {tokens: ['a', 'b', 'c'], causal: false, signed: true};
  assert.ok(said({cell: [1, 0], value: signed}).endsWith(': +0.2500'));
  assert.ok(said({cell: [0, 1], value: signed}).endsWith(': 0.0000'));
  assert.ok(said({cell: [0, 0], shown: [Number.NaN]}).endsWith('there is nothing else to look at'));
  assert.ok(said({}).startsWith('Point at a cell'));
  assert.ok(said({cell: [0, 0], shown: null}, true).startsWith('Tap a cell'));
});

test('a room is found by its name once it has started, and its answers are parsed', async () => {
  assert.equal(offered('nobody'), undefined);
  assert.equal(await askRoom('nobody', 'ask', {}), null);
  offer('room', {ask: async request => JSON.stringify({heard: request}), refuse: async () => null});
  assert.deepEqual(await askRoom('room', 'ask', {a: 1}), {heard: {a: 1}});
  assert.equal(await askRoom('room', 'refuse', {}), null);
});

test('a visit is the same over a reload and another one where a link is opened anew', () => {
  globalThis.history = /** @type {any} */ ({state: {visit: 3}});
  assert.ok(isSameVisit({visit: 3}));
  assert.ok(!isSameVisit({visit: 4}));
  assert.ok(!isSameVisit(null));
  globalThis.history = /** @type {any} */ ({state: null});
  assert.ok(!isSameVisit({visit: 3}));
  assert.ok(!isSameVisit({}));
});
