// Circuit of a prediction, laid out like the model: words, heads, neurons, answer. A click switches
// a node off and updates the prediction. Model text goes into the page by textContent alone.
/** @import {AttentionServer} from '../../../shared/view/payloads' */
import {headTag, percent, signed, visible} from '../../../shared/view/plain.js';
import {add} from '../../../shared/view/dom.js';
import {saveDrawn} from '../../../shared/view/drawn.js';
import {put} from '../../../shared/view/svg.js';

const [ROW, LEFT, TOP, RIGHT] = [34, 96, 30, 96];

const plain = label => visible(label).replace('␣', '') || '␣';

// Where nodes stand: a row for every token that has some, columns by layer, heads before neurons;
// nodes of one cell stand side by side. Gives {points: [[x, y]], rows: [place], width, height,
// column(layer)}.
export function places(nodes, layers, width) {
  const rows = [...new Set(nodes.map(node => node.place))].toSorted((a, b) => a - b);
  const column = (width - LEFT - RIGHT) / Math.max(1, layers);
  const cell = node => `${node.layer}/${node.kind}/${node.place}`;
  const counts = new Map();
  for (const node of nodes) counts.set(cell(node), (counts.get(cell(node)) ?? 0) + 1);
  const heights = rows.map(place => {
    const most = Math.max(
      ...nodes.filter(node => node.place === place).map(node => counts.get(cell(node))),
    );
    return Math.max(1, most) * ROW;
  });
  let height = TOP;
  const tops = heights.map(own => (height += own) - own);
  const taken = new Map();
  const points = nodes.map(node => {
    const row = rows.indexOf(node.place);
    const number = taken.get(cell(node)) ?? 0;
    taken.set(cell(node), number + 1);
    const y = tops[row] + (heights[row] / counts.get(cell(node))) * (number + 0.5);
    if (node.kind === 'word') return [LEFT - 8, y];
    if (node.kind === 'answer') return [width - RIGHT + 14, y];
    return [LEFT + (node.layer + (node.kind === 'head' ? 0.3 : 0.75)) * column, y];
  });
  return {points, rows, width, height: height + 14, column};
}

// box: where to draw. server: circuit and circuit_without. asked: {model, text, word, rival}, as
// the view above has it.
/** @param {AttentionServer} server */
export function circuitView(box, server) {
  const find = name => box.querySelector('.ct-' + name);
  const parts = ['message', 'body', 'drawing', 'next', 'said', 'words'];
  const [message, body, drawing, next, status, words] = parts.map(find);
  let circuit = null,
    request = null,
    number = 0;
  const off = new Set(); // nodes that are switched off

  async function show(question) {
    const mine = ++number;
    request = question;
    off.clear();
    const answer = await server.circuit(question);
    if (mine !== number) return;
    circuit = answer
      ? JSON.parse(answer)
      : {message: 'The server did not answer. Choose a word again.'};
    message.textContent = circuit.message ?? '';
    body.hidden = Boolean(circuit.message);
    if (circuit.message) return;
    body.querySelector('.conclusion').textContent = circuit.said;
    find('checked').textContent = circuit.checked;
    body.classList.toggle('ct-doubted', circuit.checked.startsWith('Do not trust'));
    drawWords();
    draw();
    tell('Click a part to switch it off, or a line to see how much it carries.');
    drawNext(circuit.next, circuit.total);
  }

  // The contribution of every word of the text.
  function drawWords() {
    words.textContent = '';
    const most = Math.max(0.01, ...circuit.words.map(Math.abs));
    circuit.tokens.forEach((label, i) => {
      const share = circuit.words[i];
      const word = add(
        words,
        'span',
        `u-shaded${share < 0 ? ' against' : ''}`,
        visible(label).replace('␣', ' '),
      );
      word.style.setProperty('--share', Math.abs(share) / most);
      word.title = `${signed(share)} logits`;
    });
    const [rest, all] = [circuit.constants, circuit.total].map(signed);
    add(words, 'small', '', ` and ${rest} from biases and frozen norms; together ${all}`);
  }

  const key = node => [node.kind, node.layer, node.index, node.place];
  const tell = text => (status.textContent = text);

  function draw() {
    const width = Math.max(340, drawing.clientWidth || 0);
    const at = places(circuit.nodes, circuit.layers, width);
    drawing.textContent = '';
    const size = {width, height: at.height, viewBox: `0 0 ${width} ${at.height}`};
    const label = 'The circuit: words on the left, the answer on the right';
    const svg = put(drawing, 'svg', {...size, role: 'group', 'aria-label': label});
    for (let layer = 0; layer < circuit.layers; layer++) {
      const x = LEFT + layer * at.column;
      put(svg, 'rect', {
        x: x + 2,
        y: 18,
        width: at.column - 4,
        height: at.height - 22,
        rx: 5,
        class: 'mc-band',
      });
      const title = {x: x + at.column / 2, y: 12, class: 'ct-title', 'text-anchor': 'middle'};
      put(svg, 'text', title, at.column < 52 ? layer : `block ${layer}`);
    }
    const largest = Math.max(...circuit.edges.map(([, , weight]) => Math.abs(weight)), 0.01);
    for (const [source, target, weight] of circuit.edges)
      drawEdge(svg, at.points, source, target, weight, largest);
    circuit.nodes.forEach((node, i) => drawNode(svg, node, at.points[i], i));
    thinOut(svg);
  }

  // Names of parts that would lie over others: those of the weaker parts are seen where they are
  // pointed at.
  function thinOut(svg) {
    const size = i => Math.abs(circuit.nodes[i].influence ?? Infinity);
    const groups = [...svg.querySelectorAll('[data-node]')].toSorted(
      (a, b) => size(b.dataset.node) - size(a.dataset.node),
    );
    const taken = [];
    for (const group of groups) {
      const name = group.querySelector('text');
      const {x, y, width, height} = name.getBBox();
      const lies = at =>
        x < at.x + at.width && at.x < x + width && y < at.y + at.height && at.y < y + height;
      const isCrowded = taken.some(lies);
      name.classList.toggle('crowded', isCrowded);
      if (!isCrowded) taken.push({x, y, width, height});
    }
  }

  function drawEdge(svg, points, source, target, weight, largest) {
    const [[x0, y0], [x1, y1]] = [points[source], points[target]];
    const bend = Math.max(20, (x1 - x0) / 2);
    const d = `M${x0 + 6},${y0} C${x0 + bend},${y0} ${x1 - bend},${y1} ${x1 - 7},${y1}`;
    const dim = off.has(source) || off.has(target) ? ' dim' : '';
    const [a, b] = [circuit.nodes[source], circuit.nodes[target]];
    const line = put(svg, 'path', {d, class: `ct-edge${weight < 0 ? ' against' : ''}${dim}`});
    line.setAttribute('stroke-width', (0.8 + (6 * Math.abs(weight)) / largest).toFixed(1));
    line.dataset.edge = `${source}-${target}`;
    const about = `${a.name} → ${b.name}: ${signed(weight)}`;
    put(line, 'title', {}, about);
    line.addEventListener('click', () => tell(`${about}. Click either end to switch it off.`));
  }

  function drawNode(svg, node, [x, y], i) {
    const inner = node.kind === 'head' || node.kind === 'neuron';
    const [token, answers] = [plain(circuit.tokens[node.place] ?? ''), circuit.answers.map(plain)];
    let about = `${node.name} at ${token}: ${signed(node.influence)}; switched off ${signed(node.really)}`;
    let text = {x, y: y + 18, 'text-anchor': 'middle'};
    if (node.kind === 'word') {
      about = `the word ${token}, ${signed(circuit.words[node.place])}`;
      text = {x: x - 2, y: y + 4, 'text-anchor': 'end'};
    } else if (node.kind === 'answer') {
      about = `${answers[0]} rather than ${answers[1]}, ${signed(circuit.total)}`;
      text = {x: x - 6, y: y + 4, 'text-anchor': 'start'};
    }
    const kind = `ct-node ${node.kind}${node.influence < 0 ? ' against' : ''}${off.has(i) ? ' off' : ''}`;
    const role = inner ? {role: 'button', tabindex: 0, 'aria-pressed': off.has(i)} : {role: 'img'};
    const group = put(svg, 'g', {class: kind, 'data-node': i, ...role, 'aria-label': about});
    put(group, 'title', {}, about);
    if (node.kind === 'head')
      put(group, 'rect', {x: x - 7, y: y - 7, width: 14, height: 14, rx: 3});
    else if (node.kind === 'neuron') put(group, 'circle', {cx: x, cy: y, r: 6});
    const tag =
      node.kind === 'head' ? headTag(node.layer, node.index) : `L${node.layer} n${node.index}`;
    put(group, 'text', text, inner ? tag : plain(node.name).slice(0, 12));
    if (!inner) return;
    group.addEventListener('click', () => turn(i));
    group.addEventListener('keydown', event => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      turn(i);
    });
    for (const name of ['pointerenter', 'focus']) group.addEventListener(name, () => tell(about));
  }

  async function turn(i) {
    if (!off.delete(i)) off.add(i);
    draw();
    drawing.querySelector(`[data-node="${i}"]`)?.focus();
    const nodes = Array.from(off, place => key(circuit.nodes[place]));
    const mine = ++number;
    const answer = await server.circuit_without({...request, off: nodes});
    if (mine !== number || !answer) return;
    const value = JSON.parse(answer);
    if (value.message) return tell(value.message);
    const change = signed(value.difference - circuit.total);
    tell(
      nodes.length
        ? `${nodes.length} switched off: the preference changes by ${change}.`
        : 'All parts are on.',
    );
    drawNext(value.next, value.difference);
  }

  // The new prediction, next to the explained logit difference.
  function drawNext(list, difference) {
    next.textContent = '';
    add(
      next,
      'b',
      '',
      `${plain(circuit.answers[0])} − ${plain(circuit.answers[1])}: ${signed(difference)}`,
    );
    for (const [label, p] of list) {
      const row = add(next, 'span', 'ct-bar u-bar u-spread u-type-sm u-mono');
      row.style.setProperty('--p', `${100 * p}%`);
      add(row, 'span', '', plain(label));
      add(row, 'span', '', percent(p));
    }
  }

  box.addEventListener('click', event => {
    const kind = event.target.dataset?.save;
    const svg = drawing.querySelector('svg');
    if (svg && kind) saveDrawn(svg, 'circuit', kind);
    if (event.target.dataset?.do === 'on' && circuit) {
      number += 1; // an answer on its way is of parts that were off
      off.clear();
      draw();
      drawNext(circuit.next, circuit.total);
      tell('All parts are on.');
    }
  });
  let drawnAt = 0;
  new ResizeObserver(() => {
    if (!circuit || circuit.message || drawing.clientWidth === drawnAt) return;
    drawnAt = drawing.clientWidth;
    if (drawnAt) draw();
  }).observe(drawing);
  return {show};
}
