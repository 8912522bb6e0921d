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
  const answer = answers[key] ?? null;
  return isSlow ? slowly(answer) : answer;
}

// Of two answers that a slow server is asked for the second comes first.
let isSlow = false;
let asks = 0;
const slowly = answer => new Promise(done => setTimeout(done, ++asks % 2 ? 400 : 100, answer));

function show(value) {
  shown.props.value = value;
  for (const hear of shown.heard) hear();
}

// What comes at once is awaited, and what takes time of the stage's is not.
const awaitedBy = (ask, ...given) => (isSlow ? ask(...given) : following(ask(...given)));

// Puts a component into an element. ask(name, request): its server; hear(event, data): Gradio.
function begin(outer, {template, script, value}, ask, hear) {
  const element = document.createElement('div');
  element.innerHTML = template;
  outer.append(element);
  const heard = [];
  const props = {value};
  const get = (_, name) =>
    name === 'then' ? undefined : request => awaitedBy(ask, String(name), request);
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
