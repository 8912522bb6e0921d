// A plotly figure that keeps its zoom, drawn by plotly.js, which is loaded when a figure is first
// seen.
import {onLook} from '../../../shared/view/look.js';
import {plotly} from '../../../shared/view/slide.js';
import {fileNameOf, source} from '../../../shared/view/source.js';

export function start({element, props, watch, given}) {
  const box = element.querySelector('.pl-box');
  let Plotly = null;
  let ready = false;
  let width = 0;

  function skinned(layout) {
    const style = getComputedStyle(element);
    const get = name => style.getPropertyValue(name).trim();
    const [grid, color, family] = ['--border-color-primary', '--body-text-color', '--font'].map(
      get,
    );
    const size = document.body.classList.contains('present')
      ? 0.96 * parseFloat(style.fontSize)
      : 12;
    const clear = {paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)'};
    const out = {
      ...layout,
      ...clear,
      font: {...layout.font, size, color, family: family || 'sans-serif'},
    };
    for (const key of Object.keys(out))
      if (/^[xy]axis/.test(key))
        out[key] = {gridcolor: grid, linecolor: grid, zerolinecolor: grid, ...out[key]};
    return out;
  }
  async function draw() {
    if (!props.value || !box.clientWidth) return;
    const figure = JSON.parse(props.value);
    element.querySelector('.pl-said').textContent = figure.message || '';
    box.style.visibility = figure.message ? 'hidden' : '';
    if (figure.message) return;
    Plotly = await plotly();
    const plain = {responsive: false, displaylogo: false, displayModeBar: false, scrollZoom: false};
    await Plotly.react(box, figure.data, skinned(figure.layout || {}), plain);
    ready = true;
  }
  element.querySelector('.ts-tools').addEventListener('click', e => {
    const format = e.target.dataset.do;
    if (!format || !ready) return;
    const paper = getComputedStyle(element).getPropertyValue('--lens-paper').trim();
    const layout = {
      ...box.layout,
      paper_bgcolor: paper,
      plot_bgcolor: paper,
      width: undefined,
      height: undefined,
    };
    Plotly.downloadImage(
      {data: box.data, layout},
      {format, width: 1280, height: 720, filename: fileNameOf(given.name, source())},
    );
  });
  watch('value', draw);
  draw();
  new ResizeObserver(async () => {
    const was = width;
    width = box.clientWidth;
    if (!width || width === was) return;
    if (ready && was) await Plotly.Plots.resize(box);
    // what it shows, or the look of the page, may have changed; letters grow with the window of a
    // hall
    draw();
  }).observe(box);
  onLook(draw);
}
