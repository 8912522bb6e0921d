// One snapshot of a run: its sample, a token's probability, the heads. Everything that the model
// wrote goes into the page by textContent.
/** @import {TrainServer} from '../../../shared/view/payloads' */
import {headTag, percent, visible} from '../../../shared/view/plain.js';
import {inflate} from '../../../shared/view/coding.js';
import {add} from '../../../shared/view/dom.js';
import {isDark} from '../../../shared/view/look.js';
import {goTo} from '../../../shared/view/places.js';
import {painted} from '../../../shared/view/scales.js';
import {setSentence} from '../../../shared/view/store.js';
import {lookSaid} from './figures.js';

// A sample behind its prompt; nothing without a look.
function writeSample(box, prompt, look) {
  box.textContent = '';
  if (!look) return;
  add(box, 'span', 'tr-prompt u-muted', prompt);
  add(box, 'span', '', look.text);
}

// A small line of [update, chance] points with a dot at one of them, which is returned; undefined
// without points.
function drawSpark(canvas, element, points, at) {
  const pen = canvas.getContext('2d'),
    style = getComputedStyle(element),
    {width, height} = canvas;
  pen.clearRect(0, 0, width, height);
  if (!points.length) return undefined;
  const now = points[Math.min(at, points.length - 1)],
    last = Math.max(1, points.at(-1)[0]),
    place = ([step, p]) => [4 + (step / last) * (width - 8), height - 4 - p * (height - 8)];
  pen.strokeStyle = style.getPropertyValue('--border-color-primary');
  pen.strokeRect(0.5, 0.5, width - 1, height - 1);
  const accent = style.getPropertyValue('--lens-accent');
  Object.assign(pen, {strokeStyle: accent, fillStyle: accent, lineWidth: 3});
  pen.beginPath();
  points.forEach((point, i) => pen[i ? 'lineTo' : 'moveTo'](...place(point)));
  pen.stroke();
  pen.beginPath();
  pen.arc(...place(now), 5, 0, 7);
  pen.fill();
  return now;
}

// Where every head looks, and what it does where that is clear. values: bytes [L][H][T][T], 255 for
// all attention.
function drawMaps(box, values, T, {L, H}, look) {
  box.style.gridTemplateColumns = `repeat(${Math.min(H, 8)}, minmax(0, 1fr))`;
  box.textContent = '';
  for (let i = 0; i < L * H; i++) {
    const cell = add(box, 'figure'),
      l = Math.floor(i / H),
      h = i % H,
      named = role(look.induction?.[l]?.[h] ?? 0, look.previous?.[l]?.[h] ?? 0);
    const shares = Array.from(values.subarray(i * T * T, (i + 1) * T * T), byte => byte / 255);
    const map = painted(shares, T, 'share', 1, isDark());
    map.setAttribute('role', 'img');
    map.setAttribute('aria-label', `Where layer ${l}, head ${h} looks${named && `:${named}`}`);
    cell.append(map);
    add(cell, 'figcaption', '', `${headTag(l, h)}${named}`);
    cell.classList.toggle('tr-found', Boolean(named));
  }
}

function role(induction, previous) {
  if (Math.max(induction, previous) < 0.4) return '';
  return induction > previous
    ? ` induction ${induction.toFixed(2)}`
    : ` token before ${previous.toFixed(2)}`;
}

// The first words of a text, whole ones, of at most so many characters.
function beginning(text, most = 60) {
  if (text.length <= most) return text.trimEnd();
  const end = text.slice(0, most + 1).lastIndexOf(' ');
  return text.slice(0, end > 0 ? end : most).trimEnd();
}

// state: {workspace, run, at}, as they are now. open(tab): opens the run's model there.
/**
 * @param {any} element
 * @param {TrainServer} server
 */
export function momentView(element, server, state, open) {
  const part = name => element.querySelector('.tr-' + name);
  let points = [],
    latest = 0,
    drawn = ''; // the snapshot whose heads are on the page

  // changed: whether there are new snapshots.
  function draw(changed) {
    const {run, at} = state(),
      scrub = part('scrub'),
      look = run.looks[at];
    scrub.max = Math.max(0, run.looks.length - 1);
    scrub.value = at;
    scrub.setAttribute('aria-valuetext', look ? `after ${look.step} updates` : '');
    part('at').textContent = lookSaid(run, at);
    element.classList.toggle('tr-unseen', !look); // what stands there is another run's
    if (!look) {
      part('text').textContent = '';
      return;
    }
    writeSample(part('text'), run.about.prompt, look);
    if (run.rival || run.about.tuned) sampleBeside(run, look);
    if (changed) chance();
    heads(look);
  }

  async function chance() {
    const {workspace, run} = state(),
      mine = ++latest,
      curve = await server.token_probabilities({workspace, run: run.id, text: part('next').value});
    if (!curve || mine !== latest) return;
    part('next').placeholder = visible(curve.token ?? '');
    points = curve.points;
    part('chance').dataset.token = curve.token ?? '';
    if (curve.said) part('chance').textContent = curve.said;
    spark();
  }
  function spark() {
    const now = drawSpark(part('spark'), element, points, state().at);
    if (now)
      part('chance').textContent = `“${visible(part('chance').dataset.token)}” ${percent(now[1])}`;
  }

  async function heads(look) {
    spark();
    const {workspace, run, at} = state(),
      key = run.id + look.step;
    if (drawn === key) return;
    drawn = key;
    const reading = await server.heads({workspace, run: run.id, look: at});
    const values = reading && new Uint8Array(await inflate(reading.maps));
    // another run, or none, is shown by now
    if (!reading || drawn !== key || state().run !== run) return;
    part('heads-title').textContent =
      `Where its heads look on “${visible(run.about.tokens.slice(0, 10).join(''))}…”: ` +
      'each row is a token looking back at the columns';
    drawMaps(part('heads'), values, reading.T, run.about, look);
  }

  // Beside what it writes now: what its rival wrote at that second, or the model before it was
  // trained further.
  function sampleBeside({rival, about, looks}, {elapsed}) {
    if (!rival) part('mine').textContent = 'Now';
    if (!rival) part('rival-name').textContent = 'Before this training';
    const theirs = rival?.looks.reduce(
      (best, one) => (one.elapsed <= elapsed + 0.5 ? one : best),
      rival.looks[0],
    );
    writeSample(part('rival-text'), (rival ?? {about}).about.prompt, rival ? theirs : looks[0]);
  }

  return {
    draw,
    chance,
    forget: () => (drawn = ''), // draws the heads anew, also of the same snapshot
    // Why its sample goes on as it does, behind the first words of it; false where there is no
    // sample.
    why() {
      const {run, at} = state();
      if (!run.looks[at]) return false;
      setSentence(beginning(run.about.prompt + run.looks[at].text));
      open('attention');
      goTo(new URLSearchParams({tab: 'attention', view: 'Why this word?'}));
      return true;
    },
  };
}
