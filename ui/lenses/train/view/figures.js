// What the run view says in numbers and words. Pure functions of what has been received of a run.
import {counted, percent, smoothed} from '../../../shared/view/plain.js';
import {differences, queued} from './received.js';

export const nats = value => (value === null || value === undefined ? '–' : value.toFixed(3));

export function clock(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const whole = Math.round(seconds);
  if (whole >= 90) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}

// The training loss at an update, averaged over those before it; null before the first. Without
// one, it is that of now, or of the update whose model is kept.
export function trainingLoss(run, step = run.kept ?? null) {
  const rows = step === null ? run.rows : run.rows.filter(row => row[0] <= step);
  return rows.length ? smoothed(rows.map(row => row[1])).at(-1) : null;
}

// The held-out loss: of all of it once the run has ended, of a part before; null before the first
// snapshot.
export const heldOut = run => run.final ?? run.looks.at(-1)?.valid ?? null;

// The update whose model that loss is of; null before the first snapshot.
export function heldOutStep(run) {
  if ((run.final ?? null) !== null) return run.kept ?? run.step;
  return run.looks.at(-1)?.step ?? null;
}

// The line above everything. example: whether the run is recorded.
export function title(run, example) {
  const states = {
    ready: 'Ready: press Resume, or Step',
    queued: run.queue ? queued(run.queue) : 'Waiting in the queue',
    starting: 'Starting…',
    running: 'Learning',
    paused: 'Paused',
    ending: 'Ending',
    ended: example ? 'Recorded example' : 'Ended',
  };
  const state = run.preparing || states[run.state];
  const parts = [state, run.about.title, `${run.about.parameters.toLocaleString('en')} parameters`];
  if (run.reason && !example) parts.push(run.reason);
  if (run.busy !== null)
    parts.push(
      `This machine is busy: the run gets ${Math.round(100 * run.busy)}% of its processor.`,
    );
  return parts.join(' · ');
}

export const slowSaid = slow =>
  `This machine is slow or busy: ${slow.seconds} s will make about ${counted(slow.updates, 'update')}, ` +
  'too few to learn words.';

// Of a loss in nats per token; scale: tokens per character, null where the loss is of no text.
const perplexity = (loss, scale) =>
  loss === null || scale === null ? '–' : Math.exp(loss).toFixed(2);
const bitsPerCharacter = (loss, scale) =>
  loss === null || scale === null ? '–' : ((loss / Math.LN2) * scale).toFixed(3);

// After its time a run still scores the held-out data and writes its last sample.
const timeLeft = run => (run.state === 'running' && run.left === 0 ? 'scoring' : clock(run.left));

// [name, value as people read it] of every tile; those of LARGE are drawn large.
export const LARGE = [0, 2, 4, 7];
export function tiles(run, example) {
  const look = run.looks.at(-1),
    valid = heldOut(run),
    accuracy = run.final_accuracy ?? look?.accuracy ?? null,
    {kind, commonest, tokens_per_character: scale} = run.about,
    shown = value => (value === null ? '–' : percent(value));
  const kinds = {
    repeated: 'loss on repeats',
    instructions: 'loss on held-out answers',
    preferences: 'DPO loss on held-out pairs',
  };
  const when =
    run.final !== null ? ', final' : look ? `, update ${look.step.toLocaleString('en')}` : '';
  const ofKind = {
    labels: {accuracy: shown(accuracy), 'the most frequent label': shown(commonest)},
    preferences: {
      'the preferred one gained': shown(accuracy),
      'no preference, ln 2': nats(Math.LN2),
    },
  }[kind] ?? {
    perplexity: perplexity(valid, scale),
    'bits per character': bitsPerCharacter(valid, scale),
  };
  const ofKept = (run.kept ?? null) === null ? '' : `, update ${run.kept.toLocaleString('en')}`;
  return [
    ['update', run.step.toLocaleString('en')],
    [`training loss, smoothed${ofKept}`, nats(trainingLoss(run))],
    [(kinds[kind] ?? 'loss on unseen text') + when, nats(valid)],
    ...Object.entries(ofKind),
    [
      example ? 'tokens a second, recorded' : 'tokens a second',
      Math.round(run.rate).toLocaleString('en'),
    ],
    ['elapsed', clock(run.elapsed)],
    ['left', run.state === 'ended' ? '–' : timeLeft(run)],
  ];
}

// The names of both runs of a race, and its line: the same from the same seed on the same batches,
// but for one thing.
export function race(run, rival) {
  const [mine, theirs] = differences(run.about.settings, rival.about.settings);
  const [a, b] = [heldOut(run), heldOut(rival)];
  const gap = a === null || b === null ? null : b - a;
  const size = gap === null ? '' : Math.abs(gap).toFixed(3);
  const leads =
    size === '0.000' ? 'They are level.' : `${gap >= 0 ? mine : theirs} leads by ${size}.`;
  const of = item => `${nats(heldOut(item))} after ${counted(heldOutStep(item) ?? 0, 'update')}`;
  const line =
    `Race, each with half of the processor · held-out loss: ${mine} ${of(run)}, ${theirs} ${of(rival)}. ` +
    (gap === null ? '' : leads);
  return {mine, theirs, line};
}

// The cells of a run in the table of runs: number, title, what was changed, updates, seconds, loss,
// perplexity, bits. isOldest: whether the run before it is not kept.
export function cells(old, isOldest) {
  const first = old.number === 1 ? 'the first' : 'the run before it is gone';
  return [
    old.number,
    old.title,
    isOldest ? first : old.changed.join(', ') || 'nothing',
    old.steps.toLocaleString('en'),
    old.seconds.toFixed(1),
    nats(old.valid),
    perplexity(old.valid, old.tokens_per_character),
    bitsPerCharacter(old.valid, old.tokens_per_character),
  ];
}

// What became of a visitor's guess of the final loss.
export function guessSaid(guess, run) {
  const valid = heldOut(run);
  if (guess === null) return '';
  if (run.state !== 'ended' || valid === null) return 'Your guess is drawn as a dashed line.';
  const gap = Math.abs(valid - guess).toFixed(2);
  return `You guessed ${guess}; it ended at ${valid.toFixed(2)}, ${gap} ${valid > guess ? 'higher' : 'lower'}.`;
}

// The line of one snapshot.
export function lookSaid(run, at) {
  const look = run.looks[at];
  if (!look) return 'The snapshot before the first update is on its way.';
  const next = at === run.looks.length - 1 && run.next_look !== null && run.state === 'running';
  return (
    `after ${look.step.toLocaleString('en')} updates, ${look.elapsed.toFixed(1)} s` +
    (look.valid === null ? '' : `, loss ${look.valid.toFixed(2)}`) +
    (look.step ? '' : run.about.tuned ? ': before this training' : ': untrained') +
    (next ? ` · next snapshot at ${run.next_look.toFixed(0)} s` : '')
  );
}

// The table of a run's curve: a row an update, with the held-out loss where the model was looked
// at.
export function curveRows(run) {
  const held = new Map(run.looks.map(look => [look.step, look.valid]));
  const rows = run.rows.map(row => [
    ...row.slice(0, 5 + run.about.terms.length),
    held.get(row[0]) ?? '',
  ]);
  const terms = run.about.terms.map(name => `${name}, nats`);
  // The updates of long runs are thinned out: a snapshot whose update has no row gets one of
  // its own.
  const isRow = new Set(rows.map(row => row[0]));
  const observed = run.looks
    .filter(look => !isRow.has(look.step))
    .map(look => [look.step, '', '', '', look.elapsed ?? '', ...terms.map(() => ''), look.valid]);
  const names = [
    'update',
    'loss_nats',
    'learning_rate',
    'gradient_norm',
    'seconds',
    ...terms,
    'held_out_nats',
  ];
  const all = [...rows, ...observed].toSorted((a, b) => a[0] - b[0]).map(row => [...row, '']);
  // The last loss is of the held-out data at the end of the run, those before of a part.
  if ((run.final ?? null) !== null && all.length) all.at(-1)[names.length] = run.final;
  names.push('held_out_at_the_end_nats');
  return [names, ...all];
}

const CLEAR = 0.05; // nats by which a loss must be lower to be called so
const BASELINES = {
  uniform: 'guessing evenly',
  unigram: 'the unigram baseline',
  bigram: 'the bigram baseline',
};
// nats of held-out above training loss from which on texts are learned by heart
const BY_HEART = 0.25;

const FEW = 100; // held-out tokens: the mean of fewer settles nothing
const SEES_THE_NEXT = 'no_mask'; // the trick by which every token sees all others

// What a run has learned, from its held-out loss.
export function verdict(run) {
  const {about} = run;
  const [loss, step] = [heldOut(run), heldOutStep(run)];
  if (about.lines.bigram === undefined || loss === null) return '';
  if (about.trick === SEES_THE_NEXT)
    return 'Every token sees the next one here, so this loss measures copying. It cannot be compared with the baselines.';
  if (about.n_valid && about.n_valid < FEW)
    return `Only ${counted(about.n_valid, 'token')} ${about.n_valid === 1 ? 'is' : 'are'} held out: the loss on so few settles nothing.`;
  const hasReadAll = step * about.tokens_per_step > about.n_train; // else nothing was read twice
  return learned(about.lines, loss, hasReadAll ? trainingLoss(run, step) : null);
}

// What a held-out loss says that a run has learned, against what counting letters and pairs would
// reach. lines: baselines in nats per token, {uniform, unigram, bigram}; loss: held out; training:
// of the last updates, or null.
export function learned(lines, loss, training) {
  if (loss === null || lines.bigram === undefined) return '';
  const text = isOrdered(lines) ? againstBaselines(lines, loss) : againstBest(lines, loss);
  const gap = training === null ? 0 : loss - training;
  return gap > BY_HEART
    ? `${text} On its training text the loss is ${gap.toFixed(2)} lower: part of that may be memorised.`
    : text;
}

// On short texts counts of pairs can do worse than counts of tokens, or than guessing.
const isOrdered = ({uniform, unigram, bigram}) => bigram <= unigram && unigram <= uniform;

function againstBaselines({uniform, unigram, bigram}, loss) {
  const far = (line, word) => `${Math.abs(line - loss).toFixed(2)} nats ${word}`;
  const isAbout = line => Math.abs(loss - line) <= CLEAR;
  if (isAbout(bigram))
    return 'It is about as good as the bigram baseline: it has learned which token follows which.';
  if (loss < bigram)
    return `It has learned more than which token follows which: ${far(bigram, 'below')} the bigram baseline.`;
  if (isAbout(unigram))
    return 'It is about as good as the unigram baseline: it has learned how frequent tokens are.';
  if (loss < unigram)
    return `It is learning which token follows which: ${far(unigram, 'below')} the unigram baseline, ${far(bigram, 'above')} the bigram one.`;
  if (loss < uniform - CLEAR)
    return `It is learning how frequent tokens are: ${far(uniform, 'below')} guessing evenly, not yet below the unigram baseline.`;
  return 'It knows nothing yet: it does no better than guessing evenly.';
}

function againstBest(lines, loss) {
  const [name, best] = Object.entries(lines).toSorted((a, b) => a[1] - b[1])[0];
  const far = Math.abs(loss - best);
  const how =
    far <= CLEAR
      ? 'about as good'
      : `${far.toFixed(2)} nats ${loss < best ? 'below it' : 'above it'}`;
  const about = `On a text this short the best baseline is ${BASELINES[name]}, at ${best.toFixed(2)} nats`;
  return `${about}. The run is ${how}${loss < best - CLEAR ? '' : ': it has not beaten that baseline'}.`;
}
