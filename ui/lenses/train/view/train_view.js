// Polls a run on the server, draws and steers it. Everything that the model wrote goes into
// the page by textContent. `run` is what has been received of the newest run.
/** @import {Component} from '../../../shared/view/component' */
/** @import {TrainServer} from '../../../shared/view/payloads' */
import {percent, smoothed} from '../../../shared/view/plain.js';
import {SAY, onLook} from '../../../shared/view/page.js';
import {FORM, STARTED, STARTING, forgetWorkspace, remembered, useWorkspace} from '../../../shared/view/workspace.js';
import {axis, nearest} from './curve_lines.js';
import {curvePlot} from './curves.js';
import {momentView} from './moment_view.js';
import {begun, has, receive} from './received.js';
import {drawControls, drawNumbers, drawRace, drawRuns, isAlive} from './run_drawing.js';
import {runTools} from './run_tools.js';

// The recorded run of each form.
const EXAMPLES = {scratch: 'example', tune: 'example-tune', labels: 'example-labels', assistant: 'example-assistant'};
const isExample = id => Object.values(EXAMPLES).includes(id);

/** @param {Component<{workspace: string, run?: string}, TrainServer>} page */
export function start({element, props, server, trigger, watch}) {
  const part = name => element.querySelector('.tr-' + name),
    message = part('message');
  let form = document.body.dataset.form ?? 'scratch'; // which of them is open; a link may have opened one by now
  const curves = curvePlot(part('plot'), part('readout'));
  let workspace = null,
    run = null,
    busy = false,
    again = 0,
    follow = true,
    at = 0,
    failures = 0,
    wanted = null, // id of the run that was started last
    starting = false, // a start is pending; the view still shows the previous run
    guess = null,
    restored = false, // the form of the run that stood here before a reload was asked for
    epoch = 0,
    why = '', // what there is an example instead of
    pickedFor = '';

  // The first update of a run that has just begun is asked for often.
  const awaited = () => !run.rows.length && ['starting', 'running'].includes(run.state);
  const query = new URLSearchParams(location.search);
  const followed = query.get('workspace') ?? query.get('bench'); // the name in links of earlier versions
  function attach(id) {
    workspace = id;
    useWorkspace(isExample(id) ? null : id, id !== followed);
    document.body.classList.toggle('following', id === followed);
  }
  function take() {
    const value = props.value ? JSON.parse(props.value) : null;
    wanted = value?.run ?? null;
    if (value?.workspace) attach(value.workspace);
    else if (!workspace) attach(followed || remembered() || EXAMPLES[form]);
    tick();
  }
  async function tick() {
    if (busy) return;
    busy = true;
    const mine = epoch;
    const inSight = element.offsetParent !== null && !document.hidden;
    try {
      const news = await server.poll({workspace, ...has(run), rival: run?.rival ? has(run.rival) : null});
      if (mine === epoch && news === undefined) throw new Error('no answer');
      failures = 0;
      if (mine === epoch) await (news === null ? lost() : absorb(news, inSight));
    } catch {
      failures += 1;
      if (failures > 2)
        say('The server does not answer; trying again every second. If it is still running, so is the run.');
    }
    busy = false;
    clearTimeout(again);
    const calm = !inSight ? 5000 : !isAlive(run) ? 1500 : awaited() ? 60 : 230;
    again = setTimeout(tick, mine === epoch ? calm : 0);
  }
  // Marks the old numbers, sample and curves as stale at once.
  function setStarting(on) {
    starting = on;
    element.classList.toggle('tr-starting', on);
    if (!on) return;
    part('title').textContent = 'Starting…';
    for (const name of ['text', 'rival-text', 'at', 'verdict', 'why']) part(name).textContent = '';
    part('race').hidden = true;
    say('');
  }
  function lost() {
    if (isExample(workspace)) return;
    forgetWorkspace();
    why =
      'The run that was here is gone: it was idle too long, or the server restarted. Below is the recorded example.';
    run = null;
    attach(EXAMPLES[form]);
  }
  function showExample() {
    attach(EXAMPLES[form]);
    run = null;
    epoch += 1;
    tick();
  }
  function say(text) {
    message.textContent = text;
    message.hidden = !text;
  }
  async function absorb(news, inSight) {
    const before = run && run.state,
      fresh = !run || run.id !== news.run;
    if (fresh) {
      run = begun(news);
      receive(run, news);
      [follow, at] = [true, 0];
      moment.forget();
      curves.all();
      part('next').value = '';
      part('rate').value = 0;
      lines += 1; // an answer that is on its way is of other labels
      part('told').textContent = part('line').value = '';
      say(why || news.about.note || '');
      why = '';
      part('next-name').textContent = news.about.tokens_per_character === 1 ? 'Next character' : 'Next token';
      part('key-heads').hidden = Object.keys(news.about.tasks || {}).length > 0;
      part('why').textContent = news.about.why;
      await pastRuns();
      if (run?.id !== news.run) return; // another form was opened meanwhile
    }
    const prepared = !fresh && run.preparing && !news.preparing && news.about;
    if (!fresh) receive(run, news);
    if (prepared) say(run.about.note);
    const rivalBefore = run.rival?.state;
    if (!news.rival) run.rival = null;
    else if (run.rival?.id !== news.rival.run && news.rival.about) run.rival = begun(news.rival);
    if (run.rival && run.rival.id === news.rival.run) receive(run.rival, news.rival);
    if (!restored && !isExample(workspace)) trigger('restore', {workspace});
    restored = true;
    if (failures === 0 && message.textContent.startsWith('The server does not')) say('');
    const ended = before !== 'ended' && run.state === 'ended';
    const rivalEnded = rivalBefore !== undefined && rivalBefore !== 'ended' && run.rival?.state === 'ended';
    if (!fresh && (ended || rivalEnded)) await pastRuns();
    if (run?.id !== news.run) return;
    const mine = run.id + (run.state === 'ended');
    if (news.looks.length && !isExample(workspace) && pickedFor !== mine) {
      pickedFor = mine;
      trigger('models', {workspace});
    }
    if (fresh) setStarting(false);
    element.classList.toggle('tr-learning', isAlive(run) && !['ready', 'queued', 'paused'].includes(run.state));
    [run.queue, run.viewing] = [news.queue, news.viewing];
    document.body.classList.toggle('only-sees', !news.steers && !isExample(workspace));
    if (!inSight || starting) return;
    if (follow) at = Math.max(0, run.looks.length - 1);
    numbers();
    drawControls(element, part, run);
    drawRace(part, run);
    moment.draw(fresh || news.looks.length > 0);
    draw();
  }
  async function pastRuns() {
    const runs = (await server.past({workspace})) || [];
    if (!run) return;
    run.past = runs
      .slice(0, -1)
      .filter(old => old.run !== run.rival?.id)
      .map((old, i) => ({...old, smooth: smoothed(old.curve.map(p => p[1])), name: `run ${i + 1}`}));
    drawRuns(part, runs);
  }
  const numbers = () => drawNumbers(part, run, {isExample: isExample(workspace), guess});
  const open = tab => trigger('open', {workspace, run: run.id, tab});
  const moment = momentView(element, server, () => ({workspace, run, at}), open);
  function draw() {
    const look = run?.looks[at];
    if (run && run.about) curves.draw(run, look ? axis(run).look(look) : null, guess, part('norms').checked);
    part('all').hidden = !curves.isZoomed();
  }
  curves.wire(x => {
    if (run && run.looks.length) go(run.looks.indexOf(nearest(run.looks, axis(run).look, x)));
  }, draw);
  function go(index) {
    at = Math.max(0, Math.min(index, run.looks.length - 1));
    follow = at === run.looks.length - 1;
    redraw();
  }
  function redraw() {
    moment.draw(false);
    draw();
  }
  // --- what people do
  part('scrub').addEventListener('input', e => run && go(+e.target.value));
  part('next').addEventListener('input', () => run && moment.chance());
  let lines = 0; // number of the newest line that was tried
  part('line').addEventListener('input', async e => {
    const mine = ++lines;
    const text = e.target.value;
    const told = text.trim() && run ? await server.classify({workspace, run: run.id, text}) : null;
    if (mine !== lines) return;
    const labels = told?.labels?.map(([name, p]) => `${name} ${percent(p)}`) ?? [];
    part('told').textContent = told?.said || labels.join(' · ');
  });
  part('guess').addEventListener('input', e => {
    guess = e.target.value === '' ? null : +e.target.value;
    if (run) {
      numbers();
      draw();
    }
  });
  let rateTimer = 0;
  part('rate').addEventListener('input', e => {
    clearTimeout(rateTimer);
    rateTimer = setTimeout(async () => {
      if (!isAlive(run)) return;
      const value = run.planned_peak * 2 ** +e.target.value;
      const reply = await server.command({workspace, command: 'rate', value});
      say(reply?.said || '');
    }, 120);
  });
  part('slow').addEventListener('click', e => e.target.dataset.do === 'recorded' && showExample());
  element.querySelector('.tr-top').parentElement.addEventListener('click', async e => {
    const {cmd, n} = e.target.dataset;
    if (!cmd || !run) return;
    const reply = await server.command({workspace, command: cmd, value: n ? +n : null});
    say(reply === undefined ? 'The server does not answer; press again.' : reply?.said || '');
    tick();
  });
  const hasWeights = () => !isExample(workspace) || form === 'scratch';
  const shown = () => ({workspace, run, isExample: isExample(workspace), hasWeights: hasWeights()});
  const tools = runTools(server, part('said'), {now: shown, open, why: moment.why});
  element.querySelector('.ts-tools').addEventListener('click', tools);
  part('norms').addEventListener('change', draw);
  part('all').addEventListener('click', () => {
    curves.all();
    draw();
  });
  element.querySelector('[data-do=latest]').addEventListener('click', () => run && go(run.looks.length - 1));
  const plotBox = part('plot');
  let width = 0;
  new ResizeObserver(() => {
    const before = width;
    width = plotBox.clientWidth;
    if (!width || width === before) return;
    draw();
    tick();
  }).observe(plotBox);
  onLook(() => {
    moment.forget();
    if (run) redraw();
  });
  document.addEventListener('visibilitychange', () => document.hidden || tick());
  addEventListener(FORM, e => {
    form = e.detail;
    if (isExample(workspace) && workspace !== EXAMPLES[form]) showExample();
  });
  addEventListener(SAY, e => say(e.detail));
  addEventListener(STARTING, () => setStarting(true));
  addEventListener(STARTED, () => {
    if (!starting || (wanted && wanted !== run?.id)) return; // its first news end it
    setStarting(false); // refused: show the previous run again
    moment.forget();
    tick();
  });
  watch('value', take);
  take();
  return () => {
    epoch += 1;
    run = null;
    tick();
  };
}
