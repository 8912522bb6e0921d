// The workspace of this page. Its id is generated here, so that two quick presses of Start use the
// same one.
import {keep, kept} from './kept.js';
import {drawnName} from './plain.js';

const STORED = 'gptlens-workspace';

let workspace = null;

// The workspace that this browser last had, or null.
export const remembered = () => kept(STORED, 'localStorage');

// Uses a workspace; null where the page shows an example: what was drawn before stays for the next
// run.
export function useWorkspace(id, keeps = true) {
  workspace = id ?? workspace;
  if (id && keeps) keep(STORED, id, 'localStorage');
}

// The workspace is gone from the server.
export function forgetWorkspace() {
  workspace = null;
  keep(STORED, null, 'localStorage');
}

export const ownWorkspace = () => (workspace ||= remembered() ?? drawnName());

// The run that this page shows, by its viewing id, for pages that follow it; "" for none of its
// own.
let shownRun = '';
export const runShown = () => shownRun;
export const showsRun = id => (shownRun = id);

// The run that a page shows which follows a speaker; "" for its own. The name of the event that
// tells of another one.
export const FOLLOWED = 'gptlens-followed';
let runFollowed = '';
export const followedRun = () => runFollowed;
export function followRun(id) {
  if (id === runFollowed) return;
  runFollowed = id;
  dispatchEvent(new Event(FOLLOWED));
}

// That a run is being started, and that the server has answered: the view of runs says so at once.
// The names of events.
export const STARTING = 'gptlens-starting';
export const STARTED = 'gptlens-started';

export function startOnOwn() {
  dispatchEvent(new Event(STARTING));
  return ownWorkspace();
}

// That another of the forms is open, in the event's detail: its name.
export const FORM = 'gptlens-form';

export const openForm = kind => {
  document.body.dataset.form = kind; // what stands beside the run is that form's
  dispatchEvent(new CustomEvent(FORM, {detail: kind}));
  return [];
};

export const answered = () => {
  dispatchEvent(new Event(STARTED));
  return [];
};

// Event that shows a message (its detail) in the run view.
export const SAY = 'gptlens-say';
