// A prompt in coloured parts, labels by likelihood, ways of asking, and effects. The value is JSON
// of ui.lenses.zero_shot.handlers; text of models and visitors goes into the page by textContent
// alone.
/** @import {Component} from '../../../shared/view/component' */
import {counted, hundredths, percent} from '../../../shared/view/plain.js';
import {copying} from '../../../shared/view/clipboard.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {saveCsv, saveJson, slides} from '../../../shared/view/files.js';
import {follow} from '../../../shared/view/places.js';
import {strengths, strongest} from './effects.js';

const MOST_BARS = 24; // on a slide
const MEASURES = {
  share: ['as it is', 'share of the labels’ probability'],
  per_token: ['per token', 'share of the mean log-probability per token'],
};

/** @param {Component<any, unknown>} page */
export function start({element, props, watch, given}) {
  const selectors = ['.zs-box', '.zs-message', '.ts-tools', '.ts-said'];
  const [box, message, tools, status] = selectors.map(name => element.querySelector(name));
  const NAMES = {
    instruction: 'instruction',
    example: 'worked example',
    input: 'input',
    cue: 'cue: the model writes from here',
    edited: 'edited by hand',
  };
  let value = null;
  let measure = 'share';

  function take() {
    if (!props.value) return;
    const next = JSON.parse(props.value);
    message.textContent = next.message || '';
    box.classList.toggle('zs-before', Boolean(next.message));
    if (next.message) return;
    value = next;
    draw();
  }
  function draw() {
    box.textContent = '';
    const chart = Boolean(value.labels?.length || value.uses);
    tools.hidden = false;
    tools.querySelector('[data-do=copy]').hidden = !value.parts;
    for (const name of ['csv', 'png', 'svg'])
      tools.querySelector(`[data-do=${name}]`).hidden = !chart;
    if (value.parts) {
      prompt(box, value);
      if (value.labels.length) labels();
    }
    if (value.ways) ways();
    if (value.uses) uses();
  }
  function prompt(parent, shown) {
    const kinds = [...new Set(shown.parts.map(part => part.kind))];
    const legend = add(parent, 'div', 'zs-legend u-row u-type-xs');
    for (const kind of kinds) add(legend, 'span', 'zs-' + kind, NAMES[kind]);
    const from = [shown.own && 'your own template', shown.source && 'template of ' + shown.source];
    add(
      legend,
      'span',
      'zs-source',
      ['model: ' + shown.model, ...from].filter(Boolean).join(' · '),
    );
    const text = add(parent, 'div', 'zs-prompt u-reading u-pane u-type-lg u-mono');
    text.tabIndex = 0;
    text.setAttribute('role', 'group');
    text.setAttribute('aria-label', 'The prompt as the model reads it');
    for (const part of shown.parts)
      add(text, 'span', 'zs-' + part.kind, part.text).title = NAMES[part.kind];
    if (shown.answer !== undefined)
      add(text, 'span', 'zs-answer u-strong', shown.answer).title = 'written by the model';
    text.scrollTop = text.scrollHeight; // where the model goes on
    budget(parent, shown.budget);
    const alone = parent === box;
    const about = 'How much each part of the model adds to its first word';
    if (alone) addButton(parent, 'zs-why', 'Why this answer?', () => why(shown)).title = about;
    if (shown.note) add(parent, 'div', 'zs-note u-aside', shown.note);
    if (shown.people && alone) add(parent, 'div', 'zs-people u-muted u-type-sm', shown.people);
  }
  // The view of causes, with the model that was asked, which need not be the page's.
  function why({parts, name}) {
    const text = parts.map(part => part.text).join('');
    follow(new URLSearchParams({tab: 'attention', view: 'Why this word?', model: name, text}));
  }
  function budget(parent, {prompt: read, answer, window: all}) {
    const line = add(parent, 'div', 'zs-budget u-apart u-row u-muted u-type-xs u-digits');
    const bar = add(line, 'span', 'u-meter u-ramp');
    add(bar, 'i').style.width = Math.min(100, (100 * read) / all) + '%';
    add(bar, 'i', 'zs-kept').style.width =
      Math.max(0, Math.min(100 - (100 * read) / all, (100 * answer) / all)) + '%';
    const [prompted, most] = [read, answer].map(n => n.toLocaleString('en'));
    add(line, 'span', '', `prompt ${prompted} + answer up to ${most} of ${counted(all, 'token')}`);
  }
  function shares() {
    if (measure !== 'per_token') return value.labels.map(label => label[measure]);
    const top = Math.max(...value.labels.map(label => label.per_token));
    const weights = value.labels.map(label => Math.exp(label.per_token - top));
    return weights.map(weight => weight / weights.reduce((a, b) => a + b));
  }
  function labels() {
    const part = add(box, 'div', 'zs-labels');
    const head = add(part, 'div', 'zs-head u-apart u-strong', 'Probability among the labels ');
    for (const [name, [short, long]] of Object.entries(MEASURES)) {
      const button = addButton(head, `u-type-xs${name === measure ? ' chosen' : ''}`, short, () => {
        measure = name;
        draw();
        element.querySelector(`[data-measure=${name}]`)?.focus();
      });
      button.dataset.measure = name;
      button.title = long;
      button.setAttribute('aria-pressed', name === measure);
    }
    const all = shares();
    const best = Math.max(...all);
    value.labels.forEach((label, i) => {
      const row = add(part, 'div', 'zs-row u-apart' + (all[i] === best ? ' best' : ''));
      const expected = label.label === value.expected;
      add(row, 'span', 'zs-name u-mono', label.label + (expected ? ' ✓' : '')).title = expected
        ? 'expected'
        : '';
      add(add(row, 'span', 'u-track'), 'i').style.width = 100 * all[i] + '%';
      add(row, 'span', 'u-number u-digits', percent(all[i]));
      const figures = `log p ${hundredths(label.logprob)}, per token ${hundredths(label.per_token)}`;
      add(row, 'span', 'zs-small u-all u-muted u-type-xs u-digits', figures);
    });
  }
  function ways() {
    if (value.said) add(box, 'p', 'conclusion', value.said);
    if (value.note) add(box, 'div', 'zs-note u-aside', value.note);
    const columns = add(box, 'div', 'u-fit');
    for (const way of value.ways) {
      const column = add(columns, 'section', 'zs-way');
      add(column, 'h3', '', way.title);
      if (way.message) {
        add(column, 'p', 'zs-note u-aside', way.message);
        continue;
      }
      prompt(column, way);
      const lead = way.found ? `answer: ${way.found} · ` : '';
      const verdict = add(column, 'div', 'zs-verdict u-line', lead + way.verdict);
      verdict.classList.toggle('good', way.verdict === 'as expected');
    }
  }
  function uses() {
    const {answer, p, note, changes, words} = value.uses;
    const line = add(box, 'div', 'zs-head u-apart u-strong', 'Probability of “');
    add(line, 'b', '', answer);
    line.append(`” after this prompt, out of all possible texts: ${percent(p)}`);
    if (note) add(box, 'div', 'zs-note u-aside', note);
    add(box, 'p', 'zs-strongest u-apart', strongest(words, answer, p));
    const legend =
      'One word left out at a time: blue words make the answer likelier, orange ones less likely. The cue';
    add(box, 'div', 'zs-legend2 u-type-xs u-muted', `${legend}, outlined, is not coloured.`);
    const text = add(box, 'div', 'zs-prompt u-reading u-pane u-type-lg u-mono');
    text.tabIndex = 0;
    const shades = strengths(words);
    for (const [i, word] of words.entries()) {
      const kind = shades[i] === null ? 'zs-apart' : word.effect >= 0 ? 'zs-helps' : 'zs-hurts';
      const node = add(text, 'span', kind, word.text);
      node.style.setProperty('--e', Math.round(50 * (shades[i] ?? 0)));
      const [left, does] = [
        percent(Math.min(1, p * Math.exp(-word.effect))),
        word.effect >= 0 ? 'helps' : 'hurts',
      ];
      node.title = `without it ${left}, ${does} by ${Math.abs(word.effect).toFixed(2)} nats`;
    }
    if (!changes.length) return;
    const table = add(
      add(box, 'div', 'zs-scroll u-apart u-scroll'),
      'table',
      'zs-changes u-type-sm',
    );
    const [head, body] = [add(add(table, 'thead'), 'tr'), add(table, 'tbody')];
    for (const name of ['the prompt …', 'probability of the answer', '', 'effect in nats'])
      add(head, name ? 'th' : 'td', '', name);
    for (const change of [{name: 'as it is', p, effect: 0}, ...changes]) {
      const row = add(body, 'tr');
      add(row, 'td', '', change.name);
      add(row, 'td', 'u-number u-digits', percent(change.p));
      add(add(add(row, 'td'), 'span', 'u-track'), 'i').style.width =
        100 * Math.min(1, change.p) + '%';
      add(
        row,
        'td',
        'u-number u-digits',
        change.name === 'as it is' ? '' : hundredths(-change.effect),
      );
    }
  }
  function rows() {
    const scored = value.labels?.map(l => [l.label, l.tokens, l.logprob, l.per_token, l.share]);
    if (scored) return [['label', 'tokens', 'log p', 'per token', 'share'], ...scored];
    const changes = value.uses.changes.map(c => ['change', c.name, -c.effect]);
    const words = value.uses.words.map(w => [w.kind, w.text.trim(), w.effect]);
    return [['what', 'text', 'effect in nats'], ...changes, ...words];
  }
  const actions = {
    copy: async () =>
      (status.textContent = await copying(value.parts.map(part => part.text).join(''))),
    json: () => saveJson(given.name, value),
    csv: () => saveCsv(given.name, rows()),
    ...slides(status, given.name, ({bars, look}) => {
      const shown = value.uses
        ? value.uses.words.map(word => [word.text.trim(), word.effect])
        : (value.labels ?? []).map(label => [label.label, label.share]);
      if (!shown.length) return null;
      const longest = shown
        .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
        .slice(0, MOST_BARS);
      const sizes = longest.map(([, size]) => size);
      return bars({
        title: value.uses
          ? `What makes “${value.uses.answer}” likely, by word`
          : 'Likelihood of each label',
        axis: value.uses
          ? 'log-probability that is lost without the word'
          : 'share of the labels’ probability',
        names: longest.map(([name]) => name),
        series: [{values: sizes, colours: sizes.map(size => (size < 0 ? look.against : look.bar))}],
      });
    }),
  };
  onTools(element, () => value && actions);
  watch('value', take);
  take();
}
