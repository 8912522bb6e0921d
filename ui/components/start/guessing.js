// Guess the next letter, alone or a whole hall, against the picked model: Shannon 1951.
import {percent, visible} from '../shared/plain.js';
import {add, addButton} from '../shared/page.js';
import {drawCurves, frameOf} from '../shared/small_curves.js';
import {ENOUGH, MOST, bound, boundCurve, share, verdict} from './guessing_score.js';

const ABOUT =
  'Shannon asked people in 1951: how many guesses does the next letter take? A GPT is trained for exactly this. ' +
  'None of the bundled models was trained on this text.';

// The first places of a passage that are guessed.
const spans = ({parts}, n) =>
  parts
    .slice(0, n)
    .map(({from, to}) => `${from}-${to}`)
    .join();

export function guessing(box, server, modelNow) {
  let number = 0,
    game = null,
    at = 0, // which part is guessed
    wrong = [],
    yours = [];
  const before = []; // what other models thought of this passage, for a rematch

  async function open(again = false) {
    box.hidden = false;
    if (game && !again) return;
    const answer = await server.passage({model: modelNow(), number}).catch(() => null);
    const found = answer ? JSON.parse(answer) : {message: 'The server did not answer. Try again, or reload the page.'};
    if (found.message) {
      if (!game) box.textContent = found.message;
      else if (box.querySelector('.gg-message')) box.querySelector('.gg-message').textContent = found.message;
      else
        box.prepend(Object.assign(document.createElement('p'), {className: 'gg-message', textContent: found.message}));
      return;
    }
    // In a rematch with another model your own guesses at this passage stay: only the model is new.
    const n = yours.length;
    const same = n > 0 && game.text === found.text && spans(game, n) === spans(found, n);
    if (!same) before.length = 0;
    else if (game.name !== found.name) before.push(game);
    if (!same || game.name === found.name) [at, wrong, yours] = [0, [], []];
    game = found;
    draw();
  }

  const ranksOf = ({parts}) => parts.slice(0, yours.length).map(part => Math.min(part.rank, MOST + 1));
  const theirs = () => ranksOf(game);

  function take(guess) {
    const part = game.parts[at];
    const right = game.text.slice(part.from, part.to).toLowerCase();
    if (!guess || wrong.includes(guess)) return;
    if (guess === right || wrong.length + 1 >= MOST) {
      yours.push(guess === right ? wrong.length + 1 : MOST + 1);
      wrong = [];
      at += 1;
    } else wrong.push(guess);
    draw();
  }

  function draw() {
    box.textContent = '';
    add(box, 'p', 'gg-about', ABOUT);
    const said = add(box, 'p', 'conclusion', verdict(yours, theirs(), game.name, game.kind));
    said.setAttribute('role', 'status');
    const part = game.parts[at];
    const text = add(box, 'p', 'gg-text', game.text.slice(0, part ? part.from : game.text.length));
    if (part) add(text, 'b', 'gg-gap', '?');
    if (part) drawField();
    else add(box, 'p', '', 'That was the whole passage.');
    drawScores();
    const tools = add(box, 'div', 'gg-tools');
    addButton(tools, 'lens-plain', 'Another passage', () => {
      number += 1;
      open(true);
    });
    addButton(tools, 'lens-plain', 'Rematch with the model above', () => open(true));
    addButton(tools, 'lens-plain', 'Train one for the rematch', () => {
      document.querySelector('#start .st-doors [data-tab=Train]')?.click();
    });
  }

  function drawField() {
    const letters = game.kind === 'letters';
    const row = add(box, 'div', 'gg-row');
    const label = add(row, 'label', '', letters ? 'The next letter, or a space: ' : 'The next word: ');
    const field = add(label, 'input', 'gg-field lens-plain');
    Object.assign(field, {autocomplete: 'off', autocapitalize: 'off', spellcheck: false});
    if (letters) field.maxLength = 1;
    field.addEventListener('input', () => {
      const typed = field.value.toLowerCase();
      if (letters) field.value = ''; // a letter that was tried already is no guess
      if (letters && typed) take(typed);
    });
    field.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !letters) take(field.value.trim().toLowerCase());
    });
    addButton(row, 'lens-plain', 'Show it', () => {
      wrong = Array.from({length: MOST - 1}, () => '');
      take('\u0000');
    });
    if (wrong.length) add(row, 'span', 'gg-wrong', `not: ${wrong.map(one => (one === ' ' ? '␣' : one)).join(' ')}`);
    field.focus({preventScroll: true});
  }

  // What both have done, and what the model thought of at the last place.
  function drawScores() {
    const both = add(box, 'div', 'gg-scores');
    for (const [name, ranks] of [
      ['you', yours],
      [game.name, theirs()],
    ]) {
      add(both, 'span', '', name);
      const track = add(both, 'span', 'gg-track');
      add(track, 'i').style.width = share(ranks);
      const bits = ranks.length >= ENOUGH ? ` · at most ${bound(ranks, game.choices).toFixed(2)} bits each` : '';
      add(both, 'span', 'gg-figure', `right first time: ${share(ranks)}${bits}`);
    }
    drawBounds();
    const last = game.parts[at - 1];
    if (!last) return;
    const line = add(
      box,
      'p',
      'gg-last',
      `At “${game.text.slice(last.from, last.to).replace(' ', '␣')}” ${game.name} thought of `,
    );
    line.append(last.best.map(([text, p]) => `${visible(text)} ${percent(p)}`).join(', '));
    line.append(`: it would have needed ${last.rank === 1 ? '1 guess' : `${last.rank} guesses`}.`);
  }

  // How many bits each needs, as it went.
  function drawBounds() {
    const earlier = before.filter(({name}) => name !== game.name);
    const curves = [yours, theirs(), ...earlier.map(ranksOf)].map(ranks => boundCurve(ranks, game.choices));
    if (!curves[0].length) return;
    const names = ['you', game.name, ...earlier.map(({name}) => `${name}, before`)];
    const all = frameOf(curves);
    const frame = {...all, low: 0, high: Math.max(1, all.high)};
    const what = game.kind === 'letters' ? 'character' : 'word';
    add(box, 'p', 'gg-about', `Bits per ${what} at most, from 0 to ${frame.high.toFixed(1)}, as the passage went on:`);
    const key = add(box, 'p', 'gg-key');
    names.forEach((name, i) => add(key, 'span', `line-${i}`, `${name} ${curves[i].at(-1)[1].toFixed(2)}`));
    drawCurves(box, curves, frame, [600, 110]);
  }

  return {
    open,
    close: () => {
      box.hidden = true;
    },
    isOpen: () => !box.hidden,
  };
}
