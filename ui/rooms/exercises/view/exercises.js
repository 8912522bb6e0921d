// The exercises: which there are, which are done, and what a list of them holds.
/** @import {ExerciseOnPage} from '../../../shared/view/payloads' */
import {keep, kept} from '../../../shared/view/kept.js';
import {askRoom, offered} from '../../../shared/view/offers.js';
import {place} from '../../../shared/view/tabs.js';

const DONE = 'gptlens-exercises';
export const LEVELS = {1: 'Look', 2: 'Do', 3: 'Think'};

let known = null;

// Opens the first of the open view that is not done yet; any if all are.
export async function openHere() {
  const here = ofView((await all()) ?? [], place());
  const next = here.find(item => !done().has(item.name)) ?? here[0];
  if (next) offered('exercise')?.(next.name);
}

// All of them; null where the server does not answer.
/** @returns {Promise<ExerciseOnPage[] | null>} */
export async function all() {
  known ??= await askServer('exercises', null);
  return known;
}

// The parsed answer to a question; null where the server does not answer.
export const askServer = (name, request) => askRoom('exercises server', name, request);

// --- which are done, in this browser
export const done = () => new Set(kept(DONE, 'localStorage') ?? []);
export const noteDone = name => keep(DONE, [...done().add(name)], 'localStorage');

// --- pure
// Those of a view; those of the whole tab where the view has none.
export function ofView(exercises, [tab, view]) {
  const here = exercises.filter(exercise => exercise.tab === tab);
  const close = here.filter(item => item.view === view);
  return close.length ? close : here;
}

// The one after this, in the order of the list; the first after the last.
export const after = (exercises, name) =>
  exercises[(exercises.findIndex(exercise => exercise.name === name) + 1) % exercises.length];

// A head as it is written in an answer.
export const headText = head => (head ? head.join('.') : '');

// What a link to it sets.
export const linkOf = exercise => ({
  ...Object.fromEntries(new URLSearchParams(exercise.link)),
  exercise: exercise.name,
});

// What has been left of where an exercise is asked, in words; "" where the page still shows it.
export function leftOf(exercise, [tab, view], text, model) {
  const set = new URLSearchParams(exercise.link);
  if (tab !== exercise.tab || (exercise.view && view !== exercise.view))
    return `The page shows another view; this is about ${placeOf(exercise)}.`;
  if (model && model !== set.get('model'))
    return `The page shows another model; this is about ${set.get('model')}.`;
  const meant = set.get('text') ?? set.get('prompt') ?? '';
  // it may have been continued
  if (exercise.kind === 'text' || !meant || !text || text.startsWith(meant)) return '';
  return `The page shows another text; this is about “${meant}”.`;
}

export const placeOf = exercise =>
  exercise.view ? `${exercise.tab}, ${exercise.view}` : exercise.tab;
