// Functions of the page's modules, asked one by one. `tests/stage/scripts.py` has every module tell
// its functions to `openFunctions`, those that it keeps to itself, too.

const functions = new Map(); // "path:name" -> function
const kept = new Map(); // "path:name" -> calls that were listened to, as JSON
const isListening = Boolean(window.isListening);
const MOST_CALLS = 40; // of a function
const LARGE = 4000; // characters of a call
const DEEP = 12; // objects within objects
const ITEMS = 3000; // of a list

// own: {name: [reads the function, puts another in its place]}
window.openFunctions = (path, own) => {
  for (const [name, [read, put]] of Object.entries(own)) {
    const item = read();
    if (typeof item !== 'function' || /^class\b/.test(String(item))) continue;
    functions.set(`${path}:${name}`, item);
    if (isListening) put(listened(`${path}:${name}`, item));
  }
};

function listened(name, item) {
  const calls = new Set();
  kept.set(name, calls);
  return function (...given) {
    if (calls.size < MOST_CALLS) keepCall(calls, given);
    return item.apply(this, given);
  };
}

function keepCall(calls, given) {
  try {
    const text = JSON.stringify(given.map(value => encoded(value)));
    if (text.length <= LARGE) calls.add(text);
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
  }
}

window.heardCalls = () => Object.fromEntries([...kept].map(([name, calls]) => [name, [...calls]]));

// --- values as JSON, and back
class NotPlain extends Error {}

// Whatever address the stage has, and whatever the files of the page hold.
const PAGE = 'https://page.example';
const anywhere = text =>
  text
    .replaceAll(location.origin, PAGE)
    .replaceAll(`:${location.port}`, ':7860')
    .replace(/(?<=gptlens\/)[0-9a-f]{12}/g, 'version');
const here = text => text.replaceAll(PAGE, location.origin);

const TYPED = [Float32Array, Float64Array, Uint8Array, Uint16Array, Uint32Array, Int32Array];

// What stands for a value in JSON. Throws NotPlain where nothing does.
function encoded(value, depth = 0) {
  if (value === undefined) return {undefined: 0};
  if (typeof value === 'string') return anywhere(value);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number')
    return Number.isFinite(value) ? +value.toPrecision(12) : {number: String(value)};
  if (typeof value !== 'object' || depth > DEEP) throw new NotPlain();
  const inner = item => encoded(item, depth + 1);
  const all = items => {
    if (items.length > ITEMS) throw new NotPlain();
    return items.map(inner);
  };
  if (Array.isArray(value)) return all(value);
  if (value instanceof Map) return {Map: all([...value])};
  if (value instanceof Set) return {Set: all([...value])};
  if (value instanceof URLSearchParams) return {URLSearchParams: String(value)};
  if (value instanceof URL) return {URL: anywhere(String(value))};
  if (value instanceof HTMLElement) return {element: anywhere(value.outerHTML)};
  for (const kind of TYPED) if (value instanceof kind) return {[kind.name]: all([...value])};
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new NotPlain();
  return {dict: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]))};
}

function elementOf(html) {
  const box = document.createElement('div');
  box.innerHTML = here(html);
  document.querySelector('#stage').append(box);
  return box.firstElementChild;
}

const DECODED = {
  undefined: () => undefined,
  number: Number,
  Map: items => new Map(items.map(decoded)),
  Set: items => new Set(items.map(decoded)),
  URLSearchParams: text => new URLSearchParams(text),
  URL: text => new URL(here(text)),
  element: elementOf,
  dict: items =>
    Object.fromEntries(Object.entries(items).map(([key, item]) => [key, decoded(item)])),
  ...Object.fromEntries(TYPED.map(kind => [kind.name, items => kind.from(items.map(decoded))])),
};

function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value === 'string') return here(value);
  if (value === null || typeof value !== 'object') return value;
  const [kind, of] = Object.entries(value)[0];
  return DECODED[kind](of);
}

// A lock is held at once: a browser takes its time, and keeps those of pages that were closed.
Object.defineProperty(navigator, 'locks', {
  value: {request: async (name, _, until) => void until({name})},
});

// --- answers
const HANGS = {hangs: 0};

// What comes of it within some seconds of the stage.
async function awaited(promise) {
  let isOver = false;
  const over = promise.finally(() => (isOver = true));
  await Promise.race([over.catch(() => null), settle()]);
  return isOver ? over : HANGS;
}

function started() {
  document.querySelector('#stage').innerHTML = '';
  document.body.className = 'gradio-container';
  document.querySelectorAll('body > :not(#stage)').forEach(node => node.remove());
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
  timers.clear();
  now = 0;
  seed = 7;
  log.length = 0;
}

const paintedIn = node =>
  [node, ...node.querySelectorAll('canvas')]
    .filter(canvas => canvas.tagName === 'CANVAS')
    .map(workTold);

function toldOf(value) {
  if (typeof value === 'function') return {function: value.length};
  if (value instanceof Element)
    return {element: anywhere(value.outerHTML), painted: paintedIn(value)};
  try {
    return encoded(value);
  } catch (error) {
    if (error instanceof NotPlain) return {other: value.constructor?.name ?? ''};
    throw error;
  }
}

// What an error says is the browser's.
const isNoError = line => !line.startsWith('> fails');

async function answerOf(name, given) {
  started();
  const values = given.map(decoded);
  const before = JSON.stringify(values.map(toldOf));
  const told = {};
  try {
    const gives = functions.get(name)(...values);
    told.gives = toldOf(gives instanceof Promise ? await awaited(gives) : gives);
  } catch (error) {
    told.throws = error.name;
  }
  const after = values.map(toldOf);
  if (JSON.stringify(after) !== before) told.leaves = after;
  if (log.length) told.does = log.splice(0).filter(isNoError).map(anywhere);
  return JSON.stringify(told);
}

// Answers to calls of one function, each as JSON.
window.askCalls = async (name, calls) => {
  const found = [];
  for (const given of calls) found.push(await answerOf(name, given));
  return found;
};

window.sourceOf = name => String(functions.get(name));

// Loads a module as the page has it, and gives the names of its functions; none where it is of a page
// of its own. given: what `prepare` takes.
window.loadModule = async (module, given) => {
  await prepare(given);
  window.fetch = (address, how) => {
    if (how?.method !== 'HEAD') note('fetches', String(address)); // else it looks for the server
    return Promise.reject(new TypeError('There is no server.'));
  };
  await import(`${window.lensBase}/${module}`).catch(() => null);
  return [...functions.keys()].filter(name => name.startsWith(`${module}:`));
};
