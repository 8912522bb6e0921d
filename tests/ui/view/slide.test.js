import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bars, heat} from '../../../ui/shared/view/slide.js';

const LOOK = {paper: '#ffffff', ink: '#000000', cut: '#cccccc'};

test('a map of a whole window of GPT-2 is drawn, its future blank, with as many names as can be read', () => {
  const n = 1024;
  const tokens = Array.from({length: n}, (_, i) => ` <b>${i}`);
  const values = tokens.map((_, q) => tokens.map((__, k) => (k > q ? NaN : (q - k) / n)));
  const {data, xaxis} = heat(
    {title: '', values, columns: tokens, rows: tokens, signed: true},
    LOOK,
    false,
  );
  assert.equal(data[0].z[0][1], null);
  assert.equal(data[0].zmax, (n - 1) / n);
  assert.ok(xaxis.tickvals.length <= 48);
  assert.equal(xaxis.ticktext[0], '␣&lt;b&gt;0'); // plotly reads its labels as HTML
});

test('shares stand on a square root, and what is written on them can be read', () => {
  const columns = ['a', 'b', 'c'];
  const shares = {title: '', values: [[0.25, 1, 0]], columns, rows: ['x'], texts: [columns]};
  const {data, annotations} = heat(shares, LOOK, true);
  assert.deepEqual(data[0].z, [[0.5, 1, 0]]);
  assert.deepEqual([data[0].zmin, data[0].zmax], [0, 1]);
  const inks = annotations.map(one => one.font.color);
  assert.deepEqual(inks, [LOOK.ink, LOOK.paper, LOOK.ink]);
});

test('bars leave room for what is written beside them, and for what is below zero', () => {
  const one = bars({
    title: '',
    names: ['a', 'b'],
    axis: '',
    series: [{values: [2, -1], texts: ['2', '-1']}],
  });
  assert.ok(one.xaxis.range[0] < -1 && one.xaxis.range[1] > 3);
  const series = ['x\n<1>', 'y'].map((name, i) => ({name, values: [1 - i]}));
  const panels = bars({title: '', names: ['a'], axis: '', apart: true, series});
  assert.equal(panels.data[1].xaxis, 'x2');
  assert.equal(panels.annotations[0].text, 'x<br>&lt;1&gt;');
  assert.ok(panels.xaxis2.domain[0] > panels.xaxis.domain[1]);
});
