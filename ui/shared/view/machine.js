// Model diagram: tokens, embedding, every block with its head's attention and its output, the final
// norm, and the guess as it forms. One SVG, redrawn for every text; all words are set by
// textContent.
import {POINT_AT} from './dom.js';
import {percent} from './plain.js';
import {put} from './svg.js';
import {layout, lookPath} from './machine_layout.js';
import {machineParts} from './machine_parts.js';
import {
  cut,
  decisive,
  headOf,
  isRecorded,
  order,
  quoted,
  sentences,
  shownBlock,
  word,
} from './machine_words.js';

const NOTHING = `${POINT_AT} a part to see its numbers.`;
const SWITCHES = matchMedia('(hover: none)').matches
  ? 'Tap attention, an MLP or an arc to see its numbers and to switch it off.'
  : 'Point at a part to see its numbers. Click attention, an MLP or an arc to switch it off.';
const LAYERS = {tab: 'attention', view: 'Layers'};

// box: where to draw; status: where a part's sentence stands. go: opens a view. look: another token
// is looked at. next: the next word is written, after the last step. toggle: switches a part off or
// on by its name, such as L5H6; isOff: whether it is; without them a press opens the view about a
// part.
export function machinePicture(
  box,
  status,
  {go, look, choose, next, toggle = null, isOff = _name => false},
) {
  // data and chosen head, as drawn; stepped: place among the parts in their order, -1 before the
  // first
  const given = {box, status, go, look, choose, toggle, isOff};
  const picture = {...given, data: null, chosen: null, stepped: -1, parts: []};
  Object.assign(picture, machineParts(box, status));
  new ResizeObserver(() => draw(picture)).observe(box);
  return {
    draw: (data, head) => draw(picture, data, head),
    beat: () => beat(box),
    // Clears everything of the previous model.
    clear() {
      Object.assign(picture, {data: null, stepped: -1});
      box.textContent = status.textContent = '';
    },
    // Steps through the parts, then writes the next word.
    step() {
      if (!picture.data) return;
      picture.stepped = picture.stepped + 1 < picture.parts.length ? picture.stepped + 1 : -1;
      if (picture.stepped < 0) next();
      else mark(picture);
    },
  };
}

function mark({box, status, parts, stepped}) {
  box.querySelector('.mc-part.step')?.classList.remove('step');
  const name = parts[stepped];
  const node = name && box.querySelector(`[data-part="${name}"]`);
  if (!node) return;
  node.classList.add('step');
  status.textContent = node.getAttribute('aria-label');
}

// One beat: the parts light up one after the other, as the next token is computed.
function beat(box) {
  const svg = box.querySelector('svg');
  if (!svg) return;
  svg.classList.remove('beat');
  svg.getBoundingClientRect(); // so that the animation begins anew
  svg.classList.add('beat');
}

function draw(picture, data = picture.data, chosen = picture.chosen) {
  if (data !== picture.data) picture.stepped = -1;
  Object.assign(picture, {data, chosen});
  const {box, status} = picture;
  // All of it grows with the type, as for a hall.
  const unit = Math.max(1, parseFloat(getComputedStyle(box).fontSize) / 16);
  const width = Math.floor(box.clientWidth / unit);
  if (!data || !width) return;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.part : null;
  const {blocks, shape} = data.machine;
  picture.chosen = headOf(shape, chosen); // it may be of another model
  const scene = sceneOf(picture, width, unit);
  const bands = drawBands(scene);
  drawStreams(scene);
  for (const [i, band] of bands.entries()) drawLooks(scene, band, i);
  drawCopied(scene, bands);
  for (const token of scene.at.shown) drawName(scene, token);
  if (!isRecorded(data.machine)) {
    const largest = Math.max(...blocks.flatMap(block => [block.attention, block.mlp])) || 1;
    for (const [i, band] of bands.entries()) drawWrites(scene, band, i, largest);
  }
  picture.reach(box.querySelector(focused ? `[data-part="${focused}"]` : '.mc-part'));
  if (focused) box.querySelector(`[data-part="${focused}"]`)?.focus();
  else status.textContent = picture.toggle ? SWITCHES : NOTHING;
  picture.parts = order(scene.at.groups.length, isRecorded(data.machine));
  mark(picture);
}

// The empty drawing, {svg, at: its layout, now: place of the token that is looked at, told:
// sentences of the parts}.
function sceneOf(picture, width, unit) {
  const {box, part, go, look, choose, toggle, isOff, data, chosen} = picture;
  const {machine, tokens, first} = data;
  const {blocks} = machine;
  const now = first + machine.at;
  // What the heads that are drawn look at is shown, however far back it stands.
  const weights = new Map();
  for (const block of blocks)
    for (const [place, weight] of block.looks[block.head])
      if (weight > (weights.get(first + place) ?? 0)) weights.set(first + place, weight);
  const under = isRecorded(machine) ? 12 : 78; // the blocks: what they write and would say
  const at = layout({width, L: blocks.length, n: tokens.length, at: now, weights, under});
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
  const named = (...given) => part(svg, ...given);
  const drawn = {
    svg,
    at,
    now,
    machine,
    tokens,
    first,
    blocks,
    chosen,
    part: named,
    told: sentences(data),
  };
  return {...drawn, go, look, choose, toggle, isOff};
}

// What can be done with a part that can be switched off: [acts, whether it is off].
function switches({toggle, isOff}, name, title, opens) {
  if (!toggle) return [[[title, opens]], undefined];
  const off = isOff(name);
  return [
    [
      [off ? 'Switch it on' : 'Switch it off', () => toggle(name)],
      [title, opens],
    ],
    off,
  ];
}

// A part's ground, number i of all, and its title.
function drawBand(at, parent, flow, length, i, text) {
  const box = at.upright
    ? {x: 0, y: flow + 2, width: at.width - 2, height: length - 4}
    : {x: flow + 2, y: at.top - 6, width: length - 4, height: at.across + 16};
  const size = {width: Math.max(1, box.width), height: Math.max(1, box.height)};
  put(parent, 'rect', {...box, ...size, rx: 5, class: 'mc-band', style: `--i: ${i}`});
  const place = at.upright
    ? {x: at.width - 8, y: flow + 14, 'text-anchor': 'end'}
    : {x: flow + length / 2, y: 12, 'text-anchor': 'middle'};
  put(parent, 'text', {...place, class: 'mc-title'}, text);
}

// Embedding, blocks and norm; the blocks are given back.
function drawBands(scene) {
  const {at, blocks, chosen, part, told, go, choose} = scene;
  const embed = part('embedding', told.embedding, [
    ['Open Count', () => go({tab: 'parameters', view: 'Count'})],
  ]);
  drawBand(at, embed, at.names, at.embed, 0, at.upright ? 'embedding' : 'embed');
  const bands = at.groups.map(([from, to], i) => {
    const layer = shownBlock(blocks, [from, to], chosen);
    const flow = at.begin + i * at.block;
    const mine = chosen && chosen[0] === layer ? chosen[1] : blocks[layer].head;
    const open = () => {
      choose([layer, mine]);
      go({tab: 'attention', view: 'Heads'});
    };
    const heads = part(
      `attention-${i}`,
      told.attention(layer, mine),
      ...switches(scene, `L${layer}-attention`, 'Open Heads', open),
    );
    drawBand(at, heads, flow, at.block, i + 1, from === to ? `block ${from}` : `${from} to ${to}`);
    return {layer, flow, mine, last: to, open};
  });
  const norm = part('norm', told.norm, [['Open Layers', () => go(LAYERS)]]);
  drawBand(at, norm, at.end, at.norm, at.groups.length + 1, 'norm');
  return bands;
}

// The stream of every token runs through all blocks; that of the token that is looked at is the
// thick one.
function drawStreams({svg, at, now}) {
  for (const token of at.shown) {
    const [[x1, y1], [x2, y2]] = [at.names, at.end + at.norm - 4].map(flow =>
      at.point(flow, token),
    );
    put(svg, 'line', {x1, y1, x2, y2, class: `mc-line${kindOf(token, now)}`});
  }
}

const kindOf = (token, now) => (token === now ? ' now' : token > now ? ' later' : '');

function drawLooks(scene, {layer, flow, mine, open}, i) {
  const {svg, at, now, first, blocks, chosen, toggle, part, told} = scene;
  const looks = switches(scene, `L${layer}H${mine}`, 'Open Heads', open);
  const group = toggle ? part(`head-${i}`, told.head(layer, mine), ...looks) : svg;
  for (const [place, weight] of blocks[layer].looks[mine]) {
    const to = first + place;
    if (to === now) continue;
    const d = lookPath(at, flow, at.block, now, at.shown.includes(to) ? to : null);
    const own = chosen && chosen[0] === layer && chosen[1] === mine;
    const style = `stroke-width: ${(1 + 5 * weight).toFixed(1)}; opacity: ${(0.3 + 0.7 * weight).toFixed(2)}`;
    put(group, 'path', {d, class: own ? 'mc-look own' : 'mc-look', style});
    if (toggle) put(group, 'path', {d, class: 'mc-reach'});
  }
}

// At the arc of the block that raises the choice the most: that its head looks at the very word.
function drawCopied({svg, at, machine: {choice, shape}, blocks, tokens, first}, bands) {
  if (!shape.pre) return; // what a head writes for a word is not known there
  const layer = decisive(blocks);
  const band = bands.find(item => item.layer === layer);
  const [best] = band ? blocks[layer].looks[band.mine] : [];
  if (at.upright || at.block < 80 || !best || band.mine !== blocks[layer].head) return;
  if (best[1] < 0.5 || tokens[first + best[0]].id !== choice[2]) return;
  const [x, y] = at.point(
    band.flow + at.block * 0.22,
    at.shown.includes(first + best[0]) ? first + best[0] : null,
  );
  put(
    svg,
    'text',
    {x, y, dy: -6, class: 'mc-copied'},
    cut(`copies “${word(choice[0])}”`, at.block / 7),
  );
}

function drawName({svg, at, now, tokens, told, part, look}, token) {
  const [x, y] = at.point(at.names - 8, token);
  const place = at.upright
    ? {x: x + 2, y: y + 4, transform: `rotate(-60 ${x} ${y})`, 'text-anchor': 'start'}
    : {x, y, 'text-anchor': 'end', dy: '0.35em'};
  if (token === null) return void put(svg, 'text', {...place, class: 'mc-name later'}, '… others');
  const group = part(`token-${token}`, told.token(token), [['Look at it', () => look(token)]]);
  const name = cut(word(tokens[token].label), at.upright ? 9 : Math.floor(at.names / 9));
  put(group, 'text', {...place, class: `mc-name${kindOf(token, now)}`}, name);
}

// Under each block, or beside it on a phone: how much attention and MLP wrote, and what the model
// would say here.
function drawWrites(scene, {layer, flow, last}, i, largest) {
  const {at, blocks, told, machine, part, go, toggle} = scene;
  const wide = at.upright ? 60 : at.block - 14;
  const [x, y] = at.upright
    ? [at.top + at.across + 6, flow + 20]
    : [flow + 7, at.top + at.across + 12];
  const open = () => go({...LAYERS, see: '#one-neuron'});
  const mlp = part(
    `mlp-${i}`,
    told.mlp(layer),
    ...switches(scene, `L${layer}-mlp`, 'Open its neurons', open),
  );
  put(mlp, 'rect', {x, y: y - 3, width: wide, height: 15, class: 'mc-ground'});
  const [attended, added] = [blocks[layer].attention, blocks[layer].mlp].map(
    length => (wide * length) / largest,
  );
  put(mlp, 'rect', {x, y, width: Math.max(1, attended), height: 4, class: 'mc-attention'});
  put(mlp, 'rect', {x, y: y + 5, width: added, height: 4, class: 'mc-mlp'});
  const guess = part(
    `guess-${i}`,
    told.guess(last),
    toggle ? [] : [['Open Layers', () => go(LAYERS)]],
  );
  const [gx, gy] = at.upright ? [x + wide + 8, flow + 31] : [flow + at.block / 2, y + 28];
  const anchor = at.upright ? 'start' : 'middle';
  const ground = at.upright
    ? {x: gx - 4, width: at.width - gx, height: 20}
    : {x: flow + 3, width: at.block - 6, height: 36};
  put(guess, 'rect', {...ground, y: gy - 15, rx: 4, class: 'mc-ground'});
  const [label, p, id] = blocks[last].guess;
  const text = cut(
    word(label),
    Math.max(3, Math.floor((at.upright ? at.width - gx - 44 : at.block) / 8)),
  );
  const kind = id === machine.choice[2] ? 'mc-guess right' : 'mc-guess';
  const name = put(guess, 'text', {x: gx, y: gy, 'text-anchor': anchor, class: kind}, text);
  if (at.upright) put(name, 'tspan', {dx: 6, class: 'mc-p'}, percent(p));
  else put(guess, 'text', {x: gx, y: gy + 15, 'text-anchor': anchor, class: 'mc-p'}, percent(p));
}
