// Slides of what a view shows, and plotly, which draws them and the figures that people zoom into.
// Loaded when needed.
import {isDark} from './look.js';
import {visible} from './plain.js';
import {limitOf, stops} from './scales.js';
import {source, sourceLine} from './source.js';

const [WIDTH, HEIGHT] = [1280, 720];
const COLOURS = ['accent', 'bar', 'against', 'cut', 'line', 'paper', 'series-2', 'series-3'];
const SMALL = 0.25; // shares above this are written in the colour of the paper
const MOST_NAMES = 48; // on an axis: of more, every second, third … is written
// A panel's name above it, and a bar with its number.
const HEAD = {
  y: 1.02,
  xref: 'paper',
  yref: 'paper',
  xanchor: 'left',
  yanchor: 'bottom',
  align: 'left',
  showarrow: false,
};
const BAR = {type: 'bar', orientation: 'h', textposition: 'outside', cliponaxis: false};
let loading = null;

// plotly.js of the installed package as a global, once.
export function plotly() {
  loading ||= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = new URL('../../plotly.min.js', import.meta.url).href;
    script.addEventListener('load', () => done(window.Plotly));
    script.addEventListener('error', () => {
      loading = null; // tried again when it is next drawn
      failed(new Error('plotly.js did not load'));
    });
    document.head.append(script);
  });
  return loading;
}

// plotly reads labels as HTML.
const plain = text =>
  String(text).replace(/[&<>]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign]);
const lines = text => plain(text).replace(/(.{70,100}) /g, '$1<br>'); // plotly does not wrap
const label = (text, most = 24) => plain(visible(text).slice(0, most));

// The picture, "png" or "svg", as a data URL. figure({look, bars, heat}) gives {title, data} and
// what else plotly's layout has, or null where there is nothing to draw; look: colours by name.
/** @param {(tools: any) => any} figure @param {string} format */
export async function picture(figure, format) {
  const style = getComputedStyle(document.body),
    get = name => style.getPropertyValue(name).trim();
  const look = /** @type {Record<string, string>} */ ({ink: get('--body-text-color')});
  for (const name of COLOURS) look[name] = get(`--lens-${name}`);
  const drawn = await figure({look, bars, heat: shown => heat(shown, look, isDark())});
  if (!drawn) return null;
  const {title, data, ...layout} = drawn;
  const axis = {
    automargin: true,
    gridcolor: look.cut,
    linecolor: look.cut,
    zerolinecolor: look.cut,
  };
  for (const key of Object.keys(layout))
    if (/^[xy]axis/.test(key))
      layout[key] = {...axis, ...layout[key], title: {standoff: 14, ...layout[key].title}};
  const whole = {
    paper_bgcolor: look.paper,
    plot_bgcolor: look.paper,
    font: {family: 'sans-serif', size: 16, color: look.ink},
    title: {
      text: lines(title),
      font: {size: 22},
      y: 0.96,
      subtitle: {text: label(sourceLine(source()), 120), font: {size: 13}},
    },
    margin: {l: 60, r: 30, t: 105, b: 60},
    legend: {orientation: 'h', y: 1.06},
    ...layout,
  };
  const scale = format === 'png' ? 2 : 1;
  return (await plotly()).toImage(
    {data, layout: whole},
    {format, width: WIDTH, height: HEIGHT, scale},
  );
}

// Horizontal bars, first on top. series: {name, values, texts, colours} each, beside each other or,
// with `apart`, each in a panel of its own under its name.
export function bars({title, names, axis, series, apart = false}) {
  const places = names.map((_, i) => i);
  const n = apart ? series.length : 1;
  /** @type {any} */
  const figure = {
    title,
    yaxis: {
      autorange: 'reversed',
      tickvals: places,
      ticktext: names.map(name => label(name, 40)),
      showgrid: false,
    },
    showlegend: !apart && series.length > 1,
    ...(apart ? {margin: {l: 60, r: 30, t: 150, b: 60}} : {}),
    annotations: [],
  };
  figure.data = series.map(({name, values, texts, colours}, i) => ({
    ...BAR,
    name,
    x: values,
    y: places,
    text: texts?.map(plain),
    marker: {color: colours},
    ...(i && apart ? {xaxis: `x${i + 1}`} : {}),
  }));
  const room = apart ? 1.4 : series[0].texts ? 1.9 : 1.05; // for the numbers beside the bars
  const most = room * Math.max(...series.flatMap(line => line.values), 0) || 1;
  const least = 1.1 * Math.min(...series.flatMap(line => line.values), 0);
  for (let i = 0; i < n; i++) {
    const domain = [i / n, (i + (n > 1 ? 0.9 : 1)) / n];
    figure[`xaxis${i ? i + 1 : ''}`] = {
      domain,
      range: [least, most],
      title: {text: axis},
      nticks: n > 1 ? 3 : 8,
    };
    if (apart)
      figure.annotations.push({
        ...HEAD,
        text: series[i].name.split('\n').map(plain).join('<br>'),
        x: domain[0],
      });
  }
  return figure;
}

// Some of the names of an axis, at their places.
export function named(names) {
  const every = Math.ceil(names.length / MOST_NAMES) || 1;
  const places = names.map((_, i) => i).filter(i => i % every === 0);
  return {tickvals: places, ticktext: places.map(i => label(names[i], 14))};
}

// A map of shares on a square root, or of differences around zero. values: rows of numbers, NaN
// where there is none.
export function heat(
  {title, values, columns, rows, signed = false, texts = null, across, down, says},
  look,
  dark,
) {
  const limit = limitOf(values.flat());
  const shown = values.map(row =>
    row.map(value =>
      Number.isNaN(value) ? null : signed ? value : Math.sqrt(Math.min(1, Math.max(0, value))),
    ),
  );
  const ticks = [0, 0.05, 0.25, 0.5, 1];
  const marks = signed ? {} : {tickvals: ticks.map(Math.sqrt), ticktext: ticks.map(String)};
  const [zmin, zmax] = signed ? [-limit, limit] : [0, 1];
  const colorscale = stops(signed ? 'signed' : 'share', dark).map((colour, i) => [i / 2, colour]);
  const colorbar = {title: {text: says, side: 'right'}, ...marks};
  return {
    title,
    data: [{type: 'heatmap', z: shown, zmin, zmax, colorscale, colorbar, hoverinfo: 'skip'}],
    annotations: (texts ?? []).flatMap((row, y) =>
      row.map((text, x) => ({
        text: label(text, 9),
        x,
        y,
        showarrow: false,
        font: {
          size: Math.max(8, Math.min(15, 190 / row.length)),
          color: values[y][x] > SMALL ? look.paper : look.ink,
        },
      })),
    ),
    plot_bgcolor: look.cut,
    xaxis: {...named(columns), tickangle: -60, showgrid: false, title: {text: across}},
    yaxis: {
      ...named(rows),
      autorange: texts ? true : 'reversed',
      showgrid: false,
      title: {text: down},
    },
  };
}
