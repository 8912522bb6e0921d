// --- the map as lines between the tokens in the text
function lines() {
  const box = part('lines');
  if (!box || !value || !shown) return;
  const n = value.tokens.length;
  if (box.dataset.of !== value.key || box.querySelectorAll('.at-word').length !== n) {
    box.textContent = '';
    box.dataset.of = value.key;
    value.tokens.forEach((text, place) => {
      const word = add(box, 'button', 'at-word', visible(text));
      word.type = 'button';
      word.dataset.place = place;
      if (text.includes('\n')) add(box, 'br');
    });
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('aria-hidden', 'true');
    box.prepend(svg);
  }
  const svg = box.querySelector('svg'), words = [...box.querySelectorAll('.at-word')];
  const query = box.dataset.hover ? +box.dataset.hover : cell ? cell[0] : null;
  svg.textContent = '';
  const weightAt = (q, k) => { const w = shown[q * n + k]; return Number.isNaN(w) ? 0 : w; };
  words.forEach((word, k) => {
    word.classList.toggle('chosen', k === query);
    word.style.setProperty('--w', query === null ? 0 : Math.round(100 * Math.sqrt(Math.abs(weightAt(query, k)))));
  });
  const frame = box.getBoundingClientRect();
  svg.setAttribute('height', box.scrollHeight);
  const pairs = [];
  for (const q of query === null ? words.keys() : [query]) {
    const row = words.map((_, k) => [q, k, weightAt(q, k)]).filter(([, k, w]) => k !== q && Math.abs(w) > .02).sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]));
    pairs.push(...row.slice(0, query === null ? 1 : 24));
  }
  for (const [q, k, w] of pairs) {
    if (query === null && Math.abs(w) < .15) continue;
    const a = words[q].getBoundingClientRect(), b = words[k].getBoundingClientRect();
    const x1 = a.left + a.width / 2 - frame.left, y1 = a.top - frame.top + box.scrollTop, x2 = b.left + b.width / 2 - frame.left, y2 = b.top - frame.top + box.scrollTop;
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path'), lift = Math.min(22, 8 + Math.abs(x2 - x1) / 9);
    path.setAttribute('d', `M${x1} ${y1} C${x1} ${y1 - lift} ${x2} ${y2 - lift} ${x2} ${y2}`);
    path.setAttribute('class', w < 0 ? 'less' : 'more');
    path.style.strokeWidth = 1 + 5 * Math.abs(w);
    path.style.strokeOpacity = .25 + .75 * Math.sqrt(Math.abs(w));
    svg.append(path);
  }
  part('lines-said').textContent = query === null ? 'Each token’s strongest look back. Point at a token, or press Enter on it, to see all of its own.' :
    `${token(query)} looks at ` + words.map((_, k) => [k, weightAt(query, k)]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 4)
      .filter(([, w]) => w !== 0).map(([k, w]) => `${token(k)} ${value.signed ? (w > 0 ? '+' : '') + w.toFixed(2) : percent(w)}`).join(' · ');
}
const lineBox = part('lines');
if (lineBox) {
  const placeOfWord = e => e.target.closest?.('.at-word')?.dataset.place;
  const hoverWord = place => { if (place === undefined) delete lineBox.dataset.hover; else lineBox.dataset.hover = place; lines(); };
  lineBox.addEventListener('mouseover', e => { const place = placeOfWord(e); if (place !== undefined && place !== lineBox.dataset.hover) hoverWord(place); });
  lineBox.addEventListener('mouseleave', () => hoverWord(undefined));
  lineBox.addEventListener('click', e => { const place = placeOfWord(e); if (place !== undefined) lock(cell && cell[0] === +place ? null : [+place, +place]); });
}

// --- how the map comes about: scores, mask, softmax
const smalls = signedView ? [] : ['scores', 'masked', 'softmax'].map((name, i) => heatMap(part(name), {
  kind: i < 2 ? 'signed' : 'share', axes: false, causal: () => value?.causal,
  onHover: at => { hovered = at; for (const other of smalls) other.setHover(at); stepDetail(); }, onLock: at => lock(at),
  onZoom: next => { for (const other of smalls) other.adopt(next); large.adopt(next); },
}));
let raw = null, rawOf = '';
async function steps(at) {
  const of = value, key = of.key + at.join();
  if (rawOf !== key) {
    const reply = await server.steps([of.key, ...at, of.mode]).catch(() => undefined);
    if (of !== value || !same2(at, inView())) return;
    if (!reply) { lost(reply); return; }
    raw = {values: new Float32Array(await inflate(reply.scores)), largest: reply.largest};
    rawOf = key;
  }
  const n = of.tokens.length, masked = raw.values.map((v, i) => of.causal && i % n > Math.floor(i / n) ? NaN : v);
  raw.masked = masked;
  raw.largestSeen = limitOf(masked);
  raw.weights = shown;
  smalls[0].show(raw.values, of.tokens, raw.largest);
  smalls[1].show(masked, of.tokens, raw.largestSeen);
  smalls[2].show(shown, of.tokens, 1);
  for (const small of smalls) { small.adopt(large.zoom()); small.setLocked(cell); }
  scale(part('scores-bar'), -raw.largest, raw.largest);
  scale(part('masked-bar'), -raw.largestSeen, raw.largestSeen);
  scale(part('softmax-bar'), 0, 1);
  stepDetail();
  sums();
}
function scale(bar, from, to) {
  bar.textContent = '';
  add(bar, 'span', '', figure(from));
  add(bar, 'span', 'at-ramp ' + (from < 0 ? 'signed' : 'share'));
  add(bar, 'span', '', (from < 0 ? '+' : '') + figure(to));
}
function stepDetail() {
  const at = hovered || cell;
  if (!at || !raw || mode !== 'steps') return;
  const [q, k] = at, i = q * value.tokens.length + k, hidden = value.causal && k > q;
  part('detail').textContent = `${token(q)} → ${token(k)}: score ${figure(raw.values[i])} · ${hidden ? 'masked: −∞' : 'kept'} · ` +
    `after softmax ${hidden ? 'n/a, exactly 0' : Number.isNaN(raw.weights[i]) ? 'n/a' : raw.weights[i].toFixed(4)}`;
}
// The arithmetic of one row, with the real numbers. Without a clicked cell it is the last token's.
let sumsOf = '';
async function sums() {
  const of = value, at = inView(), n = of.tokens.length, q = cell ? cell[0] : n - 1;
  const strongest = () => { let best = 0; for (let k = 0; k <= (of.causal ? q : n - 1); k++) if (shown[q * n + k] > shown[q * n + best]) best = k; return best; };
  const k = cell && !(of.causal && cell[1] > q) ? cell[1] : strongest(), key = [of.key, ...at, q, k].join();
  if (sumsOf === key) return;
  sumsOf = key;
  const made = await server.arithmetic([of.key, ...at, of.mode, q, k]).catch(() => undefined);
  if (of !== value || sumsOf !== key) return;
  if (!made) { sumsOf = ''; lost(made); return; }
  const box = part('sums');
  box.textContent = '';
  add(box, 'p', '', `Reading token ${token(q)} (no. ${q}) compares its query with the key of every token it may see.`);
  const products = made.products.slice(0, 3).map(v => figure(v)).join(' + ').replaceAll('+ -', '− ');
  add(box, 'p', 'at-sum', `q · k of ${token(k)} = ${products} + … (${made.width} products) = ${figure(made.dots[k])}`);
  add(box, 'p', 'at-sum', `÷ √${made.width} = ${figure(made.dots[k])} ÷ ${figure(Math.sqrt(made.width))} = ${figure(made.scores[k])}`);
  const rows = made.weights.map((weight, place) => [place, weight]).sort((a, b) => b[1] - a[1]), top = rows.slice(0, 8);
  if (!top.some(([place]) => place === k)) top.push(rows.find(([place]) => place === k));
  const grid = add(box, 'table', 'at-table'), head = add(add(grid, 'thead'), 'tr'), body = add(grid, 'tbody');
  for (const name of ['looked at', 'score', `exp(score ${made.largest < 0 ? '+' : '−'} ${figure(Math.abs(made.largest))})`, `÷ ${figure(made.sum)} = attention`]) add(head, 'th', '', name);
  for (const [place, weight] of top) {
    const row = add(body, 'tr', place === k ? 'chosen' : '');
    add(row, 'td', 'at-token', token(place));
    for (const number of [figure(made.scores[place]), made.exps[place].toPrecision(3), weight.toFixed(4)]) add(row, 'td', '', number);
  }
  const rest = rows.length - top.length;
  add(box, 'p', 'at-muted', (rest > 0 ? `and ${rest} more. ` : '') + `The exponentials of all ${rows.length} add up to ${figure(made.sum)}; ${figure(made.largest)} is the largest score, taken off first so that nothing overflows.`);
  if (of.mode === 'without the first token' && q > 0) {
    const rest = 1 - made.weights[0];
    add(box, 'p', '', `In this mode the first token’s ${made.weights[0].toFixed(4)} is then left out and the others are divided by the rest, ${rest.toFixed(4)}` + (k > 0 && rest > 1e-6 ? `: ${token(k)} ${made.weights[k].toFixed(4)} → ${(made.weights[k] / rest).toFixed(4)}.` : '.'));
  }
}

// --- what every head does, as a table
const COLUMNS = signedView ? [['changed', 'attention moved', 'scores']] : [
  ['induction', 'induction', 'scores'], ['duplicate', 'same token', 'scores'], ['previous', 'token before', 'scores'], ['itself', 'itself', 'scores'],
  ['first', 'first token', 'scores'], ['distance', 'tokens back', 'scores'], ['entropy', 'entropy (bits)', 'scores'],
  ['induction', 'induction', 'random'], ['duplicate', 'same token', 'random'], ['previous', 'token before', 'random'], ['first', 'first token', 'random'],
];
let order = [0, -1], rowsShown = 24;
const score = ([name, , of], [layer, head]) => value[of]?.[name]?.[layer]?.[head] ?? null;
function table() {
  const box = part('heads');
  if (!box) return;
  box.textContent = '';
  const grid = add(box, 'table', 'at-table'), top = add(grid, 'thead');
  if (!signedView) {
    const groups = add(top, 'tr');
    add(groups, 'th').colSpan = 2;
    const text = add(groups, 'th', '', 'in this text'); text.colSpan = 7;
    const random = add(groups, 'th', '', value.random ? 'on repeated random tokens' : 'on repeated random tokens (being measured…)'); random.colSpan = 4;
  }
  const names = add(top, 'tr');
  add(names, 'th', '', 'head');
  if (!signedView) add(names, 'th', '', 'what it does');
  COLUMNS.forEach((column, i) => {
    const cellOf = add(names, 'th'), button = add(cellOf, 'button', '', column[1] + (order[0] === i ? (order[1] < 0 ? ' ↓' : ' ↑') : ''));
    cellOf.setAttribute('aria-sort', order[0] === i ? (order[1] < 0 ? 'descending' : 'ascending') : 'none');
    button.type = 'button';
    button.title = 'Sort by this column';
    button.addEventListener('click', () => { order = [i, order[0] === i ? -order[1] : -1]; table(); element.querySelectorAll('.at-heads th button')[i].focus(); });
  });
  const all = Array.from({length: value.L * value.H}, (_, i) => [Math.floor(i / value.H), i % value.H]), by = COLUMNS[order[0]];
  all.sort((a, b) => { const [x, y] = [score(by, a), score(by, b)]; return x === null ? 1 : y === null ? -1 : order[1] * (x - y); });
  const body = add(grid, 'tbody');
  for (const at of all.slice(0, rowsShown)) {
    const row = add(body, 'tr');
    row.dataset.head = at.join();
    const button = add(add(row, 'td'), 'button', '', `${at[0]}.${at[1]}`);
    button.type = 'button';
    button.title = nameOf(at);
    button.addEventListener('click', () => pick(at));
    if (!signedView) add(row, 'td', '', (value.roles[at[0]][at[1]][1] && value.roles[at[0]][at[1]][0] !== 'mixed' ? '~ ' : '') + ROLES[value.roles[at[0]][at[1]][0]][1]);
    for (const column of COLUMNS) { const v = score(column, at); add(row, 'td', '', v === null ? 'n/a' : column[0] === 'distance' || column[0] === 'entropy' ? v.toFixed(1) : v.toFixed(2)); }
  }
  if (all.length > rowsShown) {
    const more = add(box, 'button', 'at-more', `Show all ${all.length} heads`);
    more.type = 'button';
    more.addEventListener('click', () => { rowsShown = Infinity; table(); });
  }
  markRow();
}
function markRow() {
  for (const row of element.querySelectorAll('.at-heads [data-head]')) row.classList.toggle('chosen', row.dataset.head === chosen.join());
}
function findInduction() {
  const at = value.random ? 7 : 0, by = COLUMNS[at];
  order = [at, -1];
  table();
  let best = [0, 0];
  for (let layer = 0; layer < value.L; layer++) for (let head = 0; head < value.H; head++) if ((score(by, [layer, head]) ?? -1) > (score(by, best) ?? -1)) best = [layer, head];
  const found = value.roles.flat().filter(([role, leans]) => role === 'induction' && !leans).length, most = score(by, best);
  pick(best);
  part('all-heads').open = true;
  said.textContent = most === null ? 'Nothing repeats in this text, so nothing can be said. Write a name twice.' : most >= .4 ?
    `${found} induction head${found === 1 ? '' : 's'}; the clearest is ${nameOf(best)} with ${most.toFixed(2)}.` :
    `No head of ${value.model} reaches 0.40; the nearest is ${nameOf(best)} with ${most.toFixed(2)}.` + (value.model === 'induction' ? '' : ' The bundled model “induction” has four.');
}

// --- the quiz: roles are hidden, the room guesses
let asks = 0, hits = 0;
function nextQuestion() {
  const clear = [];
  value.roles.forEach((row, layer) => row.forEach(([role, leans], head) => { if (role !== 'mixed' && !leans) clear.push([layer, head]); }));
  if (clear.length < 2) { said.textContent = 'Too few heads of this model have a clear role on this text. Try the model “induction”, or GPT-2.'; return; }
  const others = clear.filter(at => !same2(at, chosen));
  quiz = {guess: null};
  pick(others[Math.floor(Math.random() * others.length)]);
}
function question() {
  const box = part('quiz');
  box.textContent = '';
  box.hidden = !quiz;
  part('quiz-button').textContent = quiz ? 'End the quiz' : 'Quiz';
  part('body').classList.toggle('quizzing', Boolean(quiz));
  if (!quiz) return;
  add(box, 'b', '', 'Where does this head look most?');
  for (const [name, [, short, long]] of Object.entries(ROLES)) {
    if (name === 'mixed') continue;
    const button = add(box, 'button', quiz.guess === name ? 'chosen' : '', short);
    button.type = 'button';
    button.title = long;
    button.disabled = quiz.revealed === true;
    button.addEventListener('click', () => { quiz.guess = name; question(); });
  }
  const act = add(box, 'button', 'at-primary', quiz.revealed ? 'Next head' : 'Reveal');
  act.type = 'button';
  act.addEventListener('click', () => {
    if (quiz.revealed) { nextQuestion(); return; }
    const [right, leans] = value.roles[chosen[0]][chosen[1]];
    if (quiz.guess && right !== 'mixed' && !leans) {  // a head without a clear role is no question
      asks++;
      if (quiz.guess === right) hits++;
    }
    quiz.revealed = true;
    question();
    part('role').textContent = `It ${roleText(chosen)}`;
  });
  if (quiz.revealed) add(box, 'span', '', `${quiz.guess === value.roles[chosen[0]][chosen[1]][0] ? 'Right' : `It ${roleText(chosen)}`}. ${asks ? `${hits} of ${asks} so far.` : ''}`);
}
function endQuiz() {
  quiz = null;
  asks = hits = 0;
  question();
  pick(chosen);
}

watch('value', take);
setMode('map');
take();
