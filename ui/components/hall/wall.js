// The wall, on Start: the runs of all who put a name to theirs, with curve, sample, and what was changed.
import {add, addButton} from '../shared/page.js';
import {loadWith} from '../shared/places.js';
import {drawCurves, frameOf} from '../shared/small_curves.js';
import {ownBench} from '../train/bench.js';
import {ask} from './hall_server.js';
import {changedIn, conclusion, duel, ordered, stateOf} from './wall_score.js';

const KEY = 'gptlens-name';
const EVERY = 1200; // milliseconds
const [WIDTH, HEIGHT] = [260, 80];

function nameNow() {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

async function sign(name) {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // a private window: the name is told again by hand
  }
  return ask('sign', {bench: ownBench(), name});
}

// A run that begins is on the wall if its owner is.
export function signAgain() {
  if (nameNow()) sign(nameNow());
}

export function wall(box) {
  const pinned = new Set();
  const parts = {};
  let timer = null;
  let shown = null;

  function build() {
    box.textContent = '';
    add(box, 'h2', '', 'The wall');
    const row = add(box, 'form', 'wl-row');
    const label = add(row, 'label', '', 'My runs stand here as ');
    const field = add(label, 'input', 'lens-plain');
    Object.assign(field, {value: nameNow(), maxLength: 24, placeholder: 'a name', autocomplete: 'off'});
    add(row, 'button', 'lens-plain', 'Put it up').type = 'submit';
    addButton(row, 'lens-plain', 'Take it down', async () => {
      field.value = '';
      await save('');
    });
    parts.note = add(row, 'span', 'wl-note');
    parts.note.setAttribute('role', 'status');
    row.addEventListener('submit', event => {
      event.preventDefault();
      save(field.value);
    });
    async function save(name) {
      const signed = await sign(name);
      parts.note.textContent = signed ? signed.said : 'The server did not answer. Try again, or reload the page.';
      look();
    }
    parts.said = add(box, 'p', 'conclusion');
    parts.said.setAttribute('role', 'status');
    parts.duel = add(box, 'div', 'wl-duel');
    parts.runs = add(box, 'div', 'wl-runs');
    add(
      box,
      'p',
      'wl-note',
      'Everybody who has this page sees these names and runs. Whoever opens a run can use its model, but not steer ' +
        'it. A run whose page has been closed leaves after a while.',
    );
  }

  function card(run, changed, frame) {
    const item = add(parts.runs, 'article', pinned.has(run.viewing) ? 'wl-run pinned' : 'wl-run');
    const head = add(item, 'div', 'wl-head');
    add(head, 'b', '', run.name);
    add(head, 'span', 'wl-note', stateOf(run));
    if (run.loss !== null) add(head, 'span', 'wl-loss', `${run.loss.toFixed(2)} ${run.unit}`);
    drawCurves(item, [run.points], frame, [WIDTH, HEIGHT]);
    if (run.title) add(item, 'p', 'wl-note', [run.title, ...changed].join(' · '));
    add(item, 'p', 'wl-text', run.text);
    const row = add(item, 'div', 'wl-row');
    const pin = addButton(row, 'lens-plain', 'Pin', () => {
      if (!pinned.delete(run.viewing)) pinned.add(run.viewing);
      if (shown) draw(shown);
    });
    pin.setAttribute('aria-pressed', String(pinned.has(run.viewing)));
    if (run.title)
      addButton(row, 'lens-plain', 'Watch', () => loadWith(new URLSearchParams({tab: 'train', bench: run.viewing})));
    if (run.model)
      addButton(row, 'lens-plain', 'Open its model', () =>
        loadWith(new URLSearchParams({tab: 'generate', model: run.model})),
      );
  }

  function draw(found) {
    shown = found;
    parts.said.textContent = conclusion(found);
    const focus = document.activeElement;
    const at = [...parts.runs.querySelectorAll('button')].indexOf(focus);
    parts.runs.textContent = parts.duel.textContent = '';
    const changed = new Map(changedIn(found.runs).map((one, i) => [found.runs[i].viewing, one]));
    for (const run of ordered(found.runs, pinned))
      card(
        run,
        changed.get(run.viewing),
        frameOf(found.runs.filter(({unit}) => unit === run.unit).map(({points}) => points)),
      );
    if (at >= 0) parts.runs.querySelectorAll('button')[at]?.focus({preventScroll: true});
    const two = found.runs.filter(run => pinned.has(run.viewing));
    if (two.length !== 2) return;
    add(parts.duel, 'p', 'conclusion', duel(two[0], two[1]));
    const curves = two.map(({points}) => points);
    drawCurves(parts.duel, curves, frameOf(curves), [800, 180]);
    const key = add(parts.duel, 'p', 'wl-key');
    two.forEach((run, i) => add(key, 'span', `line-${i}`, run.name));
  }

  async function look() {
    clearTimeout(timer);
    const found = box.hidden || document.hidden || !box.getClientRects().length ? shown : await ask('wall', null);
    if (box.hidden) return;
    if (!found) parts.said.textContent = 'The server did not answer; trying again.';
    else if (JSON.stringify(found) !== JSON.stringify(shown)) draw(found);
    clearTimeout(timer);
    timer = setTimeout(look, EVERY);
  }

  return {
    isOpen: () => !box.hidden,
    open: () => {
      box.hidden = false;
      shown = null;
      build();
      return look();
    },
    close: () => {
      box.hidden = true;
      clearTimeout(timer);
    },
  };
}
