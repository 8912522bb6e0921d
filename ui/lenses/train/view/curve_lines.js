// What the curves of a run show, as numbers: a common axis, and the lines of every panel. curves.js draws them.
import {smoothed} from '../../../shared/view/plain.js';

// Position on the common axis: updates, or seconds in a race, whose runs share the clock.
export const axis = run =>
  run.rival
    ? {row: row => row[4], look: look => look.elapsed, name: 'seconds', least: 0.5, end: run.elapsed + (run.left || 0)}
    : {row: row => row[0], look: look => look.step, name: 'updates', least: 2, end: run.ahead.at(-1)?.[0] ?? 0};

const heldOut = (run, along) =>
  run.looks.filter(look => look.valid !== null).map(look => [along.look(look), look.valid]);

// A run in a race has one hue: training thin, held out with dots.
function racing(run, along, hue) {
  const smooth = smoothed(run.rows.map(row => row[1]));
  return [
    {points: run.rows.map((row, i) => [along.row(row), smooth[i]]), color: hue, width: 1.5, alpha: 0.6},
    {points: heldOut(run, along), color: hue, width: 2.5, dots: 3.5},
  ];
}

// What each panel shows: lines of [step, value] points, and level lines of [value, text].
export function series(run, guess, color) {
  const rows = run.rows,
    along = axis(run),
    smooth = smoothed(rows.map(row => row[1])),
    heads = [];
  const looks = heldOut(run, along);
  for (const [name, hue] of [
    ['previous', color.bar],
    ['induction', color.orange],
  ])
    for (let l = 0; l < run.about.L; l++)
      for (let h = 0; h < run.about.H; h++)
        heads.push({
          points: run.looks.map(look => [along.look(look), look[name]?.[l]?.[h] ?? null]),
          color: hue,
          width: 1.6,
          alpha: run.about.L * run.about.H > 16 ? 0.4 : 0.8,
        });
  const watched = Object.keys(run.about.tasks || {}),
    hues = [color.accent, color.orange, color.grey, color.ink, color.bar];
  if (watched.length)
    heads.splice(
      0,
      heads.length,
      ...watched.map((task, i) => ({
        points: run.looks.map(look => [along.look(look), look.tasks?.[task] ?? null]),
        color: hues[i % 5],
        width: 2,
        dots: 2.5,
        dash: i > 2 ? [5, 3] : [],
        name: run.about.tasks[task],
        key: true,
      })),
    );
  const old = run.past
    .filter(past => past.comparable)
    .flatMap(past => [
      {
        points: past.curve.map((p, i) => [p[0], past.smooth[i]]),
        color: color.grey,
        width: 1.3,
        alpha: 0.55,
        name: past.name,
      },
      {points: past.valid_curve, color: color.grey, width: 1.3, alpha: 0.55, dash: [5, 4]},
    ]);
  const terms = run.about.terms.map((name, i) => {
    const values = smoothed(rows.map(row => row[5 + i]));
    const points = rows.map((row, at) => [along.row(row), values[at]]);
    return {
      points,
      color: [color.ink, color.grey][i],
      width: 1.6,
      dash: [
        [2, 2],
        [7, 3],
      ][i],
      name,
      key: true,
    };
  });
  const names = {
    uniform: {labels: 'guessing', preferences: 'no preference, ln 2'}[run.about.kind] ?? 'uniform guess, ln V',
    unigram: 'unigram baseline',
    bigram: 'bigram baseline',
  };
  const levels = Object.entries(run.about.lines)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [value, `${names[key]} ${value.toFixed(2)}`, color.grey]);
  if (guess !== null) levels.push([guess, `your guess ${guess}`, color.orange]);
  return [
    {
      lines: run.rival
        ? [...racing(run.rival, along, color.orange), ...racing(run, along, color.accent)]
        : [
            ...old,
            ...terms,
            {points: rows.map(row => [along.row(row), row[1]]), color: color.bar, width: 1, alpha: 0.7},
            {points: rows.map((row, i) => [along.row(row), smooth[i]]), color: color.accent, width: 3},
            {points: looks, color: color.orange, width: 2.5, dots: 3.5},
          ],
      levels,
    },
    {lines: heads, levels: [], range: [0, 1]},
    {
      lines: [
        {points: run.rival ? [] : run.ahead, color: color.grey, width: 1.5, dash: [3, 3]},
        {points: rows.map(row => [along.row(row), row[2]]), color: color.accent, width: 2},
        {points: rows.slice(-1).map(row => [along.row(row), row[2]]), color: color.accent, width: 2, dots: 5},
      ],
      levels: [],
      floor: 0,
    },
    {lines: [{points: rows.map(row => [along.row(row), row[3]]), color: color.accent, width: 1}], levels: [], floor: 0},
  ];
}

// The item of a list whose place on the axis is nearest to x; null of an empty one.
export const nearest = (list, place, x) =>
  list.reduce(
    (best, item) => (best === null || Math.abs(place(item) - x) < Math.abs(place(best) - x) ? item : best),
    null,
  );

const PANELS = [
  ['Loss', [0.42, 1]],
  ['Heads', [0.21, 0.36]],
  ['Learning rate', [0, 0.15]],
];

// The curves of a run as plotly draws them, for slide.js.
export function slideOf(run, look) {
  const along = axis(run);
  const panels = series(run, null, {...look, orange: look.warm, grey: look.line});
  const figure = {
    title: run.about.title,
    data: [],
    annotations: [],
    shapes: [],
    showlegend: false,
    xaxis: {title: {text: along.name}, anchor: 'y3'},
  };
  PANELS.forEach(([name, domain], i) => {
    const place = i ? i + 1 : '';
    figure[`yaxis${place}`] = {title: {text: i ? name : `${name}, ${run.about.unit}`}, domain, nticks: i ? 3 : 8};
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
      figure.shapes.push({
        type: 'line',
        xref: 'paper',
        x0: 0,
        x1: 1,
        y0: y,
        y1: y,
        line: {color, width: 1, dash: 'dash'},
      });
      figure.annotations.push({text, x: 1, y, xref: 'paper', xanchor: 'right', yanchor: 'bottom', showarrow: false});
    }
  });
  return figure;
}
