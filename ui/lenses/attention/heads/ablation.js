// Ablation switches for heads, attention and MLPs, and the next token before and after. The value
// is JSON of ui.lenses.attention.heads.ablation: either a distribution, or the effects of switching
// off one part after the other.
/** @import {Component} from '../../../shared/view/component' */
/** @import {Ablation, AttentionServer, Effects} from '../../../shared/view/payloads' */
import {headTag, percent, visible} from '../../../shared/view/plain.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {saveCsv, slides} from '../../../shared/view/files.js';
import {valueOf} from '../../../shared/view/store.js';
import {writeField} from '../../../shared/view/text_boxes.js';
import {oneStop} from '../view/cells.js';
import {namesOf} from './parts.js';

const EXAMPLE = 'An example; your first click clears it. ';

/** @param {Component<Ablation & Effects, AttentionServer>} page */
export function start({element, props, watch}) {
  const part = name => element.querySelector('.ab-' + name);
  const status = part('said');
  let value = null,
    effects = {},
    effectsOf = '',
    off = new Set();
  const {redraw} = oneStop(part('grid'), () => value.H + (value.mlp ? 2 : 1));

  const keyOf = (layer, kind, head) => [layer, kind, head ?? ''].join();
  const nameOf = key => {
    const [layer, kind, head] = key.split(',');
    return kind === 'head'
      ? headTag(layer, head)
      : `layer ${layer}’s ${kind === 'mlp' ? 'MLP' : 'attention'}`;
  };

  function take() {
    const next = JSON.parse(props.value || '{}');
    part('message').textContent = next.message || '';
    if (next.message || !props.value) {
      part('body').hidden = true;
      value = null;
      return;
    }
    if (next.effects) {
      if (!value || value.of !== next.of) return; // stale answer: another text or model
      [effects, effectsOf] = [next.effects, next.of];
      const tried = next.done < next.total ? `${next.done} of ${next.total} layers` : '';
      const stopped = tried && `Stopped after ${tried}. `;
      status.textContent = tried && !next.stopped ? `Tried ${tried}…` : stopped + strongest();
      redraw(board);
      return;
    }
    if (effectsOf !== next.of) [effects, effectsOf, status.textContent] = [{}, '', ''];
    const other = value?.of !== next.of; // another text or model
    value = next;
    const answered = next.off.map(([layer, kind, head]) => keyOf(layer, kind, head));
    const isNewest = value.example || namesOf(answered) === valueOf('off');
    if (other || isNewest) off = new Set(answered); // else a later click is on its way
    part('body').hidden = false;
    part('note').textContent = next.note || '';
    redraw(board);
    rows();
  }
  function strongest() {
    const guess = likeliest('before');
    const [down, up] = [-1, 1].map(sign =>
      Object.entries(effects)
        .filter(([, [, change]]) => sign * change >= 0.001)
        .sort(([, a], [, b]) => sign * (b[1] - a[1]))
        .slice(0, 3)
        .map(([key, [, change]]) => `${nameOf(key)} (${percent(guess.before + change)})`),
    );
    const word = `${visible(guess.label).replace('␣', '')} (${percent(guess.before)})`;
    const falls = down.length
      ? `One at a time: ${word} falls most without ${down.join(', ')}`
      : `Nothing alone makes ${word} fall`;
    return up.length ? `${falls}. It rises most without ${up.join(', ')}.` : `${falls}.`;
  }
  const likeliest = name => value.rows.reduce((best, row) => (row[name] > best[name] ? row : best));
  // The signed change of the first guess's probability, in percentage points.
  const signed = change => {
    const points = (100 * Math.abs(change)).toFixed(1);
    return points === '0.0' ? '0' : `${change < 0 ? '−' : '+'}${points}`;
  };
  function board() {
    const grid = part('grid');
    grid.style.setProperty('--heads', value.H);
    grid.style.setProperty('--more', value.mlp ? 2 : 1);
    add(grid, 'span', '', 'layer');
    for (let head = 0; head < value.H; head++) add(grid, 'span', '', head);
    add(grid, 'span', '', 'heads');
    if (value.mlp) add(grid, 'span', '', 'MLP');
    element.querySelector('[data-do=effects]').hidden = !Object.keys(effects).length;
    const most = Math.max(...Object.values(effects).map(([bits]) => bits), 1e-9);
    const put = (layer, kind, head, text) => {
      const key = keyOf(layer, kind, head),
        button = addButton(grid, '', text);
      button.dataset.at = key;
      button.setAttribute('aria-pressed', off.has(key));
      button.setAttribute('aria-label', `${nameOf(key)}, ${off.has(key) ? 'off' : 'on'}`);
      button.title = nameOf(key);
      if (!effects[key]) return;
      const [bits, change] = effects[key];
      add(button, 'small', '', signed(change));
      button.title += ` · off alone: first guess ${signed(change)} points, next token moves by ${bits} bits`;
      button.style.setProperty('--effect', Math.round(85 * Math.sqrt(bits / most)));
    };
    for (let layer = 0; layer < value.L; layer++) {
      add(grid, 'span', '', layer);
      for (let head = 0; head < value.H; head++) put(layer, 'head', head, `H${head}`);
      put(layer, 'attention', null, 'all');
      if (value.mlp) put(layer, 'mlp', null, 'MLP');
    }
  }
  function rows() {
    const box = part('rows'),
      most = Math.max(...value.rows.flatMap(row => [row.before, row.after]), 1e-9);
    const [before, after] = ['before', 'after'].map(likeliest);
    const names =
      [...off].slice(0, 4).map(nameOf).join(', ') +
      (off.size > 4 ? ` and ${off.size - 4} more` : '');
    const [was, is] = [percent(before.before), percent(after.after)];
    const now =
      before.id === after.id
        ? `still ${visible(after.label)}, ${was} → ${is}`
        : `${visible(before.label)} (${was}) becomes ${visible(after.label)} (${is})`;
    const moved = `The distribution moved by ${value.divergence.toFixed(2)} bits.`;
    part('head').textContent = off.size
      ? `${value.example ? EXAMPLE : ''}Without ${names}: ${now}. ${moved}`
      : 'Everything is on. Click a head, an attention layer or an MLP to switch it off.';
    box.textContent = '';
    part('scale').textContent = `longest bar: ${percent(most)}`;
    for (const row of value.rows) {
      add(box, 'span', 'ab-token u-token u-mono', visible(row.label)).title = `token ${row.id}`;
      const bars = add(box, 'div', 'ab-bars');
      for (const p of [row.before, row.after]) {
        const bar = add(bars, 'div', 'u-bar u-type-xs u-digits', percent(p));
        bar.style.setProperty('--p', Math.max(0.3, (100 * p) / most) + '%');
      }
    }
  }
  part('grid').addEventListener('click', e => {
    const key = e.target.closest('button')?.dataset.at;
    if (!key) return;
    const was = off.delete(key);
    if (value.example) off.clear(); // the first click takes the example away
    if (!was) off.add(key);
    value.example = false;
    switched();
  });
  function switched() {
    redraw(board);
    writeField('off', namesOf([...off]));
  }
  const COLUMNS = ['layer', 'part', 'head', 'bits', 'change of the first guess'];
  const actions = {
    none() {
      off.clear();
      value.example = false;
      switched();
    },
    csv() {
      const cells = value.rows.map(row => [row.id, row.label, row.before, row.after]);
      saveCsv('switched-off', [['id', 'token', 'before', 'after'], ...cells]);
    },
    effects() {
      const cells = Object.entries(effects).map(([key, effect]) => [...key.split(','), ...effect]);
      saveCsv('effects', [COLUMNS, ...cells]);
    },
    ...slides(status, 'switched-off', ({bars, look}) =>
      bars({
        title: part('head').textContent.replace(EXAMPLE, ''),
        axis: 'probability of being the next token',
        names: value.rows.map(row => row.label),
        series: [
          {name: 'whole model', values: value.rows.map(row => row.before), colours: look.bar},
          {name: 'with parts off', values: value.rows.map(row => row.after), colours: look.against},
        ],
      }),
    ),
  };
  onTools(element, () => value && actions);

  watch('value', take);
  take();
}
