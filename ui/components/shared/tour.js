// A guided tour: a bar with one sentence a step, and a frame around what it is about. A teacher's own tour is a text
// file or a link: blocks with a line "?tab=generate&prompt=..." and a sentence, and perhaps "@ selector" to point at.
import {add, addButton, copyText} from './page.js';
import {awaited, goTo, loadWith, needsLoad, visible} from './places.js';
import {STEPS, TITLE} from './tour_steps.js';

const KEY = 'gptlens-tour';

let tour = null; // {title, steps, at, own}
let bar = null;
let wanted = 0; // number of the step that is being shown, so that a slow one does not come back

// Raises an error with a sentence for a text that is no tour.
export function parseTour(text) {
  let title = 'A tour';
  const steps = [];
  for (const block of text.replaceAll('\r', '').split(/\n\s*\n/)) {
    const lines = block.split('\n').map(line => line.trim());
    const link = lines.find(line => line.startsWith('?'));
    const point = lines.find(line => line.startsWith('@'));
    const say = lines.filter(line => line && line !== link && line !== point).join(' ');
    if (link) steps.push({link: link.slice(1), point: point?.slice(1).trim() ?? '', say});
    else if (say && !steps.length) title = say.replace(/^#\s*/, '');
  }
  if (!steps.length)
    throw new Error('This file has no step. A step is a line like ?tab=generate and a sentence below it.');
  return {title, steps, at: 0, own: text};
}

function keep() {
  try {
    if (tour) sessionStorage.setItem(KEY, JSON.stringify(tour));
    else sessionStorage.removeItem(KEY);
  } catch {
    // a private window: the tour ends with the page
  }
}

export const isTouring = () => tour !== null;

export function leaveTour() {
  tour = null;
  wanted += 1;
  keep();
  frame(null);
  bar?.remove();
  bar = null;
}

export function startTour(given = {title: TITLE, steps: STEPS, at: 0, own: ''}) {
  tour = given;
  go(tour.at);
  bar?.querySelector('.tour-next').focus();
}

// The tour that goes on after a load of the page, or comes with its link; null without one.
function arriving() {
  if (location.hash.startsWith('#tour=')) return parseTour(decodeURIComponent(location.hash.slice(6)));
  return JSON.parse(sessionStorage.getItem(KEY) || 'null');
}

// The tab of that tour's step, which the page opens with.
export function tabOfTour() {
  try {
    const {steps, at} = arriving();
    return new URLSearchParams(steps[at].link).get('tab') ?? '';
  } catch {
    return '';
  }
}

export function turnTour(by) {
  if (!tour) return;
  if (tour.at + by >= tour.steps.length) leaveTour();
  else go(Math.max(0, tour.at + by));
}

// Goes on with it once the page is there.
export function resumeTour() {
  try {
    const given = arriving();
    if (location.hash.startsWith('#tour=')) history.replaceState(null, '', location.pathname + location.search);
    if (given) startTour(given);
  } catch (error) {
    draw();
    say(error.message);
  }
}

async function go(at) {
  const number = ++wanted;
  tour.at = at;
  const step = tour.steps[at];
  const query = new URLSearchParams(step.link);
  const loads = tour.loaded !== at && needsLoad(query); // once: what a link cannot hold must not load it for ever
  tour.loaded = loads ? at : null;
  keep();
  if (loads) {
    loadWith(query);
    return;
  }
  draw();
  frame(null);
  const isWanted = () => number === wanted;
  if (!(await goTo(query, isWanted))) return;
  const target = step.point && (await awaited(() => visible(step.point), isWanted));
  if (number === wanted && target) frame(target);
}

function frame(target) {
  document.querySelector('.tour-target')?.classList.remove('tour-target');
  if (!target) return;
  target.classList.add('tour-target');
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  target.scrollIntoView({block: 'nearest', behavior: still ? 'auto' : 'smooth'});
}

const say = text => {
  bar.querySelector('.tour-say').textContent = text;
};

function draw() {
  if (!bar) build();
  if (!tour) return;
  const last = tour.at === tour.steps.length - 1;
  bar.querySelector('.tour-title').textContent = tour.title;
  bar.querySelector('.tour-at').value = tour.at;
  bar.querySelector('.tour-at').max = tour.steps.length - 1;
  bar.querySelector('.tour-count').textContent = `${tour.at + 1} of ${tour.steps.length}`;
  bar.querySelector('.tour-next').textContent = last ? 'Done' : 'Next';
  bar.querySelector('.tour-back').disabled = tour.at === 0;
  bar.querySelector('.tour-link').hidden = !tour.own;
  say(tour.steps[tour.at].say);
}

function build() {
  bar = add(document.body, 'aside', '');
  bar.id = 'tour';
  bar.setAttribute('aria-label', 'Guided tour');
  add(bar, 'b', 'tour-title');
  add(bar, 'p', 'tour-say').setAttribute('aria-live', 'polite');
  const row = add(bar, 'div', 'tour-row');
  addButton(row, 'tour-back', 'Back', () => turnTour(-1));
  addButton(row, 'tour-next', 'Next', () => turnTour(1));
  const place = add(row, 'input', 'tour-at');
  Object.assign(place, {type: 'range', min: 0, step: 1});
  place.setAttribute('aria-label', 'Step of the tour');
  place.addEventListener('change', () => go(+place.value));
  add(row, 'span', 'tour-count');
  const file = add(row, 'input', 'tour-file');
  Object.assign(file, {type: 'file', accept: '.txt,text/plain', hidden: true});
  file.addEventListener('change', async () => {
    try {
      const text = await file.files[0].text();
      file.value = ''; // the same file can be opened again once it was mended
      startTour(parseTour(text));
    } catch (error) {
      say(error.message);
    }
  });
  addButton(row, 'tour-open', 'Open your own…', () => file.click()).title =
    'A text file: for each step a line like ?tab=generate&temperature=0.3, a sentence below it, and an empty line';
  addButton(row, 'tour-link', 'Copy its link', async () => {
    const done = await copyText(`${location.origin}${location.pathname}#tour=${encodeURIComponent(tour.own)}`);
    say(done ? 'The link to this tour is on the clipboard.' : 'The browser does not allow copying here.');
  });
  addButton(row, 'tour-leave', 'Leave', leaveTour);
}
