// Logit attribution of a word against a rival after a text: each part's contribution, next to its
// ablation effect. Model text goes into the page by textContent alone.
/** @import {Component} from '../../../shared/view/component' */
/** @import {AttentionServer} from '../../../shared/view/payloads' */
import {percent, signed, visible} from '../../../shared/view/plain.js';
import {asking} from '../../../shared/view/ask.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {saveCsv} from '../../../shared/view/files.js';
import {holdsState, isLinkedText, linked, shareLink} from '../../../shared/view/link.js';
import {chooseHead, valueOf, sentence} from '../../../shared/view/store.js';
import {askedWord, onWhy} from '../../../shared/view/why.js';
import {circuitView} from './circuit.js';
import {formedView} from './formed_view.js';

// The bars of a waterfall: [{from, to}] in shares of the width, and the place of zero, for values
// that add up in turn.
export function waterfall(values) {
  let sum = 0;
  const ends = values.map(value => [sum, (sum += value)]);
  const all = [0, ...ends.flat()];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const place = value => (high > low ? (value - low) / (high - low) : 0.5);
  return {
    zero: place(0),
    bars: ends.map(([a, b]) => ({from: place(Math.min(a, b)), to: place(Math.max(a, b))})),
  };
}

/** @param {Component<string, AttentionServer>} page */
export function start({element, server, answer}) {
  const find = name => element.querySelector('.wy-' + name);
  const [word, rival, message, body] = ['word', 'rival', 'message', 'body'].map(find);
  const rows = element.querySelector('tbody');
  let explained = null; // the answer that is drawn
  let asked = null; // the model and the text that it is about
  // word and rival, and for which model and text they were chosen
  let chosen = {about: '', ids: [null, null]};
  const circuit = circuitView(element.querySelector('.ct'), server);
  const formed = formedView(element.querySelector('.fm'), server);
  const question = () => ({...asked, word: explained.word[2], rival: explained.rival[2]});

  // Word and rival that are explained after a text: as chosen here, as asked elsewhere, or as the
  // link says.
  function pairOf({model, text}) {
    if (chosen.about === JSON.stringify([model, text])) return chosen.ids;
    const wanted = askedWord(text);
    return wanted === null ? linkedPair(text) : [wanted, null];
  }

  const request = asking(
    answer,
    async () => {
      asked = {model: valueOf('model'), text: valueOf('text')};
      const [first, second] = pairOf(asked);
      return server.why({...asked, word: first, rival: second});
    },
    reply => {
      message.textContent = reply.message ?? '';
      body.hidden = Boolean(reply.message);
      element.querySelector('.wy-pick').hidden = Boolean(reply.message);
      if (reply.message) return;
      explained = reply;
      draw();
      circuit.show(question());
      formed.show(question());
    },
    0,
  );

  function options(select, id) {
    select.textContent = '';
    for (const [label, p, its] of explained.choices) {
      const option = add(
        select,
        'option',
        '',
        `${visible(label).replace('␣', '')} (${percent(p)})`,
      );
      option.value = its;
    }
    select.value = id;
  }

  function draw() {
    options(word, explained.word[2]);
    options(rival, explained.rival[2]);
    element.querySelector('.conclusion').textContent = explained.said;
    find('text').textContent = asked.text;
    const quoted = ([label]) => `“${visible(label).replace('␣', '')}”`;
    find('for').textContent = quoted(explained.word);
    find('against').textContent = quoted(explained.rival);
    const [n, rest] = explained.rest;
    const parts = [
      ...explained.parts,
      {name: `${n} other parts`, value: rest, really: null, layer: null, head: null},
    ];
    const {bars, zero} = waterfall(parts.map(part => part.value));
    const widest = Math.max(
      ...parts.flatMap(part => [Math.abs(part.value), Math.abs(part.really ?? 0)]),
      0.01,
    );
    rows.textContent = '';
    parts.forEach((part, i) => drawRow(part, bars[i], zero, widest));
    const sum = add(rows, 'tr', 'wy-sum');
    for (const [kind, text] of [
      ['th', 'together'],
      ['td'],
      ['td', signed(explained.total)],
      ['td'],
    ])
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
    const real = add(
      row,
      'td',
      'u-digits wy-real u-muted',
      part.really === null ? '' : signed(part.really),
    );
    if (part.really !== null) {
      const check = add(real, 'i', part.really > 0 ? 'wy-check against' : 'wy-check');
      check.style.width = `${(100 * Math.abs(part.really)) / widest}%`;
    }
  }

  for (const select of [word, rival])
    select.addEventListener('change', () => {
      const about = JSON.stringify([asked.model, asked.text]);
      chosen = {about, ids: [Number(word.value), Number(rival.value)]};
      answer.about(chosen);
    });
  const tools = {
    async link() {
      find('link-said').textContent = await shareLink();
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
  const pieces = {word: () => explained?.word[2] ?? null, rival: () => explained?.rival[2] ?? null};
  let pairInLink = JSON.stringify(linkedPair(sentence()));
  holdsState('attention/why', pieces, () => {
    const pair = JSON.stringify(linkedPair(sentence()));
    if (pair === pairInLink && !chosen.about) return;
    pairInLink = pair;
    chosen = {about: '', ids: [null, null]};
    answer.about({pair});
  });
  answer.ask = () => {
    if (!explained) message.textContent = 'Computing…';
    request();
  };
  onWhy(wanted => {
    chosen = {about: '', ids: [null, null]};
    answer.about({wanted});
  });
}

// Word and rival that the link names; they count for its own text.
function linkedPair(text) {
  if (!isLinkedText(text)) return [null, null];
  return ['word', 'rival'].map(name =>
    /^\d{1,7}$/.test(linked(name) ?? '') ? +linked(name) : null,
  );
}
