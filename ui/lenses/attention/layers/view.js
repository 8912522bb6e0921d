// The logit lens as a table: a row for each depth, a column for each token. The value is JSON of
// ui.lenses.attention.layers.lens.
/** @import {Component} from '../../../shared/view/component' */
/** @import {AttentionServer, Lens} from '../../../shared/view/payloads' */
import {percent, visible} from '../../../shared/view/plain.js';
import {css, inkOn, partsOf, placeOf, ramp} from '../../../shared/view/scales.js';
import {add, onTools} from '../../../shared/view/dom.js';
import {saveCsv, slides} from '../../../shared/view/files.js';
import {holdsState, linked} from '../../../shared/view/link.js';
import {goTo} from '../../../shared/view/places.js';
import {isDark, onLook} from '../../../shared/view/look.js';
import {chooseToken, chosenToken, onStore} from '../../../shared/view/store.js';
import {oneStop} from '../view/cells.js';

const MOST_COLUMNS = 14; // on a slide, the last ones
const COLUMNS = [
  'after',
  'place',
  'just read',
  'best',
  'probability',
  'rank of the final choice',
  'its probability',
];

/** @param {Component<Lens, AttentionServer>} page */
export function start({element, props, watch}) {
  const part = name => element.querySelector('.ln-' + name);
  const table = part('table');
  let value = null,
    chosen = null;
  let afterInLink = linked('after');

  function take() {
    if (!props.value) return;
    const next = JSON.parse(props.value);
    part('message').textContent = next.message || '';
    part('body').hidden = Boolean(next.message);
    value = next.message ? null : next;
    chosen = null;
    if (value) redraw(draw);
  }
  function colours() {
    const lut = ramp('share', isDark());
    return p => {
      const back = lut[placeOf(p, 'share', 1)];
      return [css(back), inkOn(partsOf(back))];
    };
  }
  function draw() {
    const grid = part('table'),
      colour = colours(),
      last = value.depths.length - 1;
    for (const edge of ['thead', 'tfoot']) {
      const row = add(add(grid, edge), 'tr');
      add(row, 'th', 'depth', edge === 'thead' ? 'after …' : 'just read');
      for (const token of value.tokens) add(row, 'th', '', visible(token));
    }
    const body = add(grid, 'tbody');
    for (let depth = last; depth >= 0; depth--) {
      const row = add(body, 'tr');
      add(row, 'th', 'depth', value.depths[depth] + (depth === last ? ' (the model)' : ''));
      value.best[depth].forEach((label, place) => {
        const cell = add(row, 'td', '', visible(label)),
          [back, ink] = colour(value.probability[depth][place]);
        cell.style.background = back;
        cell.style.color = ink;
        cell.dataset.at = depth + ',' + place;
        cell.setAttribute('aria-label', sentence(depth, place));
      });
    }
    const depth = part('depth');
    part('note').textContent = value.note;
    element.querySelector('.conclusion').textContent = value.said;
    if (+depth.max !== last || !depth.value || afterInLink !== null) {
      const after = parseInt(afterInLink ?? '', 10);
      Object.assign(depth, {max: last, value: after <= last ? after : last});
      afterInLink = null; // it counts once
    }
    drawText();
    showLast();
    detail(...ends());
    hear({token: chosenToken()});
  }
  const hear = news => {
    if ('token' in news && news.token !== null && value)
      choose([value.depths.length - 1, news.token - value.first]);
  };
  onStore(hear);
  // The whole text after n blocks: above every token the prediction at that depth.
  function drawText() {
    const depth = +part('depth').value,
      last = value.depths.length - 1;
    element.querySelector('.ln-known-said').textContent = value.knew;
    element.querySelector('.ln-read output').textContent =
      depth === 0 ? 'the embeddings' : value.depths[depth];
    const box = part('text');
    box.textContent = '';
    value.tokens.forEach((token, place) => {
      const word = add(box, 'ruby', '', visible(token).replace('␣', ' '));
      if (!place) return;
      const guess = value.best[depth][place - 1],
        known = value.known[place];
      const right = guess === token;
      add(word, 'rt', right ? 'right' : '', visible(guess).replace('␣', ''));
      word.classList.add(known === null ? 'never' : known <= depth ? 'known' : 'later');
      if (known !== null) word.style.setProperty('--late', known / last);
      const since = known === 0 ? 'the embeddings' : value.depths[known];
      word.title =
        known === null ? 'not its first guess in the end' : `its first guess from ${since} on`;
    });
  }
  // Animation from the embeddings to the whole model, one depth per beat.
  let playing = 0;
  function play() {
    clearInterval(playing);
    part('depth').value = 0;
    drawText();
    playing = setInterval(() => {
      const depth = part('depth');
      if (!value || +depth.value >= +depth.max || !element.isConnected)
        return clearInterval(playing);
      depth.value = +depth.value + 1;
      drawText();
    }, 700);
  }
  part('depth').addEventListener('input', () => {
    clearInterval(playing);
    if (value) drawText();
  });
  // Leaves so much room behind the last column that the first one shown begins where the names of
  // the layers end.
  function wholeColumns(scroll) {
    table.style.marginRight = '0';
    const [names, ...columns] = Array.from(
      table.rows[0]?.cells ?? [],
      cell => cell.getBoundingClientRect().width + 1,
    );
    const room = scroll.clientWidth - names;
    if (!columns.length || columns.reduce((sum, width) => sum + width, 0) <= room) return;
    let shown = 0;
    for (const width of columns.toReversed()) {
      if (shown + width > room) break;
      shown += width;
    }
    if (shown) table.style.marginRight = `${Math.floor(room - shown)}px`;
  }
  // Scrolls to the last token's column, which the sentence is about.
  function showLast() {
    const scroll = part('scroll');
    if (scroll.clientWidth) {
      wholeColumns(scroll);
      scroll.scrollLeft = scroll.scrollWidth;
    } else
      new ResizeObserver(
        (_, seen) => scroll.clientWidth && (seen.disconnect(), showLast()),
      ).observe(scroll);
  }
  function sentence(depth, place) {
    const [last, rank] = [value.depths.length - 1, value.rank[depth][place]];
    const read = visible(value.tokens[place]);
    const guess = `${visible(value.best[depth][place])} with ${percent(value.probability[depth][place])}`;
    const where = `After ${value.depths[depth]}, having read ${read} (no. ${value.first + place}): ${guess}. `;
    if (depth === last) return `${where}This is what the whole model says.`;
    const here = `is no. ${rank.toLocaleString('en')} here, with ${percent(value.share[depth][place])}`;
    return `${where}The whole model’s choice, ${visible(value.best[last][place])}, ${here}.`;
  }
  const detail = (...at) => (part('detail').textContent = sentence(...at));
  const cellPlace = cell => cell.dataset.at?.split(',').map(Number);
  table.addEventListener('mouseover', e => {
    const at = cellPlace(e.target);
    if (at) detail(...at);
  });
  const ends = () => [value.depths.length - 1, value.tokens.length - 1];
  const focused = cell => choose(cellPlace(cell));
  const {reach, redraw} = oneStop(table, () => value.tokens.length, focused);
  table.addEventListener('mouseleave', () => value && detail(...(chosen || ends())));
  function choose(at) {
    const cell = table.querySelector(`[data-at="${at.join()}"]`);
    if (!cell) return;
    table.querySelector('.chosen')?.classList.remove('chosen');
    cell.classList.add('chosen');
    reach(cell);
    chosen = at;
    detail(...at);
  }
  table.addEventListener('click', e => {
    const at = cellPlace(e.target);
    if (!at) return;
    choose(at);
    chooseToken(value.first + at[1], hear);
  });
  const status = part('said');
  const actions = {
    play,
    csv() {
      const {best, probability, rank, share} = value;
      const cells = (d, place) => [best, probability, rank, share].map(of => of[d][place]);
      const row = (depth, d) =>
        value.tokens.map((token, at) => [depth, value.first + at, token, ...cells(d, at)]);
      saveCsv('logit-lens', [COLUMNS, ...value.depths.flatMap(row)]);
    },
    ...slides(status, 'logit-lens', ({heat}) => {
      const last = list => list.slice(-MOST_COLUMNS);
      return heat({
        title: 'What it would say next, layer by layer (logit lens)',
        values: value.probability.map(last),
        texts: value.best.map(last),
        columns: last(value.tokens),
        rows: value.depths,
        across: 'token that was just read',
        down: 'if the model stopped after …',
        says: 'probability of that token',
      });
    }),
  };
  onTools(element, () => value && actions);
  onLook(() => value && redraw(draw));
  const after = () =>
    part('depth').value && +part('depth').value < +part('depth').max ? part('depth').value : null;
  // the fold that holds it
  const showNeuron = () => linked('neuron') && goTo(new URLSearchParams({see: '#one-neuron'}));
  holdsState('attention/layers', {after}, () => {
    showNeuron();
    if (after() === linked('after')) return;
    afterInLink = linked('after') ?? part('depth').max;
    if (value) redraw(draw);
  });
  showNeuron();
  watch('value', take);
  take();
}
