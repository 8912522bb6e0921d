// Sets the fields of the open page to what a link says, without a load: the server reads the link, as at a load.
import {awaited} from './awaited.js';
import {hasArrived} from './ask.js';
import {textsOf, unmet} from './link.js';
import {offered} from './offers.js';

const TRIES = 3; // a choice fills in other fields, which the link may name, too
const waiting = []; // who waits for the answer to what was sent, in order
const byLink = new Map(); // field -> the value that a link has set here

// An event that sets fields has ended.
export function filled() {
  waiting.shift()?.();
  return [];
}

// Whether a field still has what a link before has set.
export const isOfLink = (name, value) => byLink.get(name) === value;

// Resolves once the fields are as the link says. resets: whether a field of its view that the link does not name goes
// back to its default, by its name and value.
export async function fill(query, isWanted = () => true, resets = isOfLink) {
  await awaited(() => hasArrived() && offered('fill'), isWanted, Infinity);
  for (let tries = 0; tries < TRIES && isWanted(); tries++) {
    const settings = unmet(query, resets);
    if (!settings.length) break;
    const link = new URLSearchParams([...settings, ...textsOf(query)]);
    const answered = new Promise((/** @type {(value?: any) => void} */ done) => waiting.push(done));
    offered('fill')(link.toString());
    await answered;
    for (const [name, value] of settings) byLink.set(name, value);
  }
}
