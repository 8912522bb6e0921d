// What the curves of a run show, as numbers: a common axis, and the lines of every panel. curves.js
// draws them.
import {smoothed} from '../../../shared/view/plain.js';

// Position on the common axis: updates, or seconds in a race, whose runs share the clock.
export const axis = run =>
  run.rival
    ? {
        row: row => row[4],
        look: look => look.elapsed,
        name: 'seconds',
        least: 0.5,
        end: run.elapsed + (run.left || 0),
      }
    : {
        row: row => row[0],
        look: look => look.step,
        name: 'updates',
        least: 2,
        end: run.ahead.at(-1)?.[0] ?? 0,
      };

const line = (points, color, width, more = {}) => ({points, color, width, ...more});

const heldOut = (run, along) =>
  run.looks.filter(look => look.valid !== null).map(look => [along.look(look), look.valid]);

// A run in a race has one hue: training thin, held out with dots.
function racing(run, along, hue) {
  const smooth = smoothed(run.rows.map(row => row[1]));
  const training = run.rows.map((row, i) => [along.row(row), smooth[i]]);
  return [line(training, hue, 1.5, {alpha: 0.6}), line(heldOut(run, along), hue, 2.5, {dots: 3.5})];
}

// What each panel shows: lines of [step, value] points, and level lines of [value, text].
export function series(run, guess, color) {
  const {about, rows} = run,
    along = axis(run),
    byRow = values => rows.map((row, i) => [along.row(row), values[i]]),
    column = i => rows.map(row => row[i]),
    byLook = value => run.looks.map(look => [along.look(look), value(look) ?? null]);
  const hues = [color.accent, color.green, color.grey, color.ink, color.bar];
  const tasks = Object.entries(about.tasks || {}).map(([task, name], i) => {
    const more = {dots: 2.5, dash: i > 2 ? [5, 3] : [], name, key: true};
    const points = byLook(look => look.tasks?.[task]);
    return line(points, hues[i % 5], 2, more);
  });
  const alpha = about.L * about.H > 16 ? 0.4 : 0.8;
  const scores = (name, hue) =>
    Array.from({length: about.L * about.H}, (_, i) => {
      const [l, h] = [Math.floor(i / about.H), i % about.H];
      const points = byLook(look => look[name]?.[l]?.[h]);
      return line(points, hue, 1.6, {alpha});
    });
  const heads = tasks.length
    ? tasks
    : [...scores('previous', color.bar), ...scores('induction', color.green)];
  const faded = {alpha: 0.55};
  const old = run.past
    .filter(past => past.comparable)
    .flatMap(past => {
      const points = past.curve.map((p, i) => [p[0], past.smooth[i]]);
      return [
        line(points, color.grey, 1.3, {...faded, name: past.name}),
        line(past.valid_curve, color.grey, 1.3, {...faded, dash: [5, 4]}),
      ];
    });
  const terms = about.terms.map((name, i) => {
    const values = smoothed(column(5 + i));
    return line(byRow(values), [color.violet, color.grey][i], 1.6, {
      dash: i ? [7, 3] : [2, 2],
      name,
      key: true,
    });
  });
  const names = {
    uniform:
      {labels: 'guessing', preferences: 'no preference, ln 2'}[about.kind] ?? 'uniform guess, ln V',
    unigram: 'unigram baseline',
    bigram: 'bigram baseline',
  };
  const levels = Object.entries(about.lines)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [value, `${names[key]} ${value.toFixed(2)}`, color.grey]);
  if (guess !== null) levels.push([guess, `your guess ${guess}`, color.violet]);
  const losses = run.rival
    ? [...racing(run.rival, along, color.against), ...racing(run, along, color.accent)]
    : [
        ...old,
        ...terms,
        line(byRow(column(1)), color.bar, 1, {alpha: 0.7}),
        line(byRow(smoothed(column(1))), color.accent, 3),
        line(heldOut(run, along), color.ink, 2.5, {dots: 3.5}),
      ];
  const rates = byRow(column(2));
  const rate = [
    line(run.rival ? [] : run.ahead, color.grey, 1.5, {dash: [3, 3]}),
    line(rates, color.accent, 2),
    line(rates.slice(-1), color.accent, 2, {dots: 5}),
  ];
  return [
    {lines: losses, levels},
    {lines: heads, levels: [], range: [0, 1]},
    {lines: rate, levels: [], floor: 0},
    {lines: [line(byRow(column(3)), color.accent, 1)], levels: [], floor: 0},
  ];
}

// Where the label of a level stands, its right end and its lower edge: above the level or below it,
// at the right, in the middle or at the left, wherever the fewest points of the curves lie. taken:
// [x, y] of these.
export function freePlace(wide, high, [left, right], level, taken) {
  const ends = [right - 4, (left + right + wide) / 2, left + 4 + wide];
  const places = [level - 2, level + high + 4].flatMap(y => ends.map(x => [x, y]));
  const covered = ([x, y]) =>
    taken.filter(([px, py]) => px > x - wide - 3 && px < x + 3 && py > y - high - 3 && py < y + 3)
      .length;
  const counts = places.map(covered);
  return places[counts.indexOf(Math.min(...counts))];
}

// The item of a list whose place on the axis is nearest to x; null of an empty one.
export const nearest = (list, place, x) => {
  const gap = item => Math.abs(place(item) - x);
  return list.reduce((best, item) => (best === null || gap(item) < gap(best) ? item : best), null);
};

const PANELS = [
  ['Loss', [0.42, 1]],
  ['Heads', [0.21, 0.36]],
  ['Learning rate', [0, 0.15]],
];

// The curves of a run as plotly draws them, for slide.js.
export function slideOf(run, look) {
  const along = axis(run);
  const panels = series(run, null, {
    ...look,
    green: look['series-3'],
    violet: look['series-2'],
    grey: look.line,
  });
  const xaxis = {title: {text: along.name}, anchor: 'y3'};
  const figure = {
    title: run.about.title,
    data: [],
    annotations: [],
    shapes: [],
    showlegend: false,
    xaxis,
  };
  PANELS.forEach(([name, domain], i) => {
    const place = i ? i + 1 : '';
    figure[`yaxis${place}`] = {
      title: {text: i ? name : `${name}, ${run.about.unit}`},
      domain,
      nticks: i ? 3 : 8,
    };
    for (const {points, color, width, alpha = 1, dots, dash} of panels[i].lines)
      figure.data.push({
        type: 'scatter',
        mode: dots ? 'lines+markers' : 'lines',
        x: points.map(point => point[0]),
        y: points.map(point => point[1]),
        yaxis: `y${place}`,
        opacity: alpha,
        line: {color, width, dash: dash?.length ? 'dash' : 'solid'},
        marker: {color, size: 2 * (dots ?? 0)},
        hoverinfo: 'skip',
      });
    for (const [y, text, color] of panels[i].levels) {
      const level = {type: 'line', xref: 'paper', x0: 0, x1: 1, y0: y, y1: y};
      figure.shapes.push({...level, line: {color, width: 1, dash: 'dash'}});
      figure.annotations.push({
        text,
        x: 1,
        y,
        xref: 'paper',
        xanchor: 'right',
        yanchor: 'bottom',
        showarrow: false,
      });
    }
  });
  return figure;
}
