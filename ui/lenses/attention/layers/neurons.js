// Neurons of an MLP over a text: what excites one, what it writes, and why the MLP is so wide.
/** @import {Component} from '../../../shared/view/component' */
/** @import {AttentionServer} from '../../../shared/view/payloads' */
import {figure, visible} from '../../../shared/view/plain.js';
import {asking} from '../../../shared/view/ask.js';
import {holdsState, linked} from '../../../shared/view/link.js';
import {valueOf} from '../../../shared/view/store.js';
import {add, addButton} from '../../../shared/view/dom.js';

/** @param {Component<string, AttentionServer>} page */
export function start({element, server, answer}) {
  const find = name => element.querySelector('.nr-' + name);
  const [layer, neuron, top, text, writes, message] = [
    'layer',
    'neuron',
    'top',
    'text',
    'writes',
    'message',
  ].map(find);
  let drawn = ''; // the model of which neurons are on the page
  let model = ''; // that was asked about
  let chosen = neuronInLink(); // {layer, neuron}, null each where the view chooses

  const request = asking(
    answer,
    async () => {
      model = valueOf('model');
      return server.neurons({model, text: valueOf('text'), ...chosen});
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
  answer.ask = () => request();

  function choose(at, number) {
    chosen = {layer: at, neuron: number};
    answer.about(chosen);
  }

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
    for (const item of neurons.top) {
      const button = addButton(top, 'u-digits', item, () => choose(neurons.layer, item));
      button.setAttribute('aria-pressed', item === neurons.neuron);
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
    const measured = await server.inner_sizes(null);
    if (!measured) return;
    const {how, sizes} = JSON.parse(measured);
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

  layer.addEventListener('change', () => choose(+layer.value, null));
  neuron.addEventListener('change', () =>
    choose(+layer.value, neuron.value === '' ? null : +neuron.value),
  );
  const inLink = () => (chosen.neuron === null ? null : `${chosen.layer}.${chosen.neuron}`);
  holdsState('attention/layers', {neuron: inLink}, () => {
    const named = neuronInLink();
    if (inLink() !== linked('neuron')) choose(named.layer, named.neuron);
  });
  answer.about(chosen);
  drawSizes();
}

// The neuron that the link names, "layer.neuron".
function neuronInLink() {
  const named = /^(\d{1,4})\.(\d{1,6})$/.exec(linked('neuron') ?? '');
  return named ? {layer: +named[1], neuron: +named[2]} : {layer: null, neuron: null};
}
