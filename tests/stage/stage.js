// A component of the page without Gradio's front end: its script runs in time that this file makes
// pass, and every control is used once. What is drawn after each step is told as lines of text.

// --- what leaves the page
const log = [];
const shortened = value =>
  (JSON.stringify(value) ?? '').slice(0, 600).replaceAll(location.origin, '');
const note = (what, ...values) => log.push(`> ${what} ${values.map(shortened).join(' ')}`);
Object.defineProperty(navigator, 'clipboard', {
  value: {writeText: async text => note('copies', text), write: async () => note('copies')},
});
window.open = (...given) => (note('opens', given[0]), null);
window.print = () => note('prints');
addEventListener('error', event => {
  if (!event.message.startsWith('ResizeObserver loop')) note('fails', event.message);
});
addEventListener('unhandledrejection', event => note('fails', String(event.reason)));
addEventListener('submit', event => event.preventDefault());
addEventListener('click', event => {
  const link = event.target.closest?.('a[href]');
  if (!link) return;
  event.preventDefault();
  const address = link.getAttribute('href').replace(/^(blob|data):.*/, '$1');
  note('follows', address.replace(location.origin, ''), link.download ?? '');
});

// What the component's scripts hear of the rest of the page (`shared/view/workspace.js`).
const heard = new Set();
const listen = window.addEventListener;
window.addEventListener = (name, ...given) => {
  if (name.startsWith('gptlens-')) heard.add(name);
  listen.call(window, name, ...given);
};

// No click and no script leaves the page.
window.navigation.addEventListener('navigate', event => {
  const {url, sameDocument} = event.destination;
  if (sameDocument || event.downloadRequest !== null || !event.cancelable) return;
  event.preventDefault();
  note('loads', url);
});

// What a figure is made of is told; the picture of it is plotly's.
document.addEventListener(
  'load',
  event => {
    if (!(event.target instanceof HTMLScriptElement) || !window.Plotly) return;
    window.Plotly.toImage = async (figure, options) => {
      note('draws', figure.data, options);
      return 'data:image/png;base64,';
    };
    window.Plotly.downloadImage = async (figure, options) => note('draws', figure.data, options);
  },
  true,
);

// --- what is drawn
const SHOWN =
  /^(aria-.*|title|alt|href|role|tabindex|type|placeholder|open|disabled|style|d|x|y|x1|x2|y1|y2|cx|cy|r|width|height|points|transform|viewBox|data-.*|colspan|min|max|step)$/;
const shorter = new Map(); // text -> as it is told
const shorten = text =>
  text
    .replaceAll(location.origin, '')
    .replace(/-?\d+\.\d+/g, number => String(+(+number).toPrecision(4)))
    .replace(/(blob|data):[^"')]*/g, '$1');

const short = text => shorter.get(text) ?? shorter.set(text, shorten(text)).get(text);

// What is done to a canvas is told, and not what it looks like: its texts, which are not painted since
// fonts differ, and how often each command came, with a digest of all of them.
const painted = new WeakMap(); // canvas -> what was done to it since it was last wiped
const pen = CanvasRenderingContext2D.prototype;
const SILENT = /^(measureText|fillText|getImageData|createImageData|is.*|get.*|constructor)$/;
const SET = ['fillStyle', 'strokeStyle', 'lineWidth', 'globalAlpha'];

function workOn(canvas) {
  if (!painted.has(canvas)) painted.set(canvas, {texts: new Set(), counts: {}, digest: 0});
  return painted.get(canvas);
}

const inWords = value => {
  if (typeof value === 'number') return String(+value.toFixed(2));
  if (value instanceof ImageData) return String(value.data.reduce((sum, byte) => sum + byte, 0));
  return typeof value === 'string' || Array.isArray(value) ? String(value) : '';
};

function done(canvas, name, given) {
  const work = workOn(canvas);
  work.counts[name] = (work.counts[name] ?? 0) + 1;
  for (const letter of `${name} ${[...given].map(inWords)}`)
    work.digest = Math.imul(work.digest ^ letter.charCodeAt(0), 16777619) >>> 0;
}

for (const [name, {value: act}] of Object.entries(Object.getOwnPropertyDescriptors(pen)))
  if (typeof act === 'function' && !SILENT.test(name))
    pen[name] = function (...given) {
      if (name === 'clearRect') painted.delete(this.canvas);
      else done(this.canvas, name, given);
      return act.apply(this, given);
    };
for (const name of SET) {
  const property = Object.getOwnPropertyDescriptor(pen, name);
  Object.defineProperty(pen, name, {
    ...property,
    set(value) {
      done(this.canvas, name, [value]);
      property.set.call(this, value);
    },
  });
}
pen.measureText = text => ({width: 7 * text.length});
pen.fillText = function (text, x, y) {
  workOn(this.canvas).texts.add(`${text}@${Math.round(x)},${Math.round(y)}`);
};
const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width');
Object.defineProperty(HTMLCanvasElement.prototype, 'width', {
  ...width,
  set(pixels) {
    painted.delete(this);
    width.set.call(this, pixels);
  },
});

function workTold(canvas) {
  const {texts, counts, digest} = workOn(canvas);
  const commands = Object.entries(counts).map(([name, n]) => `${name} ${n}`);
  return [commands.join(', '), digest.toString(16), [...texts].join(' ').slice(0, 400)];
}

function lines(node, depth, found) {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.textContent.replace(/\s+/g, ' ');
    if (text.trim()) found.push(`${' '.repeat(depth)}“${short(text)}”`);
    return found;
  }
  if (node.nodeType !== Node.ELEMENT_NODE || /^(SCRIPT|STYLE)$/i.test(node.tagName)) return found;
  const isDrawn = node.getClientRects().length || node.closest('svg') || node.tagName === 'OPTION';
  if (!isDrawn) return found;
  const said = [...node.attributes]
    .filter(({name, value}) => SHOWN.test(name) && value !== '' && value.length < 2000)
    .map(({name, value}) => `${name}=${short(value)}`);
  if ('value' in node && /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName))
    said.push(`value=${short(String(node.value))}`);
  if (node.checked) said.push('checked');
  if (node === document.activeElement) said.push('focus');
  if (node.tagName === 'CANVAS' && node.width) said.push(...workTold(node));
  const names = [...node.classList].map(name => '.' + name).join('');
  found.push(
    `${' '.repeat(depth)}${node.tagName.toLowerCase()}${names} ${said.join(' ')}`.trimEnd(),
  );
  for (const child of node.childNodes) lines(child, depth + 1, found);
  return found;
}

const drawn = () => [...document.body.children].flatMap(node => lines(node, 0, []));

async function settle() {
  for (let n = 0; n < 20; n += 1) await tick(); // a module that is there already is imported
  await pass(2700);
  await pass(300);
}

// Calls a function with JSON and answers in it: Playwright takes its time to pass on objects.
window.call = async (name, given) =>
  JSON.stringify((await window[name](...JSON.parse(given))) ?? null);

// --- the component
let shown; // the component, as Gradio has it
let answers; // of the server, by JSON of [name, request]
let isRecording = false;
let store;
let link; // `shared/view/link.js`
let viewTitles; // the titles of the tab and the view that hold the component; null for none
let linkHeld = '';

// Of an answer of the server, whatever address the stage has.
const keyOf = (name, request) =>
  JSON.stringify([name, request ?? null]).replaceAll(location.origin, 'http://localhost');

async function asked(name, request) {
  note('asks the server', name, request);
  const key = keyOf(name, request);
  if (isRecording && !(key in answers)) answers[key] = await window.askServer(key);
  else if (!(key in answers)) note('has no recorded answer', key);
  return answers[key] ?? null;
}

function show(value) {
  shown.props.value = value;
  for (const hear of shown.heard) hear();
}

// Puts a component into an element. ask(name, request): its server; hear(event, data): Gradio.
function begin(outer, {template, script, value}, ask, hear) {
  const element = document.createElement('div');
  element.innerHTML = template;
  outer.append(element);
  const heard = [];
  const props = {value};
  const get = (_, name) =>
    name === 'then' ? undefined : request => following(ask(String(name), request));
  const context = {
    element,
    props,
    server: new Proxy({}, {get}),
    trigger: hear,
    watch: (_, call) => heard.push(call),
  };
  new Function(...Object.keys(context), script)(...Object.values(context));
  return {props, heard};
}

// What every script finds on the page.
async function prepare({register, fields}) {
  for (const name of ['lensModule', 'lensText']) {
    const load = window[name];
    window[name] = (...args) => following(load(...args));
  }
  await document.fonts.load('14px boxes');
  store = await import(window.lensBase + '/shared/view/store.js');
  await import(window.lensBase + '/shared/view/slide.js'); // which is else loaded when it is used
  link = await import(window.lensBase + '/shared/view/link.js');
  link.setRegister(register);
  store.holdFields(Object.keys(fields), Object.values(fields));
  store.onStore(news => note('store', news));
}

// What a link to the view would hold, where that has changed.
function noteLink() {
  if (!viewTitles) return;
  const now = JSON.stringify(link.stateOfView(viewTitles));
  if (now !== linkHeld) note('a link holds', JSON.parse(now));
  linkHeld = now;
}

window.mount = async given => {
  ({answers, isRecording, viewTitles} = given);
  await prepare(given);
  const outer = document.createElement('div');
  outer.id = given.id;
  outer.className = given.classes.join(' ');
  document.querySelector('#stage').append(outer);
  shown = begin(outer, given, asked, (name, data) => note('triggers', name, data));
  await settle();
  // What it drew before it had its size is drawn again.
  for (const narrower of ['1px', '']) {
    document.querySelector('#stage').style.paddingRight = narrower;
    await settle();
  }
};

// A page that a link has opened. Then the page goes to the view as it begins, and comes back by the
// link.
window.seen = async () => {
  noteLink();
  const steps = [{step: 'opened by a link', log: log.splice(0), lines: drawn()}];
  const query = new URLSearchParams(location.search);
  const place = new URLSearchParams();
  for (const name of ['tab', 'view']) if (query.has(name)) place.set(name, query.get(name));
  for (const [step, whole] of Object.entries({view: place, link: query})) {
    link.takePieces(whole, true);
    await settle();
    noteLink();
    steps.push({step: `goes to the ${step}`, log: log.splice(0), lines: drawn()});
  }
  return [steps, answers];
};

// --- the walk
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

async function whileHidden(step, answer) {
  const {style} = document.querySelector('#stage');
  await step('it is hidden', () => (style.display = 'none'));
  await step('another answer comes meanwhile', () => show(answer));
  await step('it is shown', () => (style.display = ''));
}

window.walk = async ({other, further}) => {
  const first = shown.props.value;
  noteLink();
  const steps = [{step: 'mounted', log: log.splice(0), lines: drawn()}];
  const done = new Set();
  let before = JSON.stringify(steps[0].lines);
  async function step(name, act) {
    act();
    await settle();
    noteLink();
    const now = drawn();
    const text = JSON.stringify(now);
    const left = log.splice(0);
    if (text !== before || left.length)
      steps.push({step: name, log: left, lines: text === before ? null : now});
    before = text;
  }
  async function each(name, selector, act) {
    for (let n = 0; n < MOST; n += 1) {
      const found = candidates(selector).find(([kind]) => !done.has(`${name} ${kind}`));
      if (!found) return;
      const [kind, node] = found;
      done.add(`${name} ${kind}`);
      await act(`${name} ${kind}`, node);
    }
  }
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
  await each('uses', CONTROLS, (name, node) => step(name, () => use(node)));
  for (const [name, act] of Object.entries(AROUND)) await step(name, act);
  for (const name of heard) {
    const event = new CustomEvent(name, {detail: DETAILS[name]});
    await step(`${name} happens`, () => dispatchEvent(event));
  }
  for (const [event, answer] of Object.entries(further)) {
    await step('the first answer comes again', () => show(first));
    await step(`${event} is answered`, () => show(answer));
  }
  if (other) await whileHidden(step, other);
  await step('the first answer comes again', () => show(first));
  await step('a control has the focus', () => candidates('#stage [tabindex="0"]')[0]?.[1].focus());
  if (other) await step('another answer comes', () => show(other));
  await step('a refusal comes', () => {
    try {
      show('{"message": "It was refused."}');
    } catch {
      // of a component that is never refused
    }
  });
  return [steps, answers];
};
