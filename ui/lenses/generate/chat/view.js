// A conversation of alternating turns; the newest answer streams. All text goes into the page by
// textContent.
/** @import {Component} from '../../../shared/view/component' */
/** @import {ChatAnswer} from '../../../shared/view/payloads' */
import {counted} from '../../../shared/view/plain.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {saveText} from '../../../shared/view/files.js';
import {offer} from '../../../shared/view/offers.js';

const PATIENCE = 3000; // milliseconds after Stop until an answer is given up

/** @param {Component<ChatAnswer>} page */
export function start({element, props, trigger, watch, given}) {
  const find = name => element.querySelector(`.ch-${name}`);
  const [log, field, plain] = ['log', 'text', 'plain'].map(find);
  let turns = []; // texts, the user's first
  let others = []; // earlier answers to the newest message
  let seed = 1;
  let waiting = false;
  let isExample = false; // until the first message
  let isFollowed = false; // whether the turns are those of a page that leads
  let number = 0; // of the newest question; answers to others are dropped

  function draw() {
    log.textContent = '';
    turns.forEach((text, i) => {
      const mine = i % 2 === 0;
      const newest = i === turns.length - 1 && !mine;
      if (newest && others.length) {
        const both = add(log, 'div', 'ch-both u-fit');
        others.forEach((other, k) => bubble(both, other, 'ch-turn earlier', `answer ${k + 1}`));
        bubble(both, text, 'ch-turn', `answer ${others.length + 1}`);
      } else bubble(log, text, mine ? 'ch-turn mine' : 'ch-turn', '');
    });
    if (waiting && turns.length % 2) add(log, 'div', 'ch-turn', '…');
    log.scrollTop = log.scrollHeight;
    element.querySelector('[data-do=again]').disabled = waiting || turns.length < 2;
    element.querySelector('[data-do=stop]').disabled = !waiting;
    find('starters').hidden = turns.length > 0 && !isExample;
  }

  function bubble(box, text, kind, name) {
    const node = add(box, 'div', kind, text || '…');
    if (name) add(node, 'small', '', name);
  }

  function ask() {
    waiting = true;
    number += 1;
    find('said').textContent = '';
    plain.textContent = '';
    draw();
    const system = document.querySelector('#chat-system textarea')?.value ?? '';
    trigger('say', {turns, system, seed, number});
  }

  function send(text) {
    const message = text.trim();
    if (!message || waiting) return;
    if (isExample || isFollowed) turns = [];
    [isExample, isFollowed, others] = [false, false, []];
    turns.push(message);
    field.value = '';
    ask();
  }

  function sync() {
    if (!props.value || !waiting) return;
    const reply = JSON.parse(props.value);
    if (reply.number !== number) return;
    if (reply.message) return giveUp(reply.message);
    if (turns.length % 2) turns.push(reply.answer);
    else turns[turns.length - 1] = reply.answer;
    if (reply.done) waiting = false;
    show(reply);
  }

  function giveUp(said) {
    find('said').textContent = said;
    waiting = false;
    if (turns.length % 2) field.value = turns.pop(); // nothing of it is lost
    draw();
  }

  function show(reply) {
    plain.textContent = '';
    if (reply.plain) {
      add(plain, 'b', '', turns.at(-2));
      plain.append(reply.plain);
    }
    find('said').textContent = reply.said;
    const share = Math.min(1, reply.used / reply.window);
    const ofWindow = `${reply.used} of ${counted(reply.window, 'token')} of its window`;
    find('bar').setAttribute('aria-label', ofWindow);
    find('bar').firstChild.style.width = `${100 * share}%`;
    find('used').textContent =
      ofWindow +
      (reply.dropped ? `; the oldest ${counted(reply.dropped, 'turn')} no longer fit` : '') +
      (reply.rate ? ` · ${reply.rate} tokens/s` : '');
    draw();
  }

  const actions = {
    send: () => send(field.value),
    stop: () => {
      trigger('halt', {});
      const mine = number;
      const late = () => waiting && mine === number && giveUp('Stopped; what was written is kept.');
      setTimeout(late, PATIENCE); // the server does not answer
    },
    again: () => {
      if (waiting || turns.length < 2) return;
      others.push(turns.pop());
      seed += 1;
      ask();
    },
    new: () => {
      if (waiting) trigger('halt', {});
      [turns, others, waiting, isExample, seed] = [[], [], false, false, 1];
      for (const name of ['said', 'used', 'plain']) find(name).textContent = '';
      find('bar').firstChild.style.width = 0;
      draw();
      field.focus();
    },
    save: () => {
      const lines = turns.map((text, i) => `${i % 2 ? 'Assistant' : 'User'}: ${text}\n`);
      saveText('chat.txt', 'text/plain', lines.join(''));
    },
  };
  onTools(element, () => actions);
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(field.value);
  });
  for (const text of given.starters) addButton(find('starters'), '', text, () => send(text));
  const example = JSON.parse(props.value || '{}');
  if (example.asked && example.answer) {
    turns = [example.asked, example.answer];
    isExample = true;
    show(example);
    find('said').textContent = `Example. Your first message starts a new chat. ${example.said}`;
  }
  // A page that follows shows the speaker's conversation, where it holds none of its own.
  offer('chat', {
    read: () => (isExample || !element.clientWidth ? [] : turns),
    show(theirs) {
      const isOwn = turns.length > 0 && !isExample && !isFollowed;
      if (
        isOwn ||
        (!theirs.length && !isFollowed) ||
        JSON.stringify(theirs) === JSON.stringify(turns)
      )
        return;
      [turns, others, isFollowed, isExample] = [[...theirs], [], theirs.length > 0, false];
      for (const name of ['said', 'used', 'plain']) find(name).textContent = '';
      draw();
    },
  });
  watch('value', sync);
  draw();
}
