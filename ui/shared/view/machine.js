// Model diagram: tokens, embedding, every block with its head's attention and its output, the final norm, and the guess
// as it forms. One SVG, redrawn for every text; all words are set by textContent.
import {percent} from './plain.js';
import {put} from './svg.js';
import {layout, lookPath} from './machine_layout.js';
import {machineParts} from './machine_parts.js';
import {cut, decisive, isRecorded, order, quoted, sentences, shownBlock, word} from './machine_words.js';

const NOTHING = 'Point at a part to see its numbers; a click opens the view about it.';
// box: where to draw; said: where a part's sentence stands. go: opens a view. look: another token is looked at. next:
// the next word is written, after the last step.
export function machinePicture(box, status, {go, look, choose, next}) {
  let data = null,
    chosen = null,
    stepped = -1, // of the parts in their order
    parts = [];

  const {part, reach} = machineParts(box, status);

  // Steps through the parts, then writes the next word.
  function stepThrough() {
    if (!data) return;
    stepped = stepped + 1 < parts.length ? stepped + 1 : -1;
    if (stepped < 0) next();
    else mark();
  }

  function mark() {
    box.querySelector('.mc-part.step')?.classList.remove('step');
    const name = parts[stepped];
    const node = name && box.querySelector(`[data-part="${name}"]`);
    if (!node) return;
    node.classList.add('step');
    status.textContent = node.getAttribute('aria-label');
  }

  function draw(fresh = data, head = chosen) {
    if (fresh !== data) stepped = -1;
    [data, chosen] = [fresh, head];
    // All of it grows with the type, as for a hall.
    const unit = Math.max(1, parseFloat(getComputedStyle(box).fontSize) / 16);
    const width = Math.floor(box.clientWidth / unit);
    if (!data || !width) return;
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.part : null;
    const {machine, tokens, first} = data;
    const {blocks, shape} = machine;
    if (chosen && (chosen[0] >= shape.L || chosen[1] >= shape.H)) chosen = null; // of another model
    const now = first + machine.at;
    // What the heads that are drawn look at is shown, however far back it stands.
    const weights = new Map();
    for (const block of blocks)
      for (const [place, weight] of block.looks[block.head])
        if (weight > (weights.get(first + place) ?? 0)) weights.set(first + place, weight);
    const under = isRecorded(machine) ? 12 : 78; // the blocks: what they write and would say
    const at = layout({width, L: blocks.length, n: tokens.length, at: now, weights, under});
    const told = sentences(data);
    box.textContent = '';
    const svg = put(box, 'svg', {
      width: width * unit,
      height: at.height * unit,
      viewBox: `0 0 ${width} ${at.height}`,
      style: `--unit: ${unit}`, // so that letters have their size on the screen
      class: `mc${at.upright ? ' upright' : ''}`,
      role: 'group',
      'aria-label': `The model at work on ${quoted(tokens[now].label)}`,
    });
    const rect = (parent, flow, length, attributes, inset = 2) => {
      const across = at.across + 12;
      const [x, y, w, h] = at.upright
        ? [0, flow + inset, at.width - 2, length - 2 * inset]
        : [flow + inset, at.top - 6, length - 2 * inset, across + 4];
      return put(parent, 'rect', {x, y, width: Math.max(1, w), height: Math.max(1, h), rx: 5, ...attributes});
    };
    const title = (parent, flow, length, text) =>
      at.upright
        ? put(parent, 'text', {x: at.width - 8, y: flow + 14, class: 'mc-title', 'text-anchor': 'end'}, text)
        : put(parent, 'text', {x: flow + length / 2, y: 12, class: 'mc-title', 'text-anchor': 'middle'}, text);

    // The stream of every token runs through all blocks; that of the token that is looked at is the thick one.
    const embed = part(svg, 'embedding', told.embedding, 'Open Count', () => go({tab: 'parameters', view: 'Count'}));
    rect(embed, at.names, at.embed, {class: 'mc-band', style: '--i: 0'});
    title(embed, at.names, at.embed, at.upright ? 'embedding' : 'embed');
    const largest = Math.max(...blocks.flatMap(block => [block.attention, block.mlp])) || 1;
    const bands = at.groups.map(([from, to], i) => {
      const layer = shownBlock(blocks, [from, to], chosen);
      const flow = at.begin + i * at.block;
      const mine = chosen && chosen[0] === layer ? chosen[1] : blocks[layer].head;
      const heads = part(svg, `attention-${i}`, told.attention(layer, mine), 'Open Heads', () => {
        choose([layer, mine]);
        go({tab: 'attention', view: 'Heads'});
      });
      rect(heads, flow, at.block, {class: 'mc-band', style: `--i: ${i + 1}`});
      title(heads, flow, at.block, from === to ? `block ${from}` : `${from} to ${to}`);
      return {layer, flow, mine, heads, last: to};
    });
    const norm = part(svg, 'norm', told.norm, 'Open Layers', () => go({tab: 'attention', view: 'Layers'}));
    rect(norm, at.end, at.norm, {class: 'mc-band', style: `--i: ${at.groups.length + 1}`});
    title(norm, at.end, at.norm, 'norm');
    for (const token of at.shown) {
      const [x0, y0] = at.point(at.names, token),
        [x1, y1] = at.point(at.end + at.norm - 4, token);
      const kind = token === now ? ' now' : token > now ? ' later' : '';
      put(svg, 'line', {x1: x0, y1: y0, x2: x1, y2: y1, class: `mc-line${kind}`});
    }
    for (const {layer, flow, mine} of bands)
      for (const [place, weight] of blocks[layer].looks[mine]) {
        const to = first + place;
        if (to === now) continue;
        const d = lookPath(at, flow, at.block, now, at.shown.includes(to) ? to : null);
        const own = chosen && chosen[0] === layer && chosen[1] === mine;
        const style = `stroke-width: ${(1 + 5 * weight).toFixed(1)}; opacity: ${(0.3 + 0.7 * weight).toFixed(2)}`;
        put(svg, 'path', {d, class: own ? 'mc-look own' : 'mc-look', style});
      }
    drawCopied(svg, at, bands, data);
    for (const token of at.shown) drawName(svg, at, token, now, told);
    if (!isRecorded(machine))
      for (const [i, band] of bands.entries()) drawWrites(svg, at, band, i, blocks, largest, told, machine);
    reach(box.querySelector(focused ? `[data-part="${focused}"]` : '.mc-part'));
    if (focused) box.querySelector(`[data-part="${focused}"]`)?.focus();
    else status.textContent = NOTHING;
    parts = order(at.groups.length, isRecorded(machine));
    mark();
  }

  // At the arc of the block that raises the choice the most: that its head looks at the very word.
  function drawCopied(svg, at, bands, {machine: {blocks, choice, shape}, tokens, first}) {
    if (!shape.pre) return; // what a head writes for a word is not known there
    const layer = decisive(blocks);
    const band = bands.find(one => one.layer === layer);
    const [best] = band ? blocks[layer].looks[band.mine] : [];
    if (at.upright || at.block < 80 || !best || band.mine !== blocks[layer].head) return;
    if (best[1] < 0.5 || tokens[first + best[0]].id !== choice[2]) return;
    const [x, y] = at.point(band.flow + at.block * 0.22, at.shown.includes(first + best[0]) ? first + best[0] : null);
    put(svg, 'text', {x, y, dy: -6, class: 'mc-copied'}, cut(`copies “${word(choice[0])}”`, at.block / 7));
  }

  function drawName(svg, at, token, now, told) {
    const [x, y] = at.point(at.names - 8, token);
    const place = at.upright
      ? {x: x + 2, y: y + 4, transform: `rotate(-60 ${x} ${y})`, 'text-anchor': 'start'}
      : {x, y, 'text-anchor': 'end', dy: '0.35em'};
    if (token === null) return void put(svg, 'text', {...place, class: 'mc-name later'}, '… others');
    const group = part(svg, `token-${token}`, told.token(token), 'Look at it', () => look(token));
    const kind = token === now ? ' now' : token > now ? ' later' : '';
    const name = cut(word(data.tokens[token].label), at.upright ? 9 : Math.floor(at.names / 9));
    put(group, 'text', {...place, class: `mc-name${kind}`}, name);
  }

  // Under each block, or beside it on a phone: how much attention and MLP wrote, and what the model would say here.
  function drawWrites(svg, at, {layer, flow, last}, i, blocks, largest, told, machine) {
    const wide = at.upright ? 60 : at.block - 14;
    const [x, y] = at.upright ? [at.top + at.across + 6, flow + 20] : [flow + 7, at.top + at.across + 12];
    const layers = {tab: 'attention', view: 'Layers'};
    const mlp = part(svg, `mlp-${i}`, told.mlp(layer), 'Open its neurons', () => go({...layers, see: '#one-neuron'}));
    put(mlp, 'rect', {x, y: y - 3, width: wide, height: 15, class: 'mc-ground'});
    const [attended, added] = [blocks[layer].attention, blocks[layer].mlp].map(length => (wide * length) / largest);
    put(mlp, 'rect', {x, y, width: Math.max(1, attended), height: 4, class: 'mc-attention'});
    put(mlp, 'rect', {x, y: y + 5, width: added, height: 4, class: 'mc-mlp'});
    const guess = part(svg, `guess-${i}`, told.guess(last), 'Open Layers', () => go(layers));
    const [gx, gy] = at.upright ? [x + wide + 8, flow + 31] : [flow + at.block / 2, y + 28];
    const anchor = at.upright ? 'start' : 'middle';
    const ground = at.upright
      ? {x: gx - 4, width: at.width - gx, height: 20}
      : {x: flow + 3, width: at.block - 6, height: 36};
    put(guess, 'rect', {...ground, y: gy - 15, rx: 4, class: 'mc-ground'});
    const [label, p, id] = blocks[last].guess;
    const text = cut(word(label), Math.max(3, Math.floor((at.upright ? at.width - gx - 44 : at.block) / 8)));
    const kind = id === machine.choice[2] ? 'mc-guess right' : 'mc-guess';
    const name = put(guess, 'text', {x: gx, y: gy, 'text-anchor': anchor, class: kind}, text);
    if (at.upright) put(name, 'tspan', {dx: 6, class: 'mc-p'}, percent(p));
    else put(guess, 'text', {x: gx, y: gy + 15, 'text-anchor': anchor, class: 'mc-p'}, percent(p));
  }

  // One beat: the parts light up one after the other, as the next token is computed.
  function beat() {
    const svg = box.querySelector('svg');
    if (!svg) return;
    svg.classList.remove('beat');
    svg.getBoundingClientRect(); // so that the animation begins anew
    svg.classList.add('beat');
  }

  // Clears everything of the previous model.
  function clear() {
    data = null;
    stepped = -1;
    box.textContent = status.textContent = '';
  }

  new ResizeObserver(() => draw()).observe(box);
  return {draw, beat, clear, step: stepThrough};
}
