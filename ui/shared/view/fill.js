// Sets the fields of the open page to what a link says, without a load: the server reads the link,
// as at a load.
import {awaited} from './awaited.js';
import {hasArrived} from './ask.js';
import {means, settingsOf, unmet, written} from './link.js';
import {offered} from './offers.js';
import {valueOf} from './store.js';

const TRIES = 3; // a choice fills in other fields, which then go back to their own defaults
const waiting = []; // who waits for the answer to what was sent, in order
// the answer to what was sent last: until it is there, the fields are not as they will be
let latest = Promise.resolve();
const byLink = new Map(); // field -> the value that a link has set here

// Resolves once the answer to what was sent last is there.
export const fillAnswered = () => latest;

// An event that sets fields has ended.
export function filled() {
  waiting.shift()?.();
  return [];
}

// Whether a field still has what a link before, or the page's address, has set.
const atFirst = new URLSearchParams(globalThis.location?.search ?? '');
export const isOfLink = (name, value) => means(byLink.get(name) ?? atFirst.get(name), value);

// Resolves once the fields are as the link says. A value that the server refuses counts as not
// named. resets: whether a field of its view that the link does not name goes back to its default,
// by its name and value.
export async function fill(query, isWanted, resets) {
  await awaited(() => hasArrived() && offered('fill'), isWanted, Infinity);
  await latest;
  // of a name that stands twice the last one counts
  const wanted = new URLSearchParams(Object.fromEntries(query));
  for (let tries = 0; tries < TRIES && isWanted(); tries++) {
    const settings = unmet(wanted, resets);
    if (!settings.length) return;
    latest = new Promise((/** @type {(value?: any) => void} */ done) => waiting.push(done));
    const link = {...Object.fromEntries(settingsOf(wanted)), ...Object.fromEntries(settings)};
    offered('fill')(new URLSearchParams(link).toString());
    await latest;
    const refused = new Set(unmet(wanted, resets).map(([name]) => name));
    for (const [name] of settings)
      if (refused.has(name)) wanted.delete(name);
      else byLink.set(name, written(valueOf(name)));
  }
}
