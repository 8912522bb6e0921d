// The guesses for the next token: bars that the temperature and top-k reshape as they are moved,
// and the dice that draw one of them. Model text goes into the page by textContent alone.
import {percent, visible} from '../../../shared/view/plain.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {HOTTEST, STEP, fallen, reshaped, uniform} from './chance.js';

const MOST_SEED = 2 ** 31;
const DEFAULTS = {temperature: 1, topK: 0, seed: 1};

// The settings that a link holds, each null where it is as the page opens.
export const written = settings => ({
  start_temperature:
    settings.temperature === DEFAULTS.temperature ? null : settings.temperature.toFixed(2),
  start_top_k: settings.topK === DEFAULTS.topK ? null : String(settings.topK),
  dice: settings.seed === DEFAULTS.seed ? null : String(settings.seed),
});

// The settings of a link's texts; what is out of range is left out.
export function readSettings(linked) {
  const within = (name, high, fallback) => {
    const value = Number(linked(name) || fallback);
    return value >= 0 && value <= high ? value : fallback;
  };
  return {
    temperature:
      Math.round(within('start_temperature', HOTTEST, DEFAULTS.temperature) / STEP) * STEP,
    topK: Math.round(within('start_top_k', 8, DEFAULTS.topK)),
    seed: Math.round(within('dice', MOST_SEED, DEFAULTS.seed)),
  };
}

// find: a part of the view by its name. taken: a guess was pressed. changed: a setting was moved.
// another: asks the server for a token that is not shown.
export function guessBars(find, settings, {taken, changed, another}) {
  const [bars, handle, cut] = [find('bars'), find('heat'), find('top-k')];
  let data = null;

  const chances = () => reshaped(data.scores, data.log_sums, settings.temperature, settings.topK);
  const textOf = ([label, , id]) =>
    id === data.end ? 'end of text' : visible(label).replace('␣', '');

  // Widths and figures of the bars that stand there.
  function reshape() {
    handle.value = String(settings.temperature);
    cut.value = String(settings.topK);
    find('heat-shown').textContent = settings.temperature.toFixed(2);
    find('top-k-shown').textContent = settings.topK || 'off';
    cut.setAttribute('aria-valuetext', settings.topK || 'off');
    if (!data) return;
    const {shown, rest} = chances();
    shown.forEach((p, i) => {
      const bar = /** @type {HTMLElement} */ (bars.children[i]);
      bar.style.setProperty('--p', `${100 * p}%`); // a full row is 100%
      bar.style.setProperty('--was', `${100 * (data.was[i] ?? 0)}%`);
      bar.classList.toggle('cut', p === 0);
      const before = data.was.length ? `${percent(data.was[i])} → ` : '';
      bar.querySelector('.st-p').textContent = p === 0 ? 'cut' : before + percent(p);
    });
    const others = /** @type {HTMLElement} */ (bars.lastElementChild);
    others.style.setProperty('--p', `${100 * rest}%`);
    others.classList.toggle('cut', rest === 0);
    others.querySelector('.st-p').textContent = rest === 0 ? 'cut' : percent(rest);
  }

  function draw(given) {
    data = given;
    // a keyboard goes on where it was
    const focused = [...bars.children].indexOf(document.activeElement);
    bars.textContent = '';
    bars.classList.toggle('without', data.was.length > 0);
    for (const choice of data.next) {
      const bar = addButton(bars, 'st-bar u-bare u-bar u-spread u-type-sm', '', () =>
        taken(choice),
      );
      add(bar, 'span', 'st-name u-token u-mono', textOf(choice));
      add(bar, 'span', 'st-p u-digits', '');
    }
    const others = add(bars, 'div', 'st-rest u-bar u-spread u-type-sm');
    const n = data.machine.shape.V - data.next.length;
    add(
      others,
      'span',
      'u-muted',
      `${n.toLocaleString('en')} other ${n === 1 ? 'token' : 'tokens'}`,
    );
    add(others, 'span', 'st-p u-digits', '');
    reshape();
    /** @type {HTMLElement} */ (bars.children[focused])?.focus({preventScroll: true});
  }

  // Rolls the dice for the next token: {row, choice, p}; undefined where no answer came. Of the
  // tokens that are not shown the server says which one it is.
  async function roll() {
    const odds = chances();
    const {at, share} = fallen(odds, uniform(settings.seed, data.tokens.length));
    const row = bars.children[at ?? data.next.length];
    for (const other of bars.children) other.classList.toggle('fell', other === row);
    if (at !== undefined) return {row, choice: data.next[at], p: odds.shown[at]};
    const answer = await another({
      model: data.model,
      ids: data.tokens.map(token => token.id),
      without: data.without.join() || 'none',
      temperature: settings.temperature,
      shown: data.next.map(([, , id]) => id),
      share,
    });
    if (!answer) return undefined;
    const {label, p, id} = JSON.parse(answer);
    return {row, choice: [label, p, id], p};
  }

  handle.addEventListener('input', () => {
    settings.temperature = Number(handle.value);
    reshape();
    changed();
  });
  cut.addEventListener('input', () => {
    settings.topK = Number(cut.value);
    reshape();
    changed();
  });
  reshape();

  return {
    draw,
    clear() {
      data = null;
      bars.textContent = '';
    },
    // What a room may guess: the likeliest tokens in the order of the alphabet, which tells
    // nothing, and any other.
    answers() {
      const likeliest = (data?.next ?? []).map(choice => textOf(choice).trim()).filter(Boolean);
      const names = [...new Set(likeliest)].toSorted((item, other) => item.localeCompare(other));
      return names.length ? [...names, 'another'] : [];
    },
    roll,
    reshape,
    textOf,
    newSeed() {
      settings.seed = Math.floor(Math.random() * MOST_SEED);
      changed();
    },
  };
}
