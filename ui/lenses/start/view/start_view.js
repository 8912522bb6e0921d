// Live sentence: edit any word, accept any guess; arcs show attention.
// Model text goes into the page by textContent alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {Sentence, StartServer} from '../../../shared/view/payloads' */
import {counted, percent, visible} from '../../../shared/view/plain.js';
import {add, addButton, onTools} from '../../../shared/view/page.js';
import {goTo} from '../../../shared/view/places.js';
import {
  chooseHead,
  chooseToken,
  chosenHead,
  chosenToken,
  onSentence,
  sentence,
  setSentence,
} from '../../../shared/view/sentence.js';
import {askWhy} from '../../../shared/view/why.js';
import {sentenceEditor} from './editor.js';
import {holdSentence} from './held.js';
import {machinePicture} from '../../../shared/view/machine.js';
import {panels} from './panels.js';
import {questions} from './questions.js';
import {story} from './story.js';
import {FULL, drawn, words, writer} from './writer.js';

const [TRIES, AGAIN] = [3, 1500]; // of a look at another token, and milliseconds between two
const TYPED = 250; // milliseconds after the last key until a text is read
const WRITES = 12; // words after a change
const NO_ANSWER = 'The server did not answer. Try again, or reload the page.';

/** @param {Component<Sentence, StartServer>} page */
export function start({element, props, server, watch, given}) {
  const find = name => element.querySelector('.st-' + name);
  const [bars, status, play] = ['bars', 'said', 'play'].map(find);
  const slow = element.querySelector('[data-do=slow]');
  let data = null;
  let pointed = -1; // the word whose looks are drawn; -1: the last one
  let opened = -1; // the word whose alternatives are open
  let isPlayed = false; // whether the picture has played its steps once
  let model = ''; // that of the last sentence that could be read
  let tried = ''; // the sentence that was read last; the model may write it otherwise
  let looking = 0; // of the newest question about another token
  let asking = 0; // number of the newest question; an older answer is dropped
  let isRead = true; // whether the page shows what stands in the field
  let reading = Promise.resolve(); // until it does
  const before = []; // sentences, for Back
  const told = story(find('story'), server, () => data?.tokens);

  const ids = () => data.tokens.map(token => token.id);
  const say = text => {
    status.textContent = text;
  };

  const picture = machinePicture(element.querySelector('.mc-box'), element.querySelector('.mc-said'), {
    go: way => {
      if (isRead) setSentence(data.text, hear); // the view opens on the same sentence
      goTo(new URLSearchParams(way));
    },
    look: place => chooseToken(place < data.tokens.length - 1 ? place : null),
    next,
    choose: head => chooseHead(head),
  });

  const writing = writer({
    data: () => data,
    take: id => ask([...ids(), id]),
    say,
    beat: () => picture.beat(),
    bars,
    end: () => editor.last(),
    isSlow: () => slow.getAttribute('aria-pressed') === 'true',
    isThere: () => element.isConnected,
    changed: drawPlay,
  });

  let waiting = 0;
  const editor = sentenceEditor(find('line'), {
    typed(text) {
      clearTimeout(waiting);
      writing.pause();
      asking += 1; // an answer on its way would overwrite what is typed
      isRead = false;
      setSentence(text, hear);
      reading = new Promise(done => {
        waiting = setTimeout(() => read(text).then(done), TYPED);
      });
    },
    pointed: i => data && point(i),
    opened(i) {
      writing.pause();
      opened = i ?? -1;
      if (data) chooseToken(i === null || i === data.tokens.length - 1 ? null : i);
      if (data) point(opened);
    },
    replaced: (i, id) => change([...ids().slice(0, i), id], WRITES),
  });

  // The picture of another token; the words stay as they are.
  async function lookAt(place, tries = TRIES) {
    const [number, mine, of] = [asking, ++looking, ids()];
    const answer = await server.guesses({model: data.model, ids: of, at: place});
    if (number !== asking || mine !== looking || !data || ids().join() !== of.join()) return;
    if (answer) {
      data.machine = JSON.parse(answer).machine;
      drawMachine();
    } else if (tries > 1)
      // a server that is full for a moment
      setTimeout(() => mine === looking && data && lookAt(place, tries - 1), AGAIN);
  }

  // A token that is chosen elsewhere, or by a link, stays chosen when the sentence has been read.
  function lookAtChosen() {
    if (chosenToken() !== null) lookAt(Math.min(chosenToken(), data.tokens.length - 1));
  }

  // Reads what stands in the box; an older answer is dropped.
  async function read(text) {
    const number = ++asking;
    tried = text;
    writing.pause();
    if (!editor.isTyped()) editor.show(text);
    const answer = await server.typed({model: data?.model ?? model, text});
    if (number !== asking) return;
    const reply = answer ? JSON.parse(answer) : {message: NO_ANSWER};
    say(reply.message ?? '');
    if (reply.message) return;
    if (data) before.push(ids());
    take(reply, false);
    lookAtChosen();
  }

  const hear = news => {
    if ('head' in news && data) drawMachine();
    if ('token' in news && data) lookAt(news.token ?? data.tokens.length - 1);
    if ('text' in news && news.text !== editor.text()) {
      editor.show(news.text);
      if (element.getClientRects().length) read(news.text);
    }
  };
  onSentence(hear);
  // A sentence from another tab is read once Start is open again.
  new ResizeObserver(() => {
    if (data && sentence() && sentence() !== data.text && sentence() !== tried && element.clientWidth) read(sentence());
  }).observe(element);

  async function ask(wanted) {
    const number = ++asking;
    const answer = await server.guesses({model: data.model, ids: wanted, at: null});
    if (number !== asking) return false;
    if (answer) take(JSON.parse(answer));
    else {
      writing.pause();
      say(NO_ANSWER);
    }
    return Boolean(answer);
  }

  async function change(wanted, writes) {
    if (!isRead) return void read(editor.text()); // a guess about the text before: what is typed stays
    before.push(ids());
    writing.pause();
    say('');
    if (await ask(wanted)) writing.write(writes);
  }

  function drawPlay(writes = writing.writes()) {
    play.textContent = writes ? 'Pause' : 'Let it write';
    play.classList.toggle('on', writes);
    for (const name of ['back', 'again']) element.querySelector(`[data-do=${name}]`).hidden = !writes && !before.length;
    slow.hidden = !writes;
  }

  function point(i) {
    pointed = i;
    drawArcs();
  }

  function drawMachine() {
    find('conclusion').textContent = data.machine.said;
    picture.draw(data, chosenHead());
  }

  function drawArcs() {
    editor.look(pointed >= 0 ? pointed : opened, data.arcs);
  }

  function drawBars() {
    element.querySelector('[data-do=next]').textContent = `Next ${data.unit}`;
    element.querySelector('[data-do=why]').textContent = `Why this ${data.unit}?`;
    find('next').querySelector('h2').textContent = `Its guesses for the next ${data.unit}`;
    bars.textContent = '';
    for (const [label, p, id] of data.next) {
      const ends = id === data.end;
      const bar = addButton(bars, 'st-bar u-bare u-bar u-spread u-type-sm', '', () =>
        ends ? say('Here it would end its text.') : append(id),
      );
      bar.style.setProperty('--p', `${100 * p}%`); // a full row is 100%
      add(bar, 'span', 'st-name u-token u-mono', ends ? 'end of text' : visible(label).replace('␣', ''));
      add(bar, 'span', 'st-p u-digits', percent(p));
    }
  }

  // Whether the page shows what stands in the field; where it could not be read, it is tried again.
  async function isShown() {
    await reading;
    if (!isRead) await read(editor.text());
    return isRead;
  }

  async function next() {
    if (!(await isShown())) return;
    const picked = drawn(words(data));
    if (picked !== undefined) append(picked);
  }

  async function letWrite() {
    if (!(await isShown())) return;
    before.push(ids());
    say('');
    writing.write(WRITES);
  }

  function append(id) {
    if (data.full) say(FULL);
    else change([...ids(), id], 0);
  }

  // A sentence that was read; intoBox: whether the other tabs' boxes take it, too.
  function take(fresh, intoBox = true) {
    data = fresh;
    pointed = opened = -1;
    isRead = true;
    holdSentence({model: data.model, ids: ids(), own: before.length > 0});
    if (intoBox) setSentence(data.text, hear); // also what was taken back: it would be read anew at the next resize
    drawMachine();
    editor.draw(data);
    editor.toEnd();
    drawBars();
    drawArcs();
    drawPlay();
    told.redraw();
    if (!isPlayed) picture.beat(); // as the page opens; the style sheet keeps it still for who asked for that
    isPlayed = true;
  }

  function sync() {
    asking += 1;
    writing.pause();
    const was = data ? ids().join() : '';
    data = null;
    const value = JSON.parse(props.value);
    model = value.model ?? model;
    // The same sentence at another moment of the training: what the visitor did to it can still be taken back.
    if (value.message || value.tokens.map(token => token.id).join() !== was) before.length = 0;
    if (value.message) {
      editor.clear(value.message);
      picture.clear();
      find('conclusion').textContent = bars.textContent = '';
      return;
    }
    say(value.note || `Arcs: where the ${counted(value.heads, 'attention head')} look from the marked word.`);
    take(value, false);
    // What the visitor has written elsewhere, or before a reload, is read in its place.
    if (sentence() && sentence() !== data.text && !data.note) read(sentence());
    else lookAtChosen();
  }

  function turned(button) {
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', on);
    return on;
  }
  const tools = {
    slow: () => turned(slow),
    why: () => askWhy(isRead ? data.text : editor.text()),
    play: () => (writing.writes() ? writing.pause() : letWrite()),
    next,
    step: () => picture.step(),
    sizes: event => picture.showSizes(turned(event.target)),
    back() {
      writing.pause();
      const earlier = before.pop();
      if (earlier) ask(earlier);
      else say('This is where it began.');
    },
    again() {
      before.length = 0;
      setSentence(JSON.parse(props.value).text ?? '', hear);
      sync();
    },
  };
  onTools(element, () => data && tools);
  panels(element, find, told.open);
  questions(find('questions'), find('search'), given.questions);
  new ResizeObserver(() => data && drawArcs()).observe(editor.words);
  watch('value', sync);
  sync();
}
