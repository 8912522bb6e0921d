// A plotly figure that keeps its zoom, drawn by plotly.js, which is loaded when a figure is first seen.
import {onLook} from '../../../shared/view/page.js';
import {plotly} from '../../../shared/view/slide.js';

export function start({element, props, watch, given}) {
  const box = element.querySelector('.pl-box');
  let Plotly = null,
    ready = false,
    width = 0;

  function skinned(layout) {
    const style = getComputedStyle(element),
      get = name => style.getPropertyValue(name).trim(),
      grid = get('--border-color-primary'),
      wall = document.body.classList.contains('present');
    const out = {
      ...layout,
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: 'rgba(0,0,0,0)',
      font: {
        ...layout.font,
        size: wall ? 0.9 * parseFloat(style.fontSize) : 12,
        color: get('--body-text-color'),
        family: get('--font') || 'sans-serif',
      },
    };
    for (const key of Object.keys(out))
      if (/^[xy]axis/.test(key)) out[key] = {gridcolor: grid, linecolor: grid, zerolinecolor: grid, ...out[key]};
    return out;
  }
  async function draw() {
    if (!props.value || !box.clientWidth) return;
    const figure = JSON.parse(props.value),
      status = element.querySelector('.pl-said');
    status.textContent = figure.message || '';
    box.style.visibility = figure.message ? 'hidden' : '';
    if (figure.message) return;
    Plotly = await plotly();
    await Plotly.react(box, figure.data, skinned(figure.layout || {}), {
      responsive: false,
      displaylogo: false,
      displayModeBar: false,
      scrollZoom: false,
    });
    ready = true;
  }
  element.querySelector('.ts-tools').addEventListener('click', e => {
    const format = e.target.dataset.do;
    if (!format || !ready) return;
    const paper = getComputedStyle(element).getPropertyValue('--lens-paper').trim(),
      layout = {...box.layout, paper_bgcolor: paper, plot_bgcolor: paper, width: undefined, height: undefined};
    Plotly.downloadImage({data: box.data, layout}, {format, width: 1280, height: 720, filename: given.name});
  });
  watch('value', draw);
  draw();
  new ResizeObserver(() => {
    const was = width;
    width = box.clientWidth;
    if (!width || width === was) return;
    if (ready && was) Plotly.Plots.resize(box);
    else draw(); // what it shows, or the look of the page, may have changed while it was hidden
  }).observe(box);
  onLook(draw);
}
