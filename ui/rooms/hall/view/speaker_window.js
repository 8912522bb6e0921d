// What the speaker sees beside the hall's window: the scene, notes, what comes next, and a clock.
import {clock} from '../../../shared/view/clock.js';
import {keep, kept} from '../../../shared/view/kept.js';

const KEY = 'gptlens-speaker-clock';
const find = selector => document.querySelector(selector);
const channel = new BroadcastChannel(window.name);
const began = {talk: null, scene: null, ...kept(KEY)}; // survives a reload
let at = began.at ?? null;

function tick() {
  if (began.talk === null) return;
  find('.whole').textContent = clock(Date.now() - began.talk);
  find('.scene').textContent = `this scene ${clock(Date.now() - began.scene)}`;
}

function setClock(times) {
  Object.assign(began, times);
  keep(KEY, began);
  tick();
}

channel.addEventListener('message', ({data}) => {
  if (data?.kind !== 'scene') return;
  if (data.at !== at) setClock({talk: began.talk ?? Date.now(), scene: Date.now(), at: data.at});
  at = data.at;
  find('h1').textContent = data.title;
  find('.count').textContent = data.of ? `${data.at + 1} of ${data.of}` : '';
  find('.said').textContent = data.of ? data.say : 'No talk is open in the other window.';
  find('.notes').textContent = data.notes;
  find('.away').hidden = !data.away;
  find('.next').textContent = data.next ? `Next: ${data.next}` : data.of ? 'Next: the end' : '';
});

const turn = by => channel.postMessage({kind: 'turn', by});
for (const button of document.querySelectorAll('[data-by]'))
  button.addEventListener('click', () => turn(+button.dataset.by));
find('.zero').addEventListener('click', () => setClock({talk: Date.now(), scene: Date.now()}));
document.addEventListener('keydown', (/** @type {any} */ event) => {
  const by = {PageDown: 1, ArrowRight: 1, ' ': 1, PageUp: -1, ArrowLeft: -1}[event.key];
  if (!by || (event.key === ' ' && event.target.closest('button'))) return;
  event.preventDefault();
  turn(by);
});
setInterval(tick, 250);
channel.postMessage({kind: 'ready'});
