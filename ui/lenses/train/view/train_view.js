// Polls a run on the server, draws and steers it. What the model wrote goes into the page by
// textContent.
/** @import {Component} from '../../../shared/view/component' */
/** @import {TrainServer} from '../../../shared/view/payloads' */
import {percent, smoothed} from '../../../shared/view/plain.js';
import {onLook} from '../../../shared/view/look.js';
import {SAY} from '../../../shared/view/workspace.js';
import {FOLLOWED, FORM, STARTED, STARTING} from '../../../shared/view/workspace.js';
import {
  followedRun,
  forgetWorkspace,
  remembered,
  showsRun,
  useWorkspace,
} from '../../../shared/view/workspace.js';
import {axis, nearest} from './curve_lines.js';
import {curvePlot} from './curves.js';
import {momentView} from './moment_view.js';
import {begun, has, receive} from './received.js';
import {drawControls, drawNumbers, drawRace, drawRuns, isAlive} from './run_drawing.js';
import {runTools} from './run_tools.js';

// The recorded run of each form.
const EXAMPLES = {
  scratch: 'example',
  tune: 'example-tune',
  labels: 'example-labels',
  assistant: 'example-assistant',
};
const SILENT =
  'The server does not answer; trying again every second. If it is still running, so is the run.';
const GONE =
  'The run that was here is gone: it was idle too long, or the server restarted. Below is the recorded example.';

/** @param {Component<{workspace: string, run?: string}, TrainServer>} page */
export function start({element, props, server, trigger, watch}) {
  const part = name => element.querySelector('.tr-' + name);
  const query = new URLSearchParams(location.search);
  /** @type {any} */
  const view = {
    element,
    part,
    server,
    trigger,
    // Of a speaker, or of a link; "bench" is the name in links of earlier versions.
    followed: followedRun() || (query.get('workspace') ?? query.get('bench')),
    // which of them is open; a link may have opened one by now
    form: document.body.dataset.form ?? 'scratch',
    workspace: null,
    run: null, // what has been received of the newest run
    at: 0, // place of the moment that is shown; the newest one while it follows
    follow: true,
    guess: null,
    guessOf: '', // the unit of the run whose loss it guesses
    wanted: null, // id of the run that was started last
    starting: false, // a start is pending; the view still shows the previous run
    restored: false, // the form of the run that stood here before a reload was asked for
    why: '', // what there is an example instead of
    pickedFor: '',
    epoch: 0, // answers of an earlier one are dropped
    failures: 0,
    lines: 0, // number of the newest line that was tried
  };
  view.curves = curvePlot(part('plot'), part('readout'));
  view.open = tab => trigger('open', {workspace: view.workspace, run: view.run.id, tab});
  view.moment = momentView(element, server, () => view, view.open);
  view.curves.wire(
    x =>
      view.run?.looks.length &&
      go(view, view.run.looks.indexOf(nearest(view.run.looks, axis(view.run).look, x))),
    () => drawCurves(view),
  );
  hearForms(view);
  hearCommands(view);
  hearPage(view);
  const taking = () => take(view, props.value ? JSON.parse(props.value) : null);
  watch('value', taking);
  taking();
  return () => {
    view.epoch += 1;
    view.run = null;
    tick(view);
  };
}

// --- which run it shows
const isExample = view => Object.values(EXAMPLES).includes(view.workspace);

function attach(view, id) {
  view.workspace = id;
  useWorkspace(isExample(view) ? null : id, id !== view.followed);
}

function take(view, value) {
  view.wanted = value?.run ?? null;
  if (value?.workspace) attach(view, value.workspace);
  else if (!view.workspace) attach(view, view.followed || remembered() || EXAMPLES[view.form]);
  tick(view);
}

function lost(view) {
  if (isExample(view)) return;
  forgetWorkspace();
  Object.assign(view, {why: GONE, run: null});
  attach(view, EXAMPLES[view.form]);
}

function showExample(view) {
  attach(view, EXAMPLES[view.form]);
  view.run = null;
  view.epoch += 1;
  tick(view);
}

// Marks the old numbers, sample and curves as stale at once.
function setStarting(view, on) {
  view.starting = on;
  view.element.classList.toggle('tr-starting', on);
  if (!on) return;
  view.part('title').textContent = 'Starting…';
  for (const name of ['text', 'rival-text', 'at', 'verdict', 'why'])
    view.part(name).textContent = '';
  view.part('race').hidden = true;
  say(view, '');
}

function say(view, text) {
  const message = view.part('message');
  message.textContent = text;
  message.hidden = !text;
}

// --- news of it
async function tick(view) {
  if (view.busy) return;
  view.busy = true;
  const {epoch, run, workspace} = view;
  const inSight = view.element.offsetParent !== null && !document.hidden;
  try {
    const news = await view.server.poll({
      workspace,
      ...has(run),
      rival: run?.rival ? has(run.rival) : null,
    });
    if (epoch === view.epoch && news === undefined) throw new Error('no answer');
    view.failures = 0;
    if (epoch === view.epoch) await (news === null ? lost(view) : absorb(view, news, inSight));
  } catch {
    view.failures += 1;
    if (view.failures > 2) say(view, SILENT);
  }
  view.busy = false;
  clearTimeout(view.again);
  view.again = setTimeout(() => tick(view), epoch === view.epoch ? pause(view.run, inSight) : 0);
}

// Milliseconds to the next question; the first update of a run that has just begun is asked for
// often.
function pause(run, inSight) {
  if (!inSight) return 5000;
  if (!isAlive(run)) return 1500;
  return !run.rows.length && ['starting', 'running'].includes(run.state) ? 60 : 230;
}

async function absorb(view, news, inSight) {
  const fresh = !view.run || view.run.id !== news.run;
  const [before, rivalBefore] = fresh ? [] : [view.run.state, view.run.rival?.state];
  if (fresh) {
    begin(view, news);
    await pastRuns(view);
    if (view.run?.id !== news.run) return; // another form was opened meanwhile
  }
  const {run} = view;
  const prepared = !fresh && run.preparing && !news.preparing && news.about;
  if (!fresh) receive(run, news);
  if (prepared) say(view, run.about.note);
  if (!news.rival) run.rival = null;
  else if (run.rival?.id !== news.rival.run && news.rival.about) run.rival = begun(news.rival);
  if (run.rival && run.rival.id === news.rival.run) receive(run.rival, news.rival);
  if (!view.restored && !isExample(view)) view.trigger('restore', {workspace: view.workspace});
  view.restored = true;
  if (view.failures === 0 && view.part('message').textContent.startsWith('The server does not'))
    say(view, '');
  const ends = (was, now) => was !== undefined && was !== 'ended' && now === 'ended';
  if (ends(before, run.state) || ends(rivalBefore, run.rival?.state)) await pastRuns(view);
  if (view.run?.id === news.run) show(view, news, fresh, inSight);
}

// Everything of the run before is forgotten.
function begin(view, news) {
  const {part} = view;
  Object.assign(view, {run: begun(news), follow: true, at: 0});
  receive(view.run, news);
  view.moment.forget();
  view.curves.all();
  part('next').value = '';
  part('rate').value = 0;
  view.lines += 1; // an answer that is on its way is of other labels
  part('told').textContent = part('line').value = '';
  say(view, view.why || news.about.note || '');
  view.why = '';
  part('next-name').textContent =
    news.about.tokens_per_character === 1 ? 'Next character' : 'Next token';
  part('key-heads').hidden = Object.keys(news.about.tasks || {}).length > 0;
  part('why').textContent = news.about.why;
}

async function pastRuns(view) {
  const runs = (await view.server.past({workspace: view.workspace})) || [];
  const {run} = view;
  if (!run) return;
  run.past = runs
    .slice(0, -1)
    .filter(old => old.run !== run.rival?.id)
    .map(old => ({...old, smooth: smoothed(old.curve.map(p => p[1])), name: `run ${old.number}`}));
  drawRuns(view.part, runs);
}

function show(view, news, fresh, inSight) {
  const {element, part, run} = view;
  const mine = run.id + (run.state === 'ended');
  if (news.looks.length && !isExample(view) && view.pickedFor !== mine) {
    view.pickedFor = mine;
    view.trigger('models', {workspace: view.workspace});
  }
  if (fresh) setStarting(view, false);
  if (fresh && view.guessOf !== run.about.unit) forgetGuess(view);
  element.classList.toggle(
    'tr-learning',
    isAlive(run) && !['ready', 'queued', 'paused'].includes(run.state),
  );
  [run.queue, run.viewing] = [news.queue, news.viewing];
  showsRun(news.steers && !isExample(view) ? news.viewing : '');
  const onlySees = !news.steers && !isExample(view); // a link to look, not one to share control
  document.body.classList.toggle('only-sees', onlySees);
  document.body.classList.toggle('following', onlySees && view.workspace === view.followed);
  if (!inSight || view.starting) return;
  if (view.follow) view.at = Math.max(0, run.looks.length - 1);
  numbers(view);
  drawControls(element, part, run);
  drawRace(part, run);
  view.moment.draw(fresh || news.looks.length > 0);
  drawCurves(view);
}

// A guess is of a loss in one unit; a run with another one asks anew.
function forgetGuess(view) {
  view.guess = null;
  view.part('guess').value = '';
  view.guessOf = view.run.about.unit;
}

const numbers = view =>
  drawNumbers(view.part, view.run, {isExample: isExample(view), guess: view.guess});

function drawCurves({run, at, guess, curves, part}) {
  const look = run?.looks[at];
  if (run && run.about)
    curves.draw(run, look ? axis(run).look(look) : null, guess, part('norms').checked);
  part('all').hidden = !curves.isZoomed();
}

function go(view, index) {
  const last = view.run.looks.length - 1;
  view.at = Math.max(0, Math.min(index, last));
  view.follow = view.at === last;
  redraw(view);
}

function redraw(view) {
  view.moment.draw(false);
  drawCurves(view);
}

// --- what people do
function hearForms(view) {
  const {part, server} = view;
  part('scrub').addEventListener('input', e => view.run && go(view, +e.target.value));
  part('next').addEventListener('input', () => view.run && view.moment.chance());
  part('line').addEventListener('input', async e => {
    const mine = ++view.lines;
    const text = e.target.value;
    const {workspace, run} = view;
    const told = text.trim() && run ? await server.classify({workspace, run: run.id, text}) : null;
    if (mine !== view.lines) return;
    const labels = told?.labels?.map(([name, p]) => `${name} ${percent(p)}`) ?? [];
    part('told').textContent = told?.said || labels.join(' · ');
  });
  part('guess').addEventListener('input', e => {
    view.guess = e.target.value === '' ? null : +e.target.value;
    if (!view.run) return;
    numbers(view);
    drawCurves(view);
  });
  let rateTimer = 0;
  part('rate').addEventListener('input', e => {
    clearTimeout(rateTimer);
    rateTimer = setTimeout(async () => {
      if (!isAlive(view.run)) return;
      const value = view.run.planned_peak * 2 ** +e.target.value;
      const reply = await server.command({workspace: view.workspace, command: 'rate', value});
      say(view, reply?.said || '');
    }, 120);
  });
}

function hearCommands(view) {
  const {element, part, server} = view;
  part('slow').addEventListener(
    'click',
    e => e.target.dataset.do === 'recorded' && showExample(view),
  );
  element.querySelector('.tr-top').parentElement.addEventListener('click', async e => {
    const {cmd, n} = e.target.dataset;
    if (!cmd || !view.run) return;
    const reply = await server.command({
      workspace: view.workspace,
      command: cmd,
      value: n ? +n : null,
    });
    say(view, reply === undefined ? 'The server does not answer; press again.' : reply?.said || '');
    tick(view);
  });
  const shown = () => ({
    ...view,
    isExample: isExample(view),
    hasWeights: !isExample(view) || view.form === 'scratch',
  });
  const tools = runTools(server, part('said'), {now: shown, open: view.open, why: view.moment.why});
  element.querySelector('.ts-tools').addEventListener('click', tools);
  part('norms').addEventListener('change', () => drawCurves(view));
  part('all').addEventListener('click', () => {
    view.curves.all();
    drawCurves(view);
  });
  const latest = element.querySelector('[data-do=latest]');
  latest.addEventListener('click', () => view.run && go(view, view.run.looks.length - 1));
}

function hearPage(view) {
  const plot = view.part('plot');
  let width = 0;
  new ResizeObserver(() => {
    const before = width;
    width = plot.clientWidth;
    if (!width || width === before) return;
    drawCurves(view);
    tick(view);
  }).observe(plot);
  onLook(() => {
    view.moment.forget();
    if (view.run) redraw(view);
  });
  document.addEventListener('visibilitychange', () => document.hidden || tick(view));
  addEventListener(FORM, (/** @type {any} */ e) => {
    view.form = e.detail;
    if (isExample(view) && view.workspace !== EXAMPLES[view.form]) showExample(view);
  });
  addEventListener(SAY, (/** @type {any} */ e) => say(view, e.detail));
  addEventListener(FOLLOWED, () => {
    view.followed = followedRun() || null;
    Object.assign(view, {run: null, why: '', epoch: view.epoch + 1});
    attach(view, view.followed || remembered() || EXAMPLES[view.form]);
    tick(view);
  });
  addEventListener(STARTING, () => setStarting(view, true));
  addEventListener(STARTED, () => {
    // its first news end it
    if (!view.starting || (view.wanted && view.wanted !== view.run?.id)) return;
    setStarting(view, false); // refused: show the previous run again
    view.moment.forget();
    tick(view);
  });
}
