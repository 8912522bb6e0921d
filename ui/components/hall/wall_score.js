// What a wall says: what was changed in each run, who leads, and curves in one frame. Nothing here touches the page.
import {counted} from '../shared/plain.js';

// For every run, the settings by which it differs from what most runs have: ["layers 2", …].
export function changedIn(runs) {
  const begun = runs.filter(run => run.title);
  const usual = new Map();
  for (const name of new Set(begun.flatMap(run => Object.keys(run.settings)))) {
    const counts = new Map();
    for (const run of begun) counts.set(run.settings[name], (counts.get(run.settings[name]) ?? 0) + 1);
    usual.set(name, [...counts].toSorted((a, b) => b[1] - a[1])[0][0]);
  }
  return runs.map(run =>
    Object.entries(run.settings)
      .filter(([name, value]) => usual.get(name) !== value)
      .map(([name, value]) => `${name} ${value}`),
  );
}

// Pinned ones first, each in its own order.
export const ordered = (runs, pinned) => [
  ...runs.filter(run => pinned.has(run.viewing)),
  ...runs.filter(run => !pinned.has(run.viewing)),
];

// The loss of a run at a time, by the last point before it; null before the first.
export const lossAt = (points, seconds) => points.findLast(([at]) => at <= seconds)?.[1] ?? null;

// One sentence on two runs, compared at the time that both have reached.
export function duel(one, other) {
  if (one.unit !== other.unit) return `${one.name} and ${other.name} count in different units: no comparison.`;
  const until = Math.min(one.points.at(-1)?.[0] ?? 0, other.points.at(-1)?.[0] ?? 0);
  const [a, b] = [lossAt(one.points, until), lossAt(other.points, until)];
  if (a === null || b === null) return 'Both have to learn for a moment before they can be compared.';
  const after = `After ${until.toFixed(0)} s of training each`;
  const gap = Math.abs(a - b);
  if (gap < 0.005) return `${after} they are even: ${a.toFixed(2)} ${one.unit}.`;
  const [first, second] = a < b ? [one, other] : [other, one];
  return `${after} ${first.name} is ${gap.toFixed(2)} ${one.unit} below ${second.name}.`;
}

// One sentence on the whole wall.
export function conclusion({runs, more}) {
  if (!runs.length) return 'Nobody has put a name to a run yet.';
  const learning = runs.filter(run => run.state === 'running').length;
  const waiting = runs.filter(run => run.place !== null).length;
  const best = runs.find(run => run.loss !== null);
  const parts = [`${counted(runs.length + more, 'name')} on the wall`];
  if (learning) parts.push(`${learning} learning`);
  if (waiting) parts.push(`${waiting} waiting`);
  const lead = best ? ` The lowest loss is ${best.name}’s: ${best.loss.toFixed(2)} ${best.unit}.` : '';
  return `${parts.join(', ')}.${lead}`;
}

// Where a run is, in two or three words.
export function stateOf({state, place, step}) {
  if (state === 'none') return 'no run yet';
  if (place !== null) return `waits as number ${place}`;
  const words = {running: 'learning', paused: 'paused', ended: 'ended', ready: 'ready', starting: 'starting'};
  return `${words[state] ?? state} · ${counted(step, 'update')}`;
}
