// Time that the stage makes pass, and chance that is the same every time.

// --- time
const channel = new MessageChannel();
const ticked = []; // what waits for the next turn of the browser's loop
channel.port1.onmessage = () => ticked.shift()();
const tick = () =>
  new Promise(done => {
    ticked.push(done);
    channel.port2.postMessage(0);
  });
const nextFrame = requestAnimationFrame.bind(window);
// One more frame, and what observers of sizes and sights hear of it.
const frame = () => new Promise(done => nextFrame(() => tick().then(tick).then(tick).then(done)));
const BEGIN = Date.UTC(2026, 0, 5, 12);

// As the browser calls what waits: an error ends that call alone.
function calling(call, ...given) {
  try {
    call(...given);
  } catch (error) {
    reportError(error);
  }
}

const timers = new Map(); // number -> {due, call, every}
let now = 0;
let made = 0;

function later(call, wait, every = null) {
  timers.set(++made, {due: now + Math.max(0, +wait || 0), call, every});
  return made;
}

window.setTimeout = (call, wait, ...given) => later(() => call(...given), wait);
window.setInterval = (call, wait, ...given) => later(() => call(...given), wait, wait);
window.requestAnimationFrame = call => later(() => call(now), 16);
window.clearTimeout = number => timers.delete(number);
window.clearInterval = window.clearTimeout;
window.cancelAnimationFrame = window.clearTimeout;
performance.now = () => now;
Date.now = () => BEGIN + now;
Object.defineProperty(Event.prototype, 'timeStamp', {get: () => now});

// Until nothing is loaded, decoded or asked: that takes no time.
let pending = 0;
async function quiet() {
  do await tick();
  while (pending);
}

function following(promise) {
  pending += 1;
  const ended = () => (pending -= 1);
  promise.then(ended, ended);
  return promise;
}

// Sizes are looked at as time passes, and not when the browser happens to draw.
const sized = new Set(); // observers of sizes
const LOOKS = 16; // milliseconds from one look to the next
let looked = 0;
window.ResizeObserver = class {
  constructor(hear) {
    Object.assign(this, {hear, sizes: new Map()});
    sized.add(this);
  }
  observe = node => this.sizes.set(node, '');
  unobserve = node => this.sizes.delete(node);
  disconnect = () => this.sizes.clear();
  look() {
    const changed = [];
    for (const [target, before] of this.sizes) {
      const contentRect = target.getBoundingClientRect();
      const size = target.isConnected ? `${contentRect.width} ${contentRect.height}` : before;
      if (size !== before) changed.push({target, contentRect});
      this.sizes.set(target, size);
    }
    if (changed.length) calling(this.hear, changed, this);
  }
};

function lookAtSizes() {
  if (now - looked < LOOKS) return;
  looked = now;
  for (const observer of sized) observer.look();
}

async function pass(milliseconds) {
  const end = now + milliseconds;
  for (;;) {
    await quiet();
    lookAtSizes();
    const next = [...timers].filter(([, {due}]) => due <= end).sort((a, b) => a[1].due - b[1].due);
    if (!next.length) break;
    const [number, timer] = next[0];
    now = Math.max(now, timer.due);
    if (timer.every === null) timers.delete(number);
    else timer.due = now + Math.max(timer.every, 16);
    calling(timer.call);
  }
  now = end;
}

// What a script loads, and pictures, are awaited.
const decode = Image.prototype.decode;
Image.prototype.decode = function () {
  return following(decode.call(this));
};
const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src');
Object.defineProperty(HTMLImageElement.prototype, 'src', {
  ...source,
  set(address) {
    const ends = ['load', 'error'].map(
      name => new Promise(done => this.addEventListener(name, done, {once: true})),
    );
    if (address) following(Promise.race(ends));
    source.set.call(this, address);
  },
});
const fetched = window.fetch.bind(window);
window.fetch = (...given) => following(fetched(...given));
for (const {prototype} of [Response, Blob])
  for (const name of ['arrayBuffer', 'blob', 'bytes', 'json', 'text']) {
    const read = prototype[name];
    if (!read) continue;
    prototype[name] = function () {
      return following(read.call(this));
    };
  }
const append = Element.prototype.append;
Element.prototype.append = function (...nodes) {
  for (const node of nodes)
    if (node instanceof HTMLScriptElement)
      following(new Promise(done => node.addEventListener('load', done)));
  return append.apply(this, nodes);
};

// --- chance
let seed = 7;
Math.random = () => {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
};
crypto.getRandomValues = numbers => numbers.map(() => Math.floor(Math.random() * 2 ** 32));
crypto.randomUUID = () => `00000000-0000-4000-8000-${String(Math.floor(Math.random() * 1e12))}`;
