// What stands around the curves of a run: its numbers, the runs before it, the race, the buttons.
// Texts go into the page by textContent.
import {add} from '../../../shared/view/dom.js';
import {
  LARGE,
  cells,
  guessSaid,
  heldOut,
  race,
  slowSaid,
  tiles,
  title,
  verdict,
} from './figures.js';

export const isAlive = run =>
  run && (run.state !== 'ended' || (run.rival && run.rival.state !== 'ended'));

// part: a part of the view by its name; isExample: whether the run is a recorded one.
export function drawNumbers(part, run, {isExample, guess}) {
  part('title').textContent = title(run, isExample);
  part('slow').hidden = !run.slow;
  if (run.slow) part('slow').firstChild.textContent = slowSaid(run.slow);
  part('try').hidden = run.about.kind !== 'labels' || run.state !== 'ended';
  const against = verdict(run);
  part('verdict').textContent = [against, run.verdict].filter(Boolean).join(' ');
  drawTiles(part('numbers'), tiles(run, isExample));
  const now = part('runs').querySelector('.tr-now');
  if (now) drawNow(now, run);
  part('guessed').textContent = guessSaid(guess, run);
}

function drawTiles(box, shown) {
  if (box.children.length !== shown.length) {
    box.textContent = '';
    for (const [i, [name]] of shown.entries()) {
      const tile = add(box, 'div', LARGE.includes(i) ? 'tr-tile' : 'tr-tile tr-small');
      add(tile, 'b');
      add(tile, 'span', 'u-muted u-type-xs', name);
    }
  }
  shown.forEach(([name, value], i) => {
    box.children[i].firstChild.textContent = value;
    box.children[i].lastChild.textContent = name;
  });
}

// The row of the newest run: from its updates on.
function drawNow(row, run) {
  const {tokens_per_character} = run.about;
  const shown = cells(
    {steps: run.step, seconds: run.elapsed, valid: heldOut(run), tokens_per_character},
    true,
  );
  for (let column = 3; column < shown.length; column++)
    row.children[column].textContent = shown[column];
}

export function drawRuns(part, runs) {
  const body = part('runs').querySelector('tbody');
  body.textContent = '';
  runs.forEach((old, i) => {
    const row = add(body, 'tr', i === runs.length - 1 ? 'tr-now' : '');
    for (const cell of cells(old, i === 0)) add(row, 'td', '', String(cell));
  });
}

export function drawRace(part, run) {
  const rival = run.rival;
  for (const name of ['race', 'key-race']) part(name).hidden = !rival;
  for (const name of ['rival', 'mine']) part(name).hidden = !rival && !run.about.tuned;
  part('key-one').hidden = Boolean(rival);
  if (!rival) return;
  const {mine, theirs, line} = race(run, rival);
  part('mine').textContent = part('key-mine').textContent = mine;
  part('rival-name').textContent = part('key-rival').textContent = theirs;
  part('race').textContent = line;
}

export function drawControls(element, part, run) {
  const pause = element.querySelector('[data-cmd=pause],[data-cmd=resume]'),
    held = run.state === 'paused' || run.state === 'ready',
    alive = isAlive(run),
    // its texts or pairs come before its first update
    steps = alive && run.state !== 'running' && !run.preparing;
  pause.dataset.cmd = held ? 'resume' : 'pause';
  pause.textContent = held ? 'Resume' : 'Pause';
  element.querySelector('[data-cmd=again]').hidden = !run.again;
  for (const button of element.querySelectorAll('[data-cmd]:not([data-cmd=again])'))
    button.disabled = !alive || run.state === 'ending' || (button.dataset.cmd === 'step' && !steps);
  const rate = part('rate');
  rate.disabled = !alive;
  if (document.activeElement !== rate) rate.value = Math.log2(run.peak / run.planned_peak);
  part('rate-said').textContent = `peak ${run.peak.toPrecision(2)}`;
}
