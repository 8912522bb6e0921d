// A plotly figure that keeps its zoom, drawn by the plotly.js that comes with the installed package, loaded when first seen.
const box = element.querySelector('.pl-box');
let ready = false, width = 0;

function library() {
  window.plotlyLoading ||= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = given.plotly;
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });
  return window.plotlyLoading;
}
function skinned(layout) {
  const style = getComputedStyle(element), get = name => style.getPropertyValue(name).trim(), grid = get('--border-color-primary');
  const out = {...layout, paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)', font: {...layout.font, color: get('--body-text-color'), family: get('--font') || 'sans-serif'}};
  for (const key of Object.keys(out)) if (/^[xy]axis/.test(key)) out[key] = {gridcolor: grid, linecolor: grid, zerolinecolor: grid, ...out[key]};
  return out;
}
async function draw() {
  if (!props.value || !box.clientWidth) return;
  const figure = JSON.parse(props.value), said = element.querySelector('.pl-said');
  said.textContent = figure.message || '';
  box.style.visibility = figure.message ? 'hidden' : '';
  if (figure.message) return;
  await library();
  await Plotly.react(box, figure.data, skinned(figure.layout || {}), {responsive: false, displaylogo: false, displayModeBar: false, scrollZoom: false});
  ready = true;
}
element.querySelector('.ts-tools').addEventListener('click', e => {
  const format = e.target.dataset.do;
  if (!format || !ready) return;
  const paper = getComputedStyle(element).getPropertyValue('--lens-paper').trim(), layout = {...box.layout, paper_bgcolor: paper, plot_bgcolor: paper, width: undefined, height: undefined};
  Plotly.downloadImage({data: box.data, layout}, {format, width: 1280, height: 720, filename: given.name});
});
watch('value', draw);
draw();
new ResizeObserver(() => { if (box.clientWidth && box.clientWidth !== width) { width = box.clientWidth; ready ? Plotly.Plots.resize(box) : draw(); } }).observe(box);
new MutationObserver(draw).observe(document.body, {attributes: true, attributeFilter: ['class']});
