// Recording of the page: timed component values, server requests with answers, and open views. A talk is a list of
// such steps, each with a sentence. Pure functions.

const NAME = 'gptlens-talk';
// Model requests, which a recording answers; any server can answer all others.
const OF_MODELS = (
  'poll past chances heads tell head_map steps arithmetic odds neurons inner_sizes guesses ' +
  'why circuit circuit_without formed'
).split(' ');
const FLOW = 'poll'; // polled: its answers are replayed in order and on time

export const isRecorded = name => OF_MODELS.includes(name);
export const isFlow = name => name === FLOW;

// --- recording
// about: {title, model, date}. Times are milliseconds from the beginning.
export const newTape = about => ({about, events: [], last: new Map()});

export function noteValue(tape, ms, id, value) {
  const before = tape.last.get(id) ?? '';
  if (before === value) return;
  tape.last.set(id, value);
  let same = 0;
  const most = Math.min(before.length, value.length);
  while (same < most && before[same] === value[same]) same += 1;
  tape.events.push(['value', ms, id, same, value.slice(same)]);
}

export const noteAnswer = (tape, ms, id, name, asked, answer) =>
  tape.events.push(['answer', ms, id, name, asked, answer ?? null]);

export const noteView = (tape, ms, tab, view) => tape.events.push(['view', ms, tab, view]);

// The recording, with nothing of components that were neither on screen nor given anything after the beginning.
export function finished(tape, length, isShown) {
  const later = tape.events.filter(([kind, ms]) => kind === 'answer' || (kind === 'value' && ms > 0));
  const told = new Set(later.map(event => event[2]));
  const events = tape.events.filter(([kind, , id]) => kind === 'view' || told.has(id) || isShown(id));
  return {...tape.about, length: Math.round(length), events};
}

// --- replaying
// Goes through a recording once. `advance(ms)` returns {changed, view}: what has happened since the last call; `values`
// then holds what the components have; `ids` are theirs.
export function player(recording) {
  const values = new Map();
  const ids = new Set(recording.events.filter(([kind]) => kind !== 'view').map(event => event[2]));
  const answers = recording.events.filter(([kind]) => kind === 'answer');
  let next = 0;
  let flowed = 0;
  return {
    values,
    ids,
    advance(ms) {
      const changed = new Set();
      let view = null;
      for (; next < recording.events.length && recording.events[next][1] <= ms; next += 1) {
        const [kind, , ...rest] = recording.events[next];
        if (kind === 'value') {
          const [id, same, more] = rest;
          values.set(id, (values.get(id) ?? '').slice(0, same) + more);
          changed.add(id);
        } else if (kind === 'view') view = rest;
      }
      return {changed, view};
    },
    // {ms, answer} for a question, where ms is when it may be given; null for one that was never asked.
    answer(id, name, asked, ms) {
      const same = answers.filter(one => one[2] === id && one[3] === name);
      if (isFlow(name)) {
        const found = same.filter(one => one[5])[flowed]; // none where there was no run
        flowed += 1;
        return found ? {ms: found[1], answer: found[5]} : null;
      }
      // Ignores the first value, a server key or a workspace id, which may have changed. Early recordings hold lists.
      const like = given => JSON.stringify(Object.values(given ?? {}).slice(1));
      const exact = same.filter(one => JSON.stringify(one[4]) === JSON.stringify(asked));
      const alike = exact.length ? exact : same.filter(one => like(one[4]) === like(asked));
      const found = alike.filter(one => one[1] <= ms).at(-1) ?? alike[0];
      return found ? {ms: 0, answer: found[5]} : null;
    },
  };
}

// --- files
export const talkText = (title, steps) => JSON.stringify({kind: NAME, version: 1, title, steps});

// {title, steps: [{say, link, point, recording}]}. Raises an error with a sentence for a text that is no talk.
export function readTalk(text) {
  let talk;
  try {
    talk = JSON.parse(text);
  } catch {
    throw new Error('This is not a talk file: it is not JSON, or it was cut off. Save the recording again.');
  }
  if (talk?.kind !== NAME || talk.version !== 1 || !Array.isArray(talk.steps) || !talk.steps.length)
    throw new Error('This is not a GPT Lens talk file. Record one with R, and save it.');
  const steps = talk.steps.map((step, i) => {
    const {say, link, point, recording} = step ?? {};
    if (recording === undefined ? !link : !isRecording(recording))
      throw new Error(`Step ${i + 1} of this talk has no readable recording and no link. Record that step again.`);
    return {say: String(say ?? ''), link: String(link ?? ''), point: String(point ?? ''), recording};
  });
  return {title: String(talk.title ?? 'A talk'), steps, at: 0, own: ''};
}

const SHAPES = {
  value: event =>
    typeof event[2] === 'string' && event[3] >= 0 && Number.isInteger(event[3]) && typeof event[4] === 'string',
  answer: event => typeof event[2] === 'string' && isRecorded(event[3]),
  view: event => typeof event[2] === 'string' && typeof event[3] === 'string',
};

function isRecording(recording) {
  if (!(Number.isFinite(recording?.length) && recording.length >= 0) || !Array.isArray(recording.events)) return false;
  let before = 0;
  return recording.events.every(event => {
    const inOrder = Array.isArray(event) && Number.isFinite(event[1]) && event[1] >= before;
    before = inOrder ? event[1] : before;
    return inOrder && Object.hasOwn(SHAPES, event[0]) && SHAPES[event[0]](event);
  });
}
