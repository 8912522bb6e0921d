// Logit attribution of a word against a rival after a text, its value: each part's contribution, next to its ablation
// effect.
// Model text goes into the page by textContent alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {AttentionServer, TextRequest} from '../../../shared/view/payloads' */
import {percent, signed, visible} from '../../../shared/view/plain.js';
import {add, addButton, asking, onTools, saveCsv, shareLink} from '../../../shared/view/page.js';
import {chooseHead, chosenInLink} from '../../../shared/view/sentence.js';
import {askedWord, onWhy} from '../../../shared/view/why.js';
import {circuitView} from './circuit_view.js';
import {formedView} from './formed_view.js';

// The bars of a waterfall: [{from, to}] in shares of the width, and the place of zero, for values that add up in turn.
export function waterfall(values) {
  let sum = 0;
  const ends = values.map(value => [sum, (sum += value)]);
  const all = [0, ...ends.flat()];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const place = value => (high > low ? (value - low) / (high - low) : 0.5);
  return {zero: place(0), bars: ends.map(([a, b]) => ({from: place(Math.min(a, b)), to: place(Math.max(a, b))}))};
}

/** @param {Component<TextRequest, AttentionServer>} page */
export function start({element, props, server, watch}) {
  const find = name => element.querySelector('.wy-' + name);
  const [word, rival, message, body] = ['word', 'rival', 'message', 'body'].map(find);
  const rows = element.querySelector('tbody');
  let explained = null;
  const circuit = circuitView(element.querySelector('.ct'), server);
  const formed = formedView(element.querySelector('.fm'), server);

  const request = asking(
    element,
    async (chosen, against) => server.why({...JSON.parse(props.value), word: chosen, rival: against}),
    answer => {
      message.textContent = answer.message ?? '';
      body.hidden = Boolean(answer.message);
      element.querySelector('.wy-pick').hidden = Boolean(answer.message);
      if (answer.message) return;
      explained = answer;
      draw();
      circuit.show(question());
      formed.show(question());
    },
  );
  const question = () => ({...JSON.parse(props.value), word: explained.word[2], rival: explained.rival[2]});

  function options(select, chosen) {
    select.textContent = '';
    for (const [label, p, id] of explained.choices) {
      const option = add(select, 'option', '', `${visible(label).replace('␣', '')} (${percent(p)})`);
      option.value = id;
    }
    select.value = chosen;
  }

  function draw() {
    options(word, explained.word[2]);
    options(rival, explained.rival[2]);
    element.querySelector('.conclusion').textContent = explained.said;
    find('text').textContent = JSON.parse(props.value).text;
    const [n, rest] = explained.rest;
    const parts = [...explained.parts, {name: `${n} other parts`, value: rest, really: null, layer: null, head: null}];
    const {bars, zero} = waterfall(parts.map(part => part.value));
    const widest = Math.max(...parts.flatMap(part => [Math.abs(part.value), Math.abs(part.really ?? 0)]), 0.01);
    rows.textContent = '';
    parts.forEach((part, i) => drawRow(part, bars[i], zero, widest));
    const sum = add(rows, 'tr', 'wy-sum');
    for (const [kind, text] of [['th', 'together'], ['td'], ['td', signed(explained.total)], ['td']])
      add(sum, kind, 'u-digits', text);
  }

  function drawRow(part, bar, zero, widest) {
    const row = add(rows, 'tr');
    const name = add(row, 'th');
    name.scope = 'row';
    if (part.head === null) name.textContent = part.name;
    else
      addButton(name, '', part.name, () => chooseHead([part.layer, part.head])).title =
        'Make it the chosen head on every view';
    const track = add(add(row, 'td', 'wy-cell'), 'div', 'wy-track');
    track.style.setProperty('--zero', zero);
    const drawn = add(track, 'i', part.value < 0 ? 'wy-bar against' : 'wy-bar');
    drawn.style.left = `${100 * bar.from}%`;
    drawn.style.width = `${Math.max(0.4, 100 * (bar.to - bar.from))}%`;
    add(row, 'td', 'u-digits', signed(part.value));
    const real = add(row, 'td', 'u-digits wy-real u-muted', part.really === null ? '' : signed(part.really));
    if (part.really !== null) {
      const check = add(real, 'i', part.really > 0 ? 'wy-check against' : 'wy-check');
      check.style.width = `${(100 * Math.abs(part.really)) / widest}%`;
    }
  }

  for (const select of [word, rival])
    select.addEventListener('change', () => request([Number(word.value), Number(rival.value)]));
  const tools = {
    async link() {
      const asked = {tab: 'attention', view: 'Why this word?', ...question(), ...chosenInLink()};
      find('link-said').textContent = await shareLink(asked);
    },
    csv() {
      const parts = explained.parts.map(part => [part.name, part.value, part.really ?? '']);
      const sums = [
        [`${explained.rest[0]} other parts`, explained.rest[1], ''],
        ['together', explained.total, ''],
      ];
      saveCsv('why', [['part', 'writes', 'switched off'], ...parts, ...sums]);
    },
  };
  onTools(element, () => explained && tools);
  // A link names word and rival; it counts for its own text.
  function linked(text) {
    const query = new URLSearchParams(location.search);
    const ids = ['word', 'rival'].map(name => (/^\d{1,7}$/.test(query.get(name) ?? '') ? +query.get(name) : null));
    return query.get('text') === text ? ids : [null, null];
  }
  let last = ''; // the text, model and word that were asked about
  function ask() {
    if (!props.value || !element.offsetParent) return; // hidden: asked when it is opened
    const {text} = JSON.parse(props.value);
    const wanted = askedWord(text);
    const now = JSON.stringify([props.value, wanted]);
    if (now === last) return;
    last = now;
    if (!explained) message.textContent = 'Computing…';
    request(wanted === null ? linked(text) : [wanted, null]);
  }
  watch('value', ask);
  onWhy(() => {
    last = '';
    ask();
  });
  new IntersectionObserver(ask).observe(element);
  ask();
}
