// Questions and answers: every component that answers a question says which, and is marked as stale
// from the moment that the page asks another one. A question is the values of the component's
// needs, read from the store.
/** @import {Answered} from './component' */
/** @import {Json} from './payloads' */
import {look} from './connection.js';
import {holdComposed, holdFields, initialOf, isKnown, onStore, plain, valueOf} from './store.js';

// in front of an answer: the question's number, and fields that the event has set
const STAMP = /^#(\d+)(?: (\{.*\}))?\n/;
const MOST_QUESTIONS = 500;
// milliseconds between two tries while a model is being opened
const [OPENING, OPENING_TRIES] = [400, 60];
// how often a question is asked that another action of the visitor's has ended
const MOST_TRIES = 5;
const NO_ANSWER = 'The server did not answer. Change something to try again.';

const questions = new Map(); // number -> the fields of an event, as they were sent
let newest = 0;
const answers = new Map(); // element id -> Answer
let isArriving = null; // whether the page still waits for what its link sets

// --- arriving by a link
// Whether this load of the page shows something else than it was sent with: its first answers are
// withheld.
const isLinked = () => Boolean(globalThis.gptlensArriving);
const arriving = () => (isArriving ??= isLinked());

export const hasArrived = () => !arriving();

// What the link sets stands in the fields: examples that answer them can be shown.
export function arrived() {
  isArriving = false;
  for (const answer of answers.values()) answer.mark();
}

// The value of a need: of a field, or, for "a|b", of the first that is set; PICKED stands for what
// the page has picked.
const PICKED = 'the model above';

function valueOfNeed(need, read) {
  const names = need.split('|');
  const set = names.find(name => read(name) && read(name) !== PICKED);
  return read(set ?? names.at(-1));
}

// --- one component and its question
const PAUSE = 120; // milliseconds that a question stands before it is asked

export class Answer {
  constructor(id) {
    this.id = id;
    this.element = null;
    this.needs = []; // names of fields, "head" and "token"
    this.asks = ''; // when it asks by itself, as `ui.shared.files.component` has it
    this.ask = null; // what asks its question
    this.extra = null; // what a script asks about besides the fields
    this.answered = null; // the question that its content answers; null for the page's first
    this.own = null; // the question that it asks by itself now
    this.asked = null; // the question that is being computed
    this.refused = null; // a question that got no answer: it does not ask it again by itself
    this.pending = 0; // events that are computing its answer
    this.hasCome = false; // whether one of them has given a value
    this.interrupted = 0; // how often its present question has ended without a value
    this.isEmpty = false; // whether the page was sent without a content
    this.wasOpen = false;
    this.wasWithheld = false;
    this.isDue = false; // whether it has come into sight and asks whenever it does
    this.hears = new Set();
    this.timer = null;
  }

  // The question that the page asks now. overrides: fields as they were sent with an event.
  question(overrides = {}) {
    const read = name => (name in overrides ? overrides[name] : valueOf(name));
    return JSON.stringify([...this.needs.map(need => valueOfNeed(need, read)), this.extra]);
  }

  firstQuestion() {
    return JSON.stringify([...this.needs.map(need => valueOfNeed(need, initialOf)), null]);
  }

  get isStale() {
    if (!this.needs.every(need => need.split('|').every(isKnown))) return false;
    return this.question() !== (this.answered ?? this.firstQuestion());
  }

  // Of a page that was opened by a link the first content is not seen before it is known to be the
  // link's.
  get isWithheld() {
    if (!this.needs.length || this.answered !== null) return false;
    return arriving() || (isLinked() && this.isStale);
  }

  get isOpen() {
    return Boolean(this.element?.getClientRects().length);
  }

  // Asks about something that stands in no field, such as a text that is being typed.
  about(extra) {
    this.extra = extra;
    this.mark();
  }

  // The question about something that stands in no field.
  questionAbout(extra) {
    const values = JSON.parse(this.question());
    return JSON.stringify([...values.slice(0, -1), extra]);
  }

  // Its content answers a question now, the present one where none is given.
  answer(question = this.question()) {
    this.answered = question;
    if (question === this.question()) this.busy(false);
    this.mark();
  }

  busy(on) {
    if (!this.element) return;
    if (on) this.element.setAttribute('aria-busy', 'true');
    else this.element.removeAttribute('aria-busy');
  }

  mark() {
    if (!this.element) return;
    const isWithheld = this.isWithheld;
    if (isWithheld) this.element.setAttribute('data-withheld', this.reason);
    else this.element.removeAttribute('data-withheld');
    this.element.toggleAttribute('data-stale', !isWithheld && this.isStale);
    const isReleased = this.wasWithheld && !isWithheld && this.answered === null;
    this.wasWithheld = isWithheld;
    // its first content is the answer after all
    if (isReleased) for (const hear of this.hears) hear();
    this.pursue();
  }

  // Why nothing is seen: "waits" where nobody has asked its question yet and it does not ask by
  // itself, "refused" where the question got no answer, "" where its answer is on its way.
  get reason() {
    if (arriving() || this.pending) return '';
    if (this.question() === this.refused) return 'refused';
    return this.asks ? '' : 'waits';
  }

  // Whether it should ask now: in sight, with a model that is open, and about what has not been
  // refused.
  get isWanted() {
    if (!this.ask || !this.isOpen || this.pending || arriving()) return false;
    const usesModel = this.needs.some(need => need.split('|').includes('model'));
    if (usesModel && valueOf('opened') !== valueOf('model')) return false;
    const question = this.question();
    if (question === this.own || (question === this.refused && !this.isDue)) return false;
    const isUnasked = this.answered === null && this.isEmpty;
    return isUnasked || this.isDue || (this.asks === 'always' && this.isStale);
  }

  pursue() {
    if (!this.isWanted || this.timer) return;
    const question = this.question();
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.question() !== question) this.pursue(); // it goes on changing
      else if (this.isWanted) {
        if (question !== this.asked) this.interrupted = 0;
        this.own = question;
        this.isDue = false;
        this.ask();
      }
    }, PAUSE);
  }

  // A value as its script reads it: without its stamp, nothing while it is withheld.
  content(value) {
    return this.isWithheld ? '' : value.replace(STAMP, '');
  }

  // A new value has come from an event.
  came(value) {
    const [, number, set] = STAMP.exec(value) ?? [];
    this.hasCome = true;
    const sent = questions.get(number);
    const made = JSON.parse(set ?? '{}');
    holdComposed(made);
    holdFields(Object.keys(made), Object.values(made)); // Gradio's page has them a moment later
    this.answer(sent ? this.question({...sent, ...made}) : this.question());
  }

  // An event that computes its answer begins, or has ended.
  begins() {
    if (!this.pending) {
      this.asked = this.question();
      this.hasCome = false;
    }
    this.pending += 1;
    this.element?.setAttribute('data-running', '');
    this.busy(true);
  }

  ends(hasFailed = false) {
    this.pending = Math.max(0, this.pending - 1);
    if (this.pending) return;
    this.element?.removeAttribute('data-running');
    if (hasFailed) this.refused = this.own ?? this.asked;
    else if (this.own !== null) this.#endsOwn();
    this.own = null;
    this.busy(false);
    this.mark();
  }

  // Its own question has ended. Without any value another action has ended it, so it is asked
  // again, a few times.
  #endsOwn() {
    const isAnswered = this.answered === this.own;
    this.interrupted = isAnswered || this.hasCome ? 0 : this.interrupted + 1;
    const isAskedAgain = this.interrupted > 0 && this.interrupted < MOST_TRIES;
    if (!isAnswered && !isAskedAgain) this.refused = this.own;
  }
}

export function answerOf(id) {
  if (!answers.has(id)) answers.set(id, new Answer(id));
  return answers.get(id);
}

// A part of a component that asks questions of its own, and is stale where the whole is.
export function answerIn(element) {
  const answer = new Answer('');
  answer.element = element;
  return answer;
}

onStore(() => {
  for (const answer of answers.values()) answer.mark();
});

// Whether some component is about to ask.
export const isAsking = () => [...answers.values()].some(answer => answer.timer !== null);

// Watches whether a component is in sight: it may have a question to ask then.
function seen(entries) {
  for (const {target} of entries) {
    const answer = answerOf(target.id);
    if (answer.asks === 'opened' && !answer.wasOpen && answer.isOpen) answer.isDue = true;
    answer.wasOpen = answer.isOpen;
    answer.mark();
  }
}

let sight = null;

export function watchSight(answer) {
  sight ??= new ResizeObserver(seen);
  if (answer.element?.id) sight.observe(answer.element);
}

// --- events of Gradio's
// Numbers the question of an event and marks the components that will answer it. Gives the event's
// inputs, the number first. names: of the fields among the inputs, which come first.
export function asks(ids, names, inputs) {
  newest += 1;
  const sent = Object.fromEntries(names.map((name, i) => [name, plain(inputs[i])]));
  questions.set(String(newest), sent);
  if (questions.size > MOST_QUESTIONS) questions.delete(questions.keys().next().value);
  for (const id of ids) answerOf(id).begins();
  return [String(newest), ...inputs];
}

// The event has ended; names, values: the fields that it may have set; hasFailed: with an error.
export function ended(ids, names = [], values = [], hasFailed = false) {
  holdFields(names, values);
  for (const id of ids) answerOf(id).ends(hasFailed);
  return [];
}

// --- questions of scripts
// A function that asks the server after a pause and calls `take` with its parsed answer, or with a
// message where there is none. Answers to older questions are dropped; while a model is being
// opened it asks again.
/**
 * @template T
 * @param {Answer} answer
 * @param {(...given: any[]) => Promise<Json<T>>} ask
 * @param {(reply: T & Answered) => void} take
 */
export function asking(answer, ask, take, pause = 250) {
  const lost = /** @type {T & Answered} */ ({message: NO_ANSWER});
  let timer = null;
  let number = 0;
  function later(given, delay, mine, tries) {
    timer = setTimeout(async () => {
      const question = answer.question();
      answer.begins();
      const reply = parsed(await ask(...given).catch(() => null)) ?? lost;
      const isNewest = mine === number;
      if (isNewest && reply.opening && tries) later(given, OPENING, mine, tries - 1);
      else if (isNewest) {
        answer.answer(question);
        take(reply);
      }
      answer.ends();
    }, delay);
  }
  return (given = [], delay = pause) => {
    clearTimeout(timer);
    number += 1;
    later(given, delay, number, OPENING_TRIES);
  };
}

const parsed = text => (text ? JSON.parse(text) : null);

// A server function that never fails: undefined stands for no answer.
export async function askServer(server, name, request) {
  const answer = await server[name](request).catch(() => undefined);
  if (answer === undefined) look(); // no answer at all: is the server there?
  return answer;
}
