// The talks that the page can give.
import {startLeading} from './leading.js';
import {add, addButton} from '../../../shared/view/page.js';
import {bundled, openFile, startTour, talkOfServer} from './tour.js';

const BUNDLED = [
  ['inside-5.txt', 'What is inside a GPT, in 5 minutes', 'Guess, choose, look, switch off, why. For any audience.'],
  [
    'inside-20.txt',
    'What is inside a GPT, in 20 minutes',
    'The same, and a run from noise to words, a task, an assistant.',
  ],
];

export function talks(box) {
  let status = null;

  async function play(name) {
    status.textContent = '';
    try {
      startTour(await bundled(name));
    } catch (error) {
      status.textContent = error.message;
    }
  }

  function line(list, title, about, press) {
    const item = add(list, 'li', 'u-row');
    addButton(item, '', title, press);
    add(item, 'span', 'u-muted', about);
  }

  function draw() {
    box.textContent = '';
    add(box, 'h2', '', 'Talks');
    const list = add(box, 'ul', 'u-list');
    const own = talkOfServer();
    if (own) line(list, own.title, 'The talk that this app was started with.', () => startTour(own));
    for (const [name, title, about] of BUNDLED) line(list, title, about, () => play(name));
    const file = add(box, 'input', 'st-talk-file');
    Object.assign(file, {type: 'file', accept: '.txt', hidden: true});
    file.addEventListener('change', async () => {
      try {
        await openFile(file.files[0]);
      } catch (error) {
        status.textContent = error.message;
      }
      file.value = '';
    });
    line(list, 'Open a file…', 'A talk of your own: a text file, with a “Copy link” line for each scene.', () =>
      file.click(),
    );
    line(list, 'Lead the room', 'Other browsers and phones follow what this page shows, and can leave.', startLeading);
    status = add(box, 'p', 'st-said u-muted');
    status.setAttribute('role', 'status');
  }

  return {
    isOpen: () => !box.hidden,
    open: () => {
      box.hidden = false;
      draw();
    },
    close: () => {
      box.hidden = true;
    },
  };
}
