// Polls a run on the server, draws and steers it. Everything that the model wrote goes into
// the page by textContent. `run` is what has been received of the newest run.
/** @import {Component} from '../component' */
/** @import {TrainServer} from '../payloads' */
import {counted, csvText, percent, smoothed, visible} from '../shared/plain.js';
import {inflate} from '../shared/coding.js';
import {SAY, add, copyText, isDark, linkFor, onLook, saveMade, saveText, shareLink, showCode} from '../shared/page.js';
import {formedDrawing} from '../shared/formed.js';
import {goTo} from '../shared/places.js';
import {chooseHead, chosenHead, setSentence} from '../shared/sentence.js';
import {machinePicture} from '../start/machine.js';
import {FORM, STARTED, STARTING, useBench} from './bench.js';
import {axis, curvePlot, nearest} from './curves.js';
import {learned} from './learned.js';
import {beginning, drawMaps, drawSpark, writeSample} from './moment.js';
import {begun, differences, has, queued, receive} from './received.js';

const MAIN_FIGURES = [0, 2, 4, 7]; // of all, those that are large: updates, held-out loss, bits, time left

/** @param {Component<{bench: string, run?: string}, TrainServer>} page */
export function start({element, props, server, trigger, watch, pace}) {
  const part = name => element.querySelector('.tr-' + name),
    said = part('said'),
    message = part('message');
  const STORED = 'gptlens-bench',
    EXAMPLES = {
      scratch: 'example',
      tune: 'example-tune',
      labels: 'example-labels',
      assistant: 'example-assistant',
    },
    isExample = id => Object.values(EXAMPLES).includes(id);
  let form = document.body.dataset.form ?? 'scratch'; // which of them is open; a link may have opened one by now
  const curves = curvePlot(part('plot'), part('readout'));
  let bench = null,
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
    drawnHeads = '',
    pickedFor = '';

  const nats = value => (value === null || value === undefined ? '–' : value.toFixed(3));
  const clock = s =>
    s === null || s === undefined
      ? '–'
      : s >= 90
        ? `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`
        : `${s.toFixed(s < 10 ? 1 : 0)} s`;
  const alive = () => run && (run.state !== 'ended' || (run.rival && run.rival.state !== 'ended'));
  const remembered = () => {
    try {
      return localStorage.getItem(STORED);
    } catch {
      return null;
    }
  };
  const followed = new URLSearchParams(location.search).get('bench');
  function attach(id) {
    bench = id;
    useBench(isExample(id) ? null : id);
    document.body.classList.toggle('following', id === followed);
    if (!isExample(id) && id !== followed)
      try {
        localStorage.setItem(STORED, id);
      } catch {
        /* private windows */
      }
  }
  function take() {
    const value = props.value ? JSON.parse(props.value) : null;
    wanted = value?.run ?? null;
    if (value && value.bench) attach(value.bench);
    else if (!bench) attach(followed || remembered() || EXAMPLES[form]);
    tick();
  }
  function schedule(ms) {
    clearTimeout(again);
    again = setTimeout(tick, ms / pace());
  }
  async function tick() {
    if (busy) return;
    busy = true;
    const mine = epoch;
    const inSight = element.offsetParent !== null && !document.hidden;
    try {
      const news = await server.poll({bench, ...has(run), rival: run?.rival ? has(run.rival) : null});
      if (mine === epoch && news === undefined) throw new Error('no answer');
      failures = 0;
      if (mine === epoch) {
        if (news === null) lost();
        else await absorb(news, inSight);
      }
    } catch {
      failures += 1;
      if (failures > 2)
        say('The server does not answer; trying again every second. If it is still running, so is the run.');
    }
    busy = false;
    schedule(mine !== epoch ? 0 : !inSight ? 5000 : alive() ? 230 : 1500);
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
    if (isExample(bench)) return;
    try {
      localStorage.removeItem(STORED);
    } catch {
      /* private windows */
    }
    say('The run that was here is gone: it was idle too long, or the server restarted. Below is the recorded example.');
    run = null;
    attach(EXAMPLES[form]);
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
      [follow, at, drawnHeads] = [true, 0, ''];
      curves.all();
      part('next').value = '';
      part('rate').value = 0;
      say(news.about.note || '');
      part('next-name').textContent = news.about.settings.tokenizer === 'char' ? 'Next character' : 'Next token';
      part('key-heads').hidden = Object.keys(news.about.tasks || {}).length > 0;
      part('why').textContent = news.about.why
        ? `Broken on purpose, ${news.about.settings.broken}: ${news.about.why}`
        : '';
      await pastRuns();
      if (run?.id !== news.run) return; // another form was opened meanwhile
    }
    if (!fresh) receive(run, news);
    const rivalBefore = run.rival?.state;
    if (!news.rival) run.rival = null;
    else if (run.rival?.id === news.rival.run) receive(run.rival, news.rival);
    else if (news.rival.about) {
      run.rival = begun(news.rival);
      receive(run.rival, news.rival);
    }
    if (!restored) {
      restored = true;
      if (!isExample(bench)) trigger('restore', {bench});
    }
    if (failures === 0 && message.textContent.startsWith('The server does not')) say('');
    const ended = before !== 'ended' && run.state === 'ended';
    const rivalEnded = rivalBefore !== undefined && rivalBefore !== 'ended' && run.rival?.state === 'ended';
    if (!fresh && (ended || rivalEnded)) await pastRuns();
    if (run?.id !== news.run) return;
    if (news.looks.length && !isExample(bench) && pickedFor !== run.id + (run.state === 'ended')) {
      pickedFor = run.id + (run.state === 'ended');
      trigger('models', {bench});
    }
    if (fresh) setStarting(false);
    element.classList.toggle('tr-learning', alive() && !['ready', 'queued', 'paused'].includes(run.state));
    [run.queue, run.viewing] = [news.queue, news.viewing];
    document.body.classList.toggle('only-sees', !news.steers && !isExample(bench));
    if (!inSight || starting) return;
    if (follow) at = Math.max(0, run.looks.length - 1);
    numbers();
    controls();
    race();
    moment(fresh || news.looks.length > 0);
    draw();
  }
  // --- a race: the same from the same seed on the same batches, but for one thing
  function race() {
    const line = part('race'),
      rival = run.rival;
    for (const name of ['race', 'key-race']) part(name).hidden = !rival;
    for (const name of ['rival', 'mine']) part(name).hidden = !rival && !run?.about.tuned;
    part('key-one').hidden = Boolean(rival);
    if (!rival) return;
    const [mine, theirs] = differences(run.about.settings, rival.about.settings);
    part('mine').textContent = part('key-mine').textContent = mine;
    part('rival-name').textContent = part('key-rival').textContent = theirs;
    const [a, b] = [run, rival].map(one => one.final ?? one.looks.at(-1)?.valid ?? null);
    const gap = a === null || b === null ? null : b - a;
    const ahead = gap === null ? '' : `${gap >= 0 ? mine : theirs} leads by ${Math.abs(gap).toFixed(3)}.`;
    line.textContent =
      `Race, half of the processor each · held out: ${mine} ${nats(a)} after ${counted(run.step, 'update')}, ` +
      `${theirs} ${nats(b)} after ${counted(rival.step, 'update')}. ${ahead}`;
  }
  async function pastRuns() {
    const found = (await server.past({bench}).catch(() => null)) || [];
    if (!run) return;
    run.past = found
      .slice(0, -1)
      .filter(old => old.run !== run.rival?.id)
      .map((old, i) => ({...old, smooth: smoothed(old.curve.map(p => p[1])), name: `run ${i + 1}`}));
    const body = part('runs').querySelector('tbody');
    body.textContent = '';
    found.forEach((old, i) => {
      const row = add(body, 'tr', i === found.length - 1 ? 'tr-now' : '');
      const changed = i === 0 ? 'the first' : old.changed.join(', ') || 'nothing';
      const ofText = old.valid !== null && old.tokens_per_character !== null;
      for (const cell of [
        i + 1,
        old.title,
        changed,
        old.steps.toLocaleString('en'),
        old.seconds.toFixed(1),
        nats(old.valid),
        ofText ? Math.exp(old.valid).toFixed(2) : '–',
        !ofText ? '–' : ((old.valid / Math.LN2) * old.tokens_per_character).toFixed(3),
      ])
        add(row, 'td', '', String(cell));
    });
  }
  const smooth = () => (run.rows.length ? smoothed(run.rows.map(row => row[1])).at(-1) : null);
  function numbers() {
    const look = run.looks.at(-1),
      valid = run.final ?? look?.valid ?? null,
      states = {
        ready: 'Ready: press Resume, or Step',
        queued: run.queue ? queued(run.queue) : 'Waiting in the queue',
        starting: 'Starting…',
        running: 'Learning',
        paused: 'Paused',
        ending: 'Ending',
        ended: isExample(bench) ? 'Recorded example' : 'Ended',
      };
    part('title').textContent =
      `${states[run.state]} · ${run.about.title} · ${run.about.parameters.toLocaleString('en')} parameters` +
      (run.reason && !isExample(bench) ? ` · ${run.reason}` : '') +
      (run.busy === null
        ? ''
        : ` · This machine is busy: the run gets ${Math.round(100 * run.busy)}% of its processor.`);
    part('slow').hidden = !run.slow;
    if (run.slow)
      part('slow').firstChild.textContent =
        `This machine is slow or busy: ${run.slow.seconds} s will make about ${counted(run.slow.updates, 'update')}, ` +
        'too few for words.';
    const accuracy = run.final_accuracy ?? look?.accuracy ?? null,
      ofLabels = run.about.kind === 'labels';
    part('try').hidden = !ofLabels || run.state !== 'ended';
    part('verdict').textContent = run.verdict || learned(run.about.lines, valid, smooth());
    const per = run.about.tokens_per_character,
      heldOut =
        {repeated: 'on what repeats', instructions: 'held-out answers', preferences: 'better answers'}[
          run.about.kind
        ] ?? 'held out';
    const tiles = [
      ['update', run.step.toLocaleString('en')],
      ['training loss', nats(smooth())],
      [
        heldOut + (run.final !== null ? ', all of it' : look ? `, update ${look.step.toLocaleString('en')}` : ''),
        nats(valid),
      ],
      ofLabels
        ? ['accuracy', accuracy === null ? '–' : percent(accuracy)]
        : ['perplexity', valid === null ? '–' : Math.exp(valid).toFixed(2)],
      ofLabels
        ? ['words alone', run.about.words_right === null ? '–' : percent(run.about.words_right)]
        : ['bits per character', valid === null ? '–' : ((valid / Math.LN2) * per).toFixed(3)],
      [isExample(bench) ? 'tokens a second, recorded' : 'tokens a second', Math.round(run.rate).toLocaleString('en')],
      ['elapsed', clock(run.elapsed)],
      ['left', run.state === 'ended' ? '–' : clock(run.left)],
    ];
    const box = part('numbers');
    if (box.children.length !== tiles.length) {
      box.textContent = '';
      for (const [i, [name]] of tiles.entries()) {
        const tile = add(box, 'div', MAIN_FIGURES.includes(i) ? 'tr-tile' : 'tr-tile tr-small');
        add(tile, 'b');
        add(tile, 'span', '', name);
      }
    }
    tiles.forEach(([name, value], i) => {
      box.children[i].firstChild.textContent = value;
      box.children[i].lastChild.textContent = name;
    });
    const now = part('runs').querySelector('.tr-now');
    if (now)
      [
        [3, run.step.toLocaleString('en')],
        [4, run.elapsed.toFixed(1)],
        [5, nats(valid)],
        [6, ofLabels ? '–' : tiles[3][1]],
        [7, ofLabels ? '–' : tiles[4][1]],
      ].forEach(([i, text]) => {
        now.children[i].textContent = text;
      });
    const guessed = part('guessed');
    guessed.textContent =
      guess === null
        ? ''
        : run.state === 'ended' && valid !== null
          ? `You guessed ${guess}; it ended at ${valid.toFixed(2)}, ` +
            `${Math.abs(valid - guess).toFixed(2)} ${valid > guess ? 'higher' : 'lower'}.`
          : 'Drawn as a line.';
  }
  function controls() {
    const pause = element.querySelector('[data-cmd=pause],[data-cmd=resume]'),
      held = run.state === 'paused' || run.state === 'ready';
    pause.dataset.cmd = held ? 'resume' : 'pause';
    pause.textContent = held ? 'Resume' : 'Pause';
    element.querySelector('[data-cmd=again]').hidden = !run.again;
    for (const button of element.querySelectorAll('[data-cmd]:not([data-cmd=again])'))
      button.disabled =
        !alive() || run.state === 'ending' || (button.dataset.cmd === 'step' && run.state === 'running');
    const rate = part('rate');
    rate.disabled = !alive();
    if (document.activeElement !== rate) rate.value = Math.log2(run.peak / run.planned_peak);
    part('rate-said').textContent = `peak ${run.peak.toPrecision(2)}`;
  }
  // --- one moment of the run: a sample, a probability, the heads
  function moment(changed) {
    const scrub = part('scrub'),
      look = run.looks[at];
    scrub.max = Math.max(0, run.looks.length - 1);
    scrub.value = at;
    scrub.setAttribute('aria-valuetext', look ? `after ${look.step} updates` : '');
    if (!look) {
      part('at').textContent = 'The first snapshot is taken before the first update.';
      part('text').textContent = '';
      return;
    }
    part('at').textContent =
      `after ${look.step.toLocaleString('en')} updates, ${look.elapsed.toFixed(1)} s` +
      (look.valid === null ? '' : `, loss ${look.valid.toFixed(2)}`) +
      (look.step ? '' : run.about.tuned ? ': before this training' : ': untrained') +
      (at === run.looks.length - 1 && run.next_look !== null && run.state === 'running'
        ? ` · next snapshot at ${run.next_look.toFixed(0)} s`
        : '');
    writeSample(part('text'), run.about.prompt, look);
    if (run.rival) rivalSample(look.elapsed);
    else if (run.about.tuned) sampleBefore();
    if (changed) {
      chance();
    }
    headMaps(look);
  }
  let chancePoints = [],
    chanceAsked = 0;
  async function chance() {
    const asked = ++chanceAsked,
      found = await server.chances({bench, run: run.id, token: part('next').value}).catch(() => null);
    if (!found || asked !== chanceAsked) return;
    part('next').placeholder = visible(found.token ?? '');
    chancePoints = found.points || [];
    part('chance').dataset.token = found.token ?? '';
    if (found.said) part('chance').textContent = found.said;
    spark();
  }
  function spark() {
    const now = drawSpark(part('spark'), element, chancePoints, at);
    if (now) part('chance').textContent = `“${visible(part('chance').dataset.token)}” ${percent(now[1])}`;
  }
  async function headMaps(look) {
    spark();
    const shown = run,
      key = run.id + look.step;
    if (drawnHeads === key) return;
    drawnHeads = key;
    const found = await server.heads({bench, run: run.id, look: at}).catch(() => null);
    const values = found && new Uint8Array(await inflate(found.maps));
    if (!found || drawnHeads !== key || run !== shown) return; // another run, or none, is shown by now
    part('heads-title').textContent =
      `Where its heads look on “${visible(run.about.tokens.slice(0, 10).join(''))}…”: ` +
      'rows read, columns are looked at';
    drawMaps(part('heads'), values, found.T, run.about, look);
    drawMachine(found.machine);
    drawFormed();
  }
  // What its parts write for what truly comes next, at every snapshot so far; a run on labels has none.
  const formed = formedDrawing(element.querySelector('.tr-formed .fm-drawing'));
  async function drawFormed() {
    const shown = run,
      key = drawnHeads,
      found = await server.formed({bench, run: run.id}).catch(() => null);
    if (run !== shown || drawnHeads !== key) return;
    part('formed').hidden = !found;
    if (!found) return;
    element.querySelector('.tr-formed .conclusion').textContent = found.said;
    formed.draw(found, found.steps.indexOf(run.looks[at]?.step));
  }
  // Why its sample goes on as it does, behind the first words of it.
  function why() {
    const look = run.looks[at];
    if (!look || (isExample(bench) && form !== 'scratch')) {
      said.textContent = 'There is no model to ask yet. Start a run of your own.';
      return;
    }
    setSentence(beginning(run.about.prompt + look.text));
    trigger('open', {bench, run: run.id, tab: 'attention'});
    goTo(new URLSearchParams({tab: 'attention', view: 'Why this word?'}));
  }
  // The picture of Start, of the run's model as it was; a recorded run has none.
  const picture = machinePicture(element.querySelector('.mc-box'), element.querySelector('.mc-said'), {
    go: way => {
      trigger('open', {bench, run: run.id, tab: way.tab});
      goTo(new URLSearchParams(way));
    },
    look: () => {},
    choose: head => chooseHead(head),
    next: null,
  });
  function drawMachine(machine) {
    part('machine').hidden = !machine;
    if (!machine) return;
    part('machine-said').textContent = machine.said;
    const tokens = machine.ids.map((id, i) => ({id, label: run.about.tokens[i]}));
    picture.draw({machine, tokens, first: 0}, chosenHead());
  }
  function draw() {
    const look = run?.looks[at];
    if (run && run.about) curves.draw(run, look ? axis(run).look(look) : null, guess);
    part('all').hidden = !curves.zoomed;
  }
  curves.wire(x => {
    if (run && run.looks.length) go(run.looks.indexOf(nearest(run.looks, axis(run).look, x)));
  }, draw);
  function go(index) {
    at = Math.max(0, Math.min(index, run.looks.length - 1));
    follow = at === run.looks.length - 1;
    moment(false);
    draw();
  }
  // What a model wrote before it was trained further stands beside what it writes now.
  function sampleBefore() {
    part('mine').textContent = 'Now';
    part('rival-name').textContent = 'Before this training';
    writeSample(part('rival-text'), run.about.prompt, run.looks[0]);
  }
  // The rival's sample of the same second.
  function rivalSample(seconds) {
    const looks = run.rival.looks;
    const look = looks.reduce((best, one) => (one.elapsed <= seconds + 0.5 ? one : best), looks[0]);
    writeSample(part('rival-text'), run.rival.about.prompt, look);
  }
  // --- what people do
  part('scrub').addEventListener('input', e => run && go(+e.target.value));
  part('next').addEventListener('input', () => run && chance());
  part('line').addEventListener('input', async e => {
    const told =
      e.target.value.trim() && run
        ? await server.tell({bench, run: run.id, text: e.target.value}).catch(() => null)
        : null;
    part('told').textContent = told
      ? told.said || told.labels.map(([name, p]) => `${name} ${percent(p)}`).join(' · ')
      : '';
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
      if (!alive()) return;
      const reply = await server
        .command({bench, command: 'rate', value: run.planned_peak * 2 ** +e.target.value})
        .catch(() => null);
      say(reply?.said || '');
    }, 120);
  });
  part('slow').addEventListener('click', e => {
    if (e.target.dataset.do !== 'recorded') return;
    attach(EXAMPLES[form]);
    run = null;
    epoch += 1;
    tick();
  });
  element.querySelector('.tr-top').parentElement.addEventListener('click', async e => {
    const {cmd, n} = e.target.dataset;
    if (!cmd || !run) return;
    const reply = await server.command({bench, command: cmd, value: n ? +n : null}).catch(() => undefined);
    say(reply === undefined ? 'The server does not answer; press again.' : reply?.said || '');
    tick();
  });
  element.querySelector('.ts-tools').addEventListener('click', async e => {
    const {open, do: what} = e.target.dataset;
    if (!run) return;
    if (open && isExample(bench) && form !== 'scratch')
      said.textContent = 'The weights of this recorded run are not kept. Start one of your own, and open that.';
    else if (open) trigger('open', {bench, run: run.id, tab: open});
    else if (what === 'why') why();
    else if (what === 'csv')
      saveText(
        'run.csv',
        'text/csv',
        csvText([['update', 'loss_nats', 'learning_rate', 'gradient_norm', 'seconds'], ...run.rows]),
      );
    else if (what === 'json') saveMade(said, 'run.json', () => server.recording({bench, run: run.id}));
    else if (what === 'link') {
      const run_link = {tab: 'train', ...(isExample(bench) ? {} : {bench: run.viewing})};
      const link = linkFor(run_link);
      said.textContent = (await copyText(link)) ? 'The link is on the clipboard.' : '';
      showCode(link, await server.phone({link}).catch(() => null));
    } else if (what === 'control') {
      const run_link = {tab: 'train', ...(isExample(bench) ? {} : {bench})};
      said.textContent = await shareLink(run_link, 'Anyone with this link can control the run.');
    } else if (what === 'png' || what === 'svg')
      saveMade(said, `training.${what}`, () => server.slide({bench, run: run.id, format: what, dark: isDark()}));
  });
  part('norms').addEventListener('change', e => {
    curves.withNorms(e.target.checked);
    draw();
  });
  part('all').addEventListener('click', () => {
    curves.all();
    draw();
  });
  element.querySelector('[data-do=latest]').addEventListener('click', () => run && go(run.looks.length - 1));
  const plotBox = part('plot');
  let width = 0;
  new ResizeObserver(() => {
    if (plotBox.clientWidth && plotBox.clientWidth !== width) {
      width = plotBox.clientWidth;
      draw();
      tick();
    }
  }).observe(plotBox);
  onLook(() => {
    drawnHeads = '';
    if (run) {
      moment(false);
      draw();
    }
  });
  document.addEventListener('visibilitychange', () => document.hidden || tick());
  addEventListener(FORM, e => {
    form = e.detail;
    if (!isExample(bench) || bench === EXAMPLES[form]) return;
    attach(EXAMPLES[form]);
    run = null;
    epoch += 1;
    tick();
  });
  addEventListener(SAY, e => say(e.detail));
  addEventListener(STARTING, () => setStarting(true));
  addEventListener(STARTED, () => {
    if (!starting || (wanted && wanted !== run?.id)) return; // its first news end it
    setStarting(false); // refused: show the previous run again
    drawnHeads = '';
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
