// A talk in the making: a panel beside the page that adds what the page shows as a scene, and writes the file.
import {add, addButton, copyText, saveText, settingsOfView} from './page.js';
import {pickedModel, place} from './places.js';
import {inWords, moved, sceneOf} from './scenes.js';
import {chosenInLink, sentence} from './sentence.js';
import {startTour} from './tour.js';
import {parseTour, tourText} from './tour_text.js';

const KEY = 'gptlens-draft';

let panel = null;
let draft = {title: '', steps: []};

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // a private window: the draft ends with the page
  }
}

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || 'null');
    if (Array.isArray(found?.steps)) draft = found;
  } catch {
    // nothing that can be read is kept
  }
}

const say = text => {
  panel.querySelector('.te-said').textContent = text;
};
const asTour = (at = 0) => ({title: draft.title || 'A talk', steps: draft.steps, at, own: tourText(draft)});

async function addScene() {
  const [tab, view] = place();
  const where = {tab: tab.toLowerCase(), view, model: pickedModel(), sentence: sentence(), chosen: chosenInLink()};
  say('Reading what the page shows…');
  const settings = await settingsOfView();
  draft.steps.push(sceneOf(where, settings));
  say('');
  drawList();
  panel.querySelector('li:last-child textarea').focus();
}

function drawScene(list, scene, at) {
  const item = add(list, 'li', '');
  const head = add(item, 'div', 'te-row');
  add(head, 'b', '', `${at + 1}`);
  add(head, 'span', 'te-where', inWords(scene.link)).title = `?${scene.link}`;
  /** @type {[string, string, () => void][]} */
  const tools = [
    ['↑', 'Move scene up', () => (draft.steps = moved(draft.steps, at, -1))],
    ['↓', 'Move scene down', () => (draft.steps = moved(draft.steps, at, 1))],
    ['×', 'Remove scene', () => draft.steps.splice(at, 1)],
  ];
  for (const [text, name, press] of tools) {
    const button = addButton(head, 'lens-plain', text, () => {
      press();
      drawList();
    });
    button.setAttribute('aria-label', `${name} ${at + 1}`);
  }
  const fields = [
    ['say', 'Sentence for the hall'],
    ['notes', 'Notes for the speaker'],
  ];
  for (const [name, title] of fields) {
    const field = add(item, 'textarea', '');
    Object.assign(field, {rows: 2, value: scene[name] ?? '', placeholder: title});
    field.setAttribute('aria-label', `${title}, scene ${at + 1}`);
    field.addEventListener('input', () => {
      scene[name] = field.value;
      keep();
    });
  }
}

function drawList() {
  keep();
  panel.querySelector('.te-title').value = draft.title;
  const list = panel.querySelector('ol');
  list.textContent = '';
  draft.steps.forEach((scene, at) => drawScene(list, scene, at));
  for (const button of panel.querySelectorAll('.te-needs')) button.disabled = !draft.steps.length;
}

async function open(file) {
  try {
    const {title, steps} = parseTour(await file.text());
    draft = {title, steps};
    say('');
    drawList();
  } catch (error) {
    say(error.message);
  }
}

export function openEditor() {
  if (panel) {
    panel.querySelector('.te-add').focus();
    return;
  }
  kept();
  panel = add(document.body, 'aside', 'lens-component');
  panel.id = 'talk-editor';
  panel.setAttribute('aria-label', 'Talk editor');
  const head = add(panel, 'div', 'te-row');
  const title = add(head, 'input', 'te-title');
  title.placeholder = 'Title of the talk';
  title.setAttribute('aria-label', 'Title of the talk');
  title.addEventListener('input', () => {
    draft.title = title.value;
    keep();
  });
  addButton(head, 'lens-plain', 'Close', () => {
    panel.remove();
    panel = null;
  });
  add(panel, 'p', 'te-hint', 'Bring the page into any state, then add it as a scene. The draft stays in this browser.');
  addButton(panel, 'te-add', 'Add this scene', addScene);
  add(panel, 'ol', '');
  const row = add(panel, 'div', 'te-row');
  const file = add(row, 'input', '');
  Object.assign(file, {type: 'file', accept: '.txt', hidden: true});
  file.addEventListener('change', async () => {
    await open(file.files[0]);
    file.value = '';
  });
  addButton(row, 'lens-plain te-needs', 'Play', () => startTour(asTour()));
  addButton(row, 'lens-plain te-needs', 'Save file', () => saveText('talk.txt', 'text/plain', tourText(draft)));
  addButton(row, 'lens-plain te-needs', 'Copy its link', async () => {
    const link = `${location.origin}${location.pathname}#tour=${encodeURIComponent(tourText(draft))}`;
    say((await copyText(link)) ? 'The link is on the clipboard.' : 'The browser does not allow copying here.');
  });
  addButton(row, 'lens-plain', 'Open file…', () => file.click());
  addButton(row, 'lens-plain te-needs', 'Start anew', () => {
    draft = {title: '', steps: []};
    drawList();
  });
  add(panel, 'p', 'te-said').setAttribute('role', 'status');
  drawList();
  panel.querySelector('.te-add').focus();
}
