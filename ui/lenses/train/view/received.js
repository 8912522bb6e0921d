// Client-side state of a run, updated by polls. Pure functions.

// What a page keeps of a run, before it has received anything.
export const begun = ({run: id, about, version}) => ({
  id,
  about,
  version,
  rows: [],
  looks: [],
  past: [],
  rival: null,
});

// What changes at every answer.
const RUNNING =
  'state reason step elapsed left rate version next_look busy slow again peak planned_peak ahead';
const NOW = [...RUNNING.split(' '), 'final', 'final_accuracy', 'kept', 'verdict', 'preparing'];

// Merges a poll answer into a run: truncates rows and snapshots at the answer's start, then
// appends.
export function receive(run, news) {
  run.about = news.about ?? run.about;
  run.rows.length = Math.min(news.first, run.rows.length);
  run.rows.push(...news.rows);
  run.looks.length = Math.min(news.looks_from, run.looks.length);
  run.looks.push(...news.looks);
  for (const name of NOW) run[name] = news[name];
}

// What a page has of a run, as the server is told.
export const has = run => ({
  run: run?.id ?? null,
  version: run?.version ?? 0,
  rows: run?.rows.length ?? 0,
  looks: run?.looks.length ?? 0,
});

// What two runs are called by what they differ in.
export function differences(mine, theirs) {
  const names = Object.keys(mine).filter(name => name in theirs && mine[name] !== theirs[name]);
  const described = settings =>
    names
      .map(name => (name === 'optimiser' ? settings[name] : `${name} ${settings[name]}`))
      .join(', ');
  return [described(mine), described(theirs)];
}

const ORDINALS = ['th', 'st', 'nd', 'rd'];
const ordinal = n =>
  `${n}${(n % 100 > 10 && n % 100 < 20) || n % 10 > 3 ? 'th' : ORDINALS[n % 10]}`;

// A run's place in the queue: {number, seconds until it begins or null}.
export function queued({number, seconds}) {
  const when = seconds === null ? '' : ` in about ${Math.max(1, Math.round(seconds))} s`;
  return `You are ${ordinal(number)} in the queue; your run starts by itself${when}`;
}
