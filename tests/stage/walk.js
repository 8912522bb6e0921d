// A component, walked through: what it draws after each use of each of its controls.

const CONTROLS =
  'button, a[href], input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=slider], [tabindex]';
const MOST = 40; // steps
const KEYED = '[tabindex], [role=slider], [role=tab], input[type=range]';
const KEYS = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'End', 'ArrowUp', 'Enter', 'Escape'];

// What a button without another mark is for.
const wordOf = node =>
  node.tagName === 'BUTTON' && !node.dataset.do && !node.className
    ? node.textContent.slice(0, 20)
    : '';

const kindOf = node =>
  [
    node.tagName.toLowerCase(),
    wordOf(node),
    node.dataset?.do ?? '',
    node.getAttribute('role') ?? '',
    node.type ?? '',
  ]
    .concat([...node.classList].filter(name => !/^(on|open|active|selected|chosen)$/.test(name)))
    .join('.');

// Of each kind the first and the last that are in sight.
function candidates(selector) {
  const byKind = new Map();
  for (const node of document.querySelectorAll(selector)) {
    if (!node.getClientRects().length || node.disabled) continue;
    const kind = kindOf(node);
    byKind.set(kind, [...(byKind.get(kind) ?? []), node]);
  }
  return [...byKind].flatMap(([kind, nodes]) =>
    nodes.length > 1
      ? [
          [kind, nodes[0]],
          [kind + ' last', nodes.at(-1)],
        ]
      : [[kind, nodes[0]]],
  );
}

// An event in a node, at shares of its width and height.
const at = (node, across = 0.5, down = 0.5) => {
  const box = node.getBoundingClientRect();
  return {
    bubbles: true,
    cancelable: true,
    pointerType: 'mouse',
    pointerId: 1,
    clientX: box.x + box.width * across,
    clientY: box.y + box.height * down,
  };
};

function point(node) {
  for (const name of ['pointerover', 'pointerenter', 'pointermove'])
    node.dispatchEvent(new PointerEvent(name, at(node)));
  for (const name of ['mouseover', 'mouseenter', 'mousemove'])
    node.dispatchEvent(new MouseEvent(name, at(node)));
}

Element.prototype.setPointerCapture = () => {}; // of no real pointer
function drag(node, isBack = false) {
  const places = [
    ['pointerdown', 0.3, 0.4],
    ['pointermove', 0.5, 0.6],
    ['pointermove', 0.8, 0.9],
    ['pointerup', 0.8, 0.9],
  ];
  for (const [name, ...place] of places) {
    const [across, down] = isBack ? place.map(share => 1 - share) : place;
    node.dispatchEvent(new PointerEvent(name, {...at(node, across, down), buttons: 1}));
  }
}

function leave(node) {
  for (const name of ['pointerout', 'pointerleave'])
    node.dispatchEvent(new PointerEvent(name, at(node)));
  for (const name of ['mouseout', 'mouseleave']) node.dispatchEvent(new MouseEvent(name, at(node)));
}

function put(node, value) {
  const owner = Object.getPrototypeOf(node);
  Object.getOwnPropertyDescriptor(owner, 'value').set.call(node, value);
  for (const name of ['input', 'change']) node.dispatchEvent(new Event(name, {bubbles: true}));
}

function use(node) {
  if (node.tagName === 'SELECT') {
    node.selectedIndex = Math.min(node.options.length - 1, node.selectedIndex === 1 ? 0 : 1);
    node.dispatchEvent(new Event('change', {bubbles: true}));
  } else if (node.type === 'range') put(node, node.value === node.max ? node.min : node.max);
  else if (node.tagName === 'TEXTAREA' || /^(text|number|search)$/.test(node.type)) {
    put(node, node.type === 'number' ? '3' : `${node.value} zebra`);
    node.dispatchEvent(
      new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}),
    );
  } else if (node.click) node.click();
  else node.dispatchEvent(new MouseEvent('click', at(node)));
}

const pressKey = (node, key) => {
  node.focus();
  node.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
};

// What the rest of the page does to a component.
const AROUND = {
  'a head is chosen': () => store.chooseHead([1, 2]),
  'a token is chosen': () => store.chooseToken(1),
  'a sentence is written elsewhere': () => store.setSentence('A dog ran'),
  'the last token is chosen': () => store.chooseToken(null),
  'the page turns dark': () => document.body.classList.add('dark'),
  'letters are large': () => document.body.classList.add('present'),
  'the window is narrow': () => (document.querySelector('#stage').style.width = '360px'),
};

// What an event of the page says, besides that it happens.
const DETAILS = {'gptlens-form': 'labels', 'gptlens-say': 'A message.'};

// What has been done and seen, step by step.
let first; // the answer that the component was mounted with
let tried;
let steps;
let before;
let isChanged = false; // whether answers are, so that some are wrong and some are missing

const inOwnWords = line =>
  isChanged
    ? line.replace(/^> fails.*/, '> fails').replace('has no recorded answer', 'gets no answer')
    : line;

async function step(name, act) {
  act();
  await settle();
  noteLink();
  const now = drawn();
  const text = JSON.stringify(now);
  const left = log.splice(0).map(inOwnWords);
  if (text !== before || left.length)
    steps.push({step: name, log: left, lines: text === before ? null : now, isChanged});
  before = text;
}

async function each(name, selector, act) {
  for (let n = 0; n < MOST; n += 1) {
    const found = candidates(selector).find(([kind]) => !tried.has(`${name} ${kind}`));
    if (!found) return;
    const [kind, node] = found;
    tried.add(`${name} ${kind}`);
    await act(`${name} ${kind}`, node);
  }
}

const useEach = () => each('uses', CONTROLS, (name, node) => step(name, () => use(node)));

function useTwice(node) {
  use(node);
  setTimeout(() => node.isConnected && use(node), 50);
}

// Of values that a component may be unable to show.
function showAny(value) {
  try {
    show(value);
  } catch {
    note('fails');
  }
}

async function whileHidden(answer) {
  const {style} = document.querySelector('#stage');
  await step('it is hidden', () => (style.display = 'none'));
  await step('another answer comes meanwhile', () => show(answer));
  await step('it is shown', () => (style.display = ''));
}

window.walk = async ({other, further}) => {
  first = shown.props.value;
  noteLink();
  tried = new Set();
  steps = [{step: 'mounted', log: log.splice(0), lines: drawn()}];
  before = JSON.stringify(steps[0].lines);
  await each('points at', '#stage *', async (name, node) => {
    await step(name, () => point(node));
    leave(node);
  });
  await step('points at nothing', () => {});
  await each('drags on', 'canvas, svg, [data-at]', async (name, node) => {
    for (const isBack of [false, true]) {
      const told = isBack ? `${name}, back` : name;
      if (node.isConnected) await step(told, () => drag(node, isBack));
      const twice = new MouseEvent('dblclick', at(node));
      if (node.isConnected) await step(`${told}, a double click`, () => node.dispatchEvent(twice));
    }
  });
  await each('keys on', KEYED, async (name, node) => {
    for (const key of KEYS)
      if (node.isConnected) await step(`${name} ${key}`, () => pressKey(node, key));
  });
  await useEach();
  for (const [name, act] of Object.entries(AROUND)) await step(name, act);
  for (const name of heard) {
    const event = new CustomEvent(name, {detail: DETAILS[name]});
    await step(`${name} happens`, () => dispatchEvent(event));
  }
  for (const [event, answer] of Object.entries(further)) {
    await step('the first answer comes again', () => show(first));
    await step(`${event} is answered`, () => show(answer));
  }
  if (other) await whileHidden(other);
  await step('the first answer comes again', () => show(first));
  await step('a control has the focus', () => candidates('#stage [tabindex="0"]')[0]?.[1].focus());
  if (other) await step('another answer comes', () => show(other));
  await step('a refusal comes', () => showAny('{"message": "It was refused."}'));
  return [steps, answers];
};

// The same component, after its walk: each of its answers with one value changed.
// values: {name: answer}.
window.vary = async ({values}) => {
  document.body.classList.remove('dark', 'present');
  document.querySelector('#stage').style.width = '';
  await settle();
  isChanged = true;
  steps = [];
  for (const [name, value] of Object.entries(values)) await step(name, () => showAny(value));
  return steps;
};

// A component whose server answers otherwise: every control is used once, then twice while the
// server is slow.
window.useAll = async () => {
  isChanged = true;
  tried = new Set();
  steps = [];
  await step('answered otherwise', () => {});
  await useEach();
  isSlow = true;
  await each('quickly uses', CONTROLS, (name, node) => step(name, () => useTwice(node)));
  return [steps, answers];
};
