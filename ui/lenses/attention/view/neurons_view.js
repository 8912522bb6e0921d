// Neurons of an MLP over a text, its value: what excites one, what it writes, and why the MLP is so wide.
/** @import {Component} from '../../../shared/view/component' */
/** @import {AttentionServer, TextRequest} from '../../../shared/view/payloads' */
import {figure, visible} from '../../../shared/view/plain.js';
import {add, addButton, asking} from '../../../shared/view/page.js';

/** @param {Component<TextRequest, AttentionServer>} page */
export function start({element, props, server, watch}) {
  const find = name => element.querySelector('.nr-' + name);
  const [layer, neuron, top, text, writes, message] = ['layer', 'neuron', 'top', 'text', 'writes', 'message'].map(find);
  let last = '';
  let drawn = ''; // the model of which neurons are on the page

  let model = '';
  const request = asking(
    element,
    async (at, number) => {
      const question = JSON.parse(props.value);
      model = question.model;
      return server.neurons({...question, layer: at, neuron: number});
    },
    neurons => {
      message.textContent = neurons.message ?? neurons.note;
      // On an invalid number the previous neuron of this model stays, to return to.
      if (!neurons.message) drawn = model;
      element.classList.toggle('nr-none', drawn !== model);
      if (!neurons.message) draw(neurons);
    },
    0,
  );
  const ask = (at, number) => props.value && request([at, number]);

  function draw(neurons) {
    element.querySelector('.conclusion').textContent = neurons.said;
    if (layer.options.length !== neurons.n_layer) {
      layer.textContent = '';
      for (let i = 0; i < neurons.n_layer; i++) add(layer, 'option', '', i).value = i;
    }
    layer.value = neurons.layer;
    neuron.max = neurons.n_inner - 1;
    neuron.value = neurons.neuron;
    top.textContent = '';
    for (const one of neurons.top) {
      const button = addButton(top, 'u-digits', one, () => ask(neurons.layer, one));
      button.setAttribute('aria-pressed', one === neurons.neuron);
    }
    const peak = Math.max(...neurons.activations, 0.01);
    text.textContent = '';
    neurons.tokens.forEach((label, i) => {
      const value = neurons.activations[i];
      const token = add(text, 'span', 'u-shaded', visible(label).replace('␣', ' '));
      token.style.setProperty('--share', Math.max(0, value) / peak);
      token.title = `${visible(label)}: ${figure(value)}`;
    });
    const place = neurons.activations.indexOf(Math.max(...neurons.activations));
    find('peak').textContent =
      `Strongest at “${visible(neurons.tokens[place])}”: ${figure(neurons.activations[place])} after
      the activation. Neuron ${neurons.neuron} of ${neurons.n_inner.toLocaleString('en')} in layer ${neurons.layer}.`;
    writes.textContent = '';
    drawWritten('points towards', neurons.more);
    drawWritten('points away from', neurons.less);
  }

  function drawWritten(title, rows) {
    const part = add(writes, 'div', '');
    add(part, 'b', '', title);
    for (const [label, value] of rows) {
      const row = add(part, 'div', 'nr-row u-spread u-digits');
      add(row, 'span', 'nr-name u-token u-mono', visible(label));
      add(row, 'span', '', `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`);
    }
  }

  async function drawSizes() {
    const answer = await server.inner_sizes(null);
    if (!answer) return;
    const {how, sizes} = JSON.parse(answer);
    const worst = Math.max(...sizes.map(([, loss]) => loss));
    find('why').textContent =
      `One GPT of 4 layers, 128 wide, by the inner width of its MLPs; a lower loss is better. ${how}`;
    for (const [name, loss, parameters] of sizes) {
      const row = add(find('sizes'), 'div', 'nr-size u-apart u-digits');
      add(row, 'span', '', name === 'none' ? 'no MLP' : `${name} × width`);
      const bar = add(row, 'span', 'nr-bar u-bar', loss.toFixed(3));
      bar.style.setProperty('--p', `${(100 * loss) / worst}%`);
      add(row, 'span', '', `${parameters.toLocaleString('en')} parameters`);
    }
  }

  layer.addEventListener('change', () => ask(+layer.value, null));
  neuron.addEventListener('change', () => ask(+layer.value, neuron.value === '' ? null : +neuron.value));
  function sync() {
    if (props.value === last || !element.offsetParent) return; // hidden: requested when its tab is opened
    last = props.value;
    ask(layer.value === '' ? null : +layer.value, null);
  }
  watch('value', sync);
  new IntersectionObserver(sync).observe(element);
  drawSizes();
  sync();
}
