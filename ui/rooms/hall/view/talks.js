// The talks that the page can give.
import {startLeading} from './leading.js';
import {add, addButton} from '../../../shared/view/page.js';
import {startBundled, startTour, talkField, talkOfServer} from './tour.js';

const BUNDLED = [
  ['inside-5.txt', 'What is inside a GPT, in 5 minutes', 'Guess, choose, look, switch off, why. For any audience.'],
  [
    'inside-20.txt',
    'What is inside a GPT, in 20 minutes',
    'The same, and a run from noise to words, a task, an assistant.',
  ],
];

function line(list, title, about, press) {
  const item = add(list, 'li', 'u-row u-apart');
  addButton(item, '', title, press);
  add(item, 'span', 'u-muted', about);
}

export function talks(box) {
  box.textContent = '';
  add(box, 'h2', '', 'Talks');
  const [list, file, own] = [add(box, 'ul', 'u-list'), talkField(box), talkOfServer()];
  if (own) line(list, own.title, 'The talk that this app was started with.', () => startTour(own));
  for (const [name, title, about] of BUNDLED) line(list, title, about, () => startBundled(name));
  const scenes = 'A talk of your own: a text file, with a “Copy link” line for each scene.';
  line(list, 'Open a file…', scenes, () => file.click());
  line(list, 'Lead the room', 'Other browsers and phones follow what this page shows, and can leave.', startLeading);
}
