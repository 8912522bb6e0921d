// Who guesses better, by how many guesses each letter or word took. Nothing here touches the page.
import {counted} from '../shared/plain.js';

export const MOST = 5; // guesses at one place; what is not found in them counts as one more

// Shannon's upper bound in bits for each: the entropy of the numbers of guesses. What was not found is one of the
// choices that were not tried, which costs as many bits as they are; else whoever always misses would need none.
export function bound(ranks, choices) {
  const counts = new Map();
  for (const rank of ranks) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  const bits = [...counts.values()].map(n => (n / ranks.length) * Math.log2(n / ranks.length));
  const missed = ranks.filter(rank => rank > MOST).length / ranks.length;
  const left = missed * Math.log2(Math.max(1, choices - MOST));
  return ranks.length ? left - bits.reduce((sum, one) => sum + one, 0) : NaN;
}

// The bound as it went, [place, bits] each, from where it says something.
export const boundCurve = (ranks, choices) =>
  ranks.map((_, i) => [i + 1, bound(ranks.slice(0, i + 1), choices)]).filter(([place]) => place >= FEWEST);

export const atOnce = ranks => ranks.filter(rank => rank === 1).length;
const FEWEST = 4; // places before which the bound is hardly one
export const ENOUGH = 10; // places from which on a figure says something
export const share = ranks => `${ranks.length ? Math.round((100 * atOnce(ranks)) / ranks.length) : 0}%`;

// One sentence on the game so far; yours, theirs: numbers of guesses at the same places.
export function verdict(yours, theirs, name, kind) {
  const n = yours.length;
  if (!n) return '';
  const [you, it] = [atOnce(yours), atOnce(theirs)];
  const what = kind === 'letters' ? 'letter' : 'word';
  const both = `you ${you} (${share(yours)}), ${name} ${it} (${share(theirs)})`;
  const said = `After ${counted(n, what)}: right first time, ${both}.`;
  if (n < ENOUGH) return said;
  if (you === it) return `${said} Nothing stands out.`;
  return `${said} ${you > it ? 'You lead' : `${name} leads`} by ${Math.abs(you - it)}.`;
}
