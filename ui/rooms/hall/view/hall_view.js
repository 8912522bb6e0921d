// A room of people: talks and tours; a page that leads or follows goes on doing so after a load.
/** @import {Component} from '../../../shared/view/component' */
/** @import {HallServer} from '../../../shared/view/payloads' */
import {offer} from '../../../shared/view/offers.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {beginLarge} from '../../../shared/view/look.js';
import {resume, startLeading} from './leading.js';
import {followWord, showAround, startBundled, startTour, talkField, talkOfServer} from './tour.js';

// The talks that the page can give.
function talks(box) {
  box.textContent = '';
  add(box, 'h2', '', 'Talks');
  const [list, file, own] = [add(box, 'ul', 'u-list'), talkField(box), talkOfServer()];
  const line = (title, about, press) => {
    const item = add(list, 'li', 'u-row u-apart');
    addButton(item, '', title, () => {
      beginLarge();
      press();
    });
    add(item, 'span', 'u-muted', about);
  };
  if (own) line(own.title, 'The talk that this app was started with.', () => startTour(own));
  const [five, twenty] = ['inside-5.txt', 'inside-20.txt'].map(name => () => startBundled(name));
  line(
    'What is inside a GPT, in 5 minutes',
    'Guess, choose, look, switch off, why. For any audience.',
    five,
  );
  const more = 'The same, and a run from noise to words, a task, an assistant.';
  line('What is inside a GPT, in 20 minutes', more, twenty);
  line(
    'Open a file…',
    'A talk of your own: a text file, with a “Copy link” line for each scene.',
    () => file.click(),
  );
  line(
    'Lead the room',
    'Other browsers and phones follow what this page shows, and can leave.',
    startLeading,
  );
}

/** @param {Component<string, HallServer>} page */
export function start({server, trigger}) {
  offer('hall', server);
  offer('open model', model => trigger('open', {model}));
  offer('fill', link => trigger('fill', {link}));
  offer('talks', talks);
  offer('tour', () => showAround());
  offer('word tour', followWord);
  resume();
}
