// All exercises by level, on Start: what is done, and a sheet of a selection for paper.
import {add, addButton} from '../../../shared/view/page.js';
import {LEVELS, all, askServer, done, openExercise, placeOf} from './exercises.js';
import {sheet} from './sheet.js';

const chosen = new Set(); // names of those that are ticked

function line(list, one, isDone) {
  const item = add(list, 'li', '');
  const mark = add(item, 'input', '');
  Object.assign(mark, {type: 'checkbox', checked: chosen.has(one.name)});
  mark.setAttribute('aria-label', `On the sheet: ${one.title}`);
  mark.addEventListener('change', () => (mark.checked ? chosen.add(one.name) : chosen.delete(one.name)));
  addButton(item, '', one.title, () => openExercise(one.name));
  add(item, 'span', '', one.question);
  add(item, 'span', 'ex-place u-muted u-type-sm', isDone ? `${placeOf(one)} · ✓ done` : placeOf(one));
}

export async function exerciseList(box) {
  box.textContent = '';
  add(box, 'h2', '', 'Exercises');
  const exercises = await all();
  if (!exercises) return void add(box, 'p', '', 'The server did not answer. Try again, or reload the page.');
  const finished = done();
  const n = exercises.filter(one => finished.has(one.name)).length;
  const counted = `Done in this browser: ${n} of ${exercises.length}.`;
  add(box, 'p', 'ex-hint u-muted u-type-sm', `The page checks an answer by measuring it in the model. ${counted}`);
  for (const [level, name] of Object.entries(LEVELS)) {
    add(box, 'h3', '', `${level} · ${name}`);
    const list = add(box, 'ul', 'u-list');
    for (const one of exercises.filter(({level: its}) => its === +level)) line(list, one, finished.has(one.name));
  }
  const row = add(box, 'p', 'ex-row u-row');
  const status = add(box, 'p', 'ex-said');
  status.setAttribute('role', 'status');
  const print = withAnswers => async () => {
    const selected = exercises.filter(one => !chosen.size || chosen.has(one.name));
    status.textContent = withAnswers ? 'Measuring the answers…' : '';
    const answers = withAnswers
      ? await Promise.all(selected.map(one => askServer('solution', {name: one.name})))
      : selected.map(() => null);
    status.textContent = sheet(selected, answers, location.href) ? '' : 'The browser does not allow another window.';
  };
  addButton(row, '', 'Print a sheet', print(false));
  addButton(row, '', 'Print it with answers', print(true));
  add(row, 'span', 'ex-hint u-muted u-type-sm', 'of those that are ticked, or of all');
}
