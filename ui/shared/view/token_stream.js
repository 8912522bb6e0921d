// The value is lines of JSON that are only ever appended to; what has been drawn is never drawn
// again. Model text goes into the page by textContent alone.
import {counted, percent, visible} from './plain.js';
import {copying} from './clipboard.js';
import {POINT_AT, add, addButton, onTools, sayBriefly} from './dom.js';
import {saveJson, saveText} from './files.js';
import {letters, overLetter} from './letters.js';
import {offer} from './offers.js';
import {goTo} from './places.js';
import {setSentence} from './store.js';
import {askWhy} from './why.js';
import {hold} from './kept.js';

const MOST_BYTES = 4; // of a letter in UTF-8

export function start({element, props, trigger, watch, given, answer}) {
  const box = element.querySelector('.ts-text');
  const stats = element.querySelector('.ts-stats');
  const detail = element.querySelector('.ts-detail');
  const status = element.querySelector('.ts-said');
  const onward = element.querySelector('[data-do=onward]');
  box.setAttribute('aria-label', given.name || 'Text');

  let shown = '',
    prompt = '',
    tokens = [],
    nodes = [],
    told = null, // what stands here in place of the value
    hovered = -1,
    locked = -1,
    picked = null, // the token that was asked for in a place, and those before it
    summary = {};

  function drawToken(record) {
    const node = add(box, 'span', 'ts-token');
    // Surprise is drawn, so that likely text stays calm: every bit of surprisal beyond 2 adds as
    // much, up to 8 bits. The legend's ramp is the same.
    const beyond = -Math.log2(Math.max(record.p, 1e-9)) - 2;
    node.style.setProperty('--s', String(Math.round((80 * Math.min(6, Math.max(0, beyond))) / 6)));
    if (!record.text) {
      node.classList.add('ts-chip');
      node.textContent = record.label;
    } else {
      record.text.split('\n').forEach((part, i) => {
        if (i) add(node, 'span', 'ts-mark u-type-xs', '⏎').after('\n');
        node.append(part);
      });
    }
    node.dataset.i = String(tokens.length);
    tokens.push(record);
    nodes.push(node);
    const [from, to] = letters(tokens.slice(-MOST_BYTES))
      .at(-1)
      .map(i => i + Math.max(0, tokens.length - MOST_BYTES));
    if (from === to || !record.text) return;
    node.textContent = record.label;
    overLetter(nodes.slice(from), record.text);
  }

  const conclusion = element.querySelector('.conclusion');
  function drawStats() {
    const parts = [];
    const {perplexity, bits_per_byte: byte, bits_per_token: token} = summary;
    if (perplexity !== undefined)
      parts.push(`perplexity ${perplexity}`, `${byte} bits per byte`, `${token} bits per token`);
    if (summary.waiting) parts.push(summary.waiting);
    if (summary.n !== undefined) parts.push(`${summary.n} token${summary.n === 1 ? '' : 's'}`);
    if (summary.rate) parts.push(`${summary.rate} tokens/s`);
    if (summary.first_ms) parts.push(`first after ${summary.first_ms} ms`);
    const ends = {
      length: 'length reached',
      'end-of-text': 'the model ended the text',
      stop: 'stop string found',
      stopped: 'stopped',
      cut: 'the connection broke here',
      kept: 'kept by this browser',
      step: '',
    };
    if (summary.end) parts.push(ends[summary.end] ?? summary.end);
    stats.textContent = parts.filter(Boolean).join(' · ');
    conclusion.textContent = summary.said ?? '';
    onward.hidden = !(given.branching && summary.end);
  }

  function reset() {
    shown = '';
    box.textContent = stats.textContent = conclusion.textContent = '';
    [prompt, tokens, nodes, summary] = ['', [], [], {}];
    hovered = locked = -1;
    element.classList.remove('ts-locked');
    idle();
  }

  const idsTo = n => tokens.slice(0, n).map(t => t.id);

  function idle() {
    const hint = `${POINT_AT} a token, or use the arrow keys, to see its other candidates.`;
    detail.textContent = '';
    add(detail, 'span', 'what', tokens.length ? hint : '');
  }

  function sync() {
    const value = told ?? (props.value || '');
    // Another text, or this one cut short by Undo.
    if (!value.startsWith(shown)) reset();
    const end = value.lastIndexOf('\n') + 1;
    if (end <= shown.length) return;
    // Follows a growing text to its end; shows a complete one from its beginning.
    const growing = shown !== '';
    const atEnd = growing && box.scrollTop + box.clientHeight >= box.scrollHeight - 40;
    for (const line of value.slice(shown.length, end).split('\n')) {
      if (!line) continue;
      const record = JSON.parse(line);
      if (record.kind === 'prompt') {
        prompt = record.text;
        add(box, 'span', 'ts-prompt u-muted', record.text);
      } else if (record.kind === 'token') drawToken(record);
      else if (record.kind === 'note')
        add(box, 'span', 'ts-note u-apart u-muted u-type-xs', record.text);
      else if (record.kind === 'stats') summary = record;
    }
    shown = value.slice(0, end);
    if (picked && picked.place < tokens.length) {
      if (picked.ids === idsTo(picked.place + 1).join()) lock(picked.place);
      picked = null;
    }
    drawStats();
    if (locked < 0 && hovered < 0) idle();
    if (atEnd || given.tail) box.scrollTop = box.scrollHeight;
  }

  function show(i) {
    const record = tokens[i];
    if (!record) return idle();
    detail.textContent = '';
    const what = add(detail, 'span', 'what');
    add(what, 'b', '', visible(record.label));
    what.append(
      ` · token ${record.id} · probability ${percent(record.p)} of all tokens` +
        ` · ranked ${record.rank} by the model` +
        (record.candidates !== undefined
          ? ` · ${counted(record.candidates, 'candidate')} left, chance ${percent(record.chance)}`
          : record.yours
            ? ' · your choice'
            : ` · surprisal ${(-Math.log2(Math.max(record.p, 1e-12))).toFixed(1)} bits`),
    );
    for (const [label, p, id] of record.others || []) {
      const button = addButton(
        detail,
        id === record.id ? 'chosen' : '',
        `${visible(label)}  ${percent(p)}`,
      );
      if (given.branching) {
        button.title = 'Write on from here with this token';
        button.addEventListener('click', () => {
          box.focus();
          picked = {place: i, ids: [...idsTo(i), id].join()};
          trigger('pick', {place: i, id: id});
        });
      } else button.disabled = true;
    }
    if (given.branching) {
      const why = addButton(detail, 'ts-why', 'Why?', () => askWhy(text(i), record.id));
      why.title = 'How much each part of the model contributed to this token (W)';
    }
    addButton(detail, 'ts-close', 'Close', () => lock(-1));
  }

  function point(i, className) {
    box.querySelector('.' + className)?.classList.remove(className);
    nodes[i]?.classList.add(className);
  }
  function hover(i) {
    hovered = i;
    point(i, 'hover');
    show(i >= 0 ? i : locked);
  }
  function lock(i) {
    locked = i;
    // on a phone its alternatives come up from the bottom
    element.classList.toggle('ts-locked', i >= 0);
    point(i, 'locked');
    show(i);
  }

  const indexOf = event => {
    const i = event.target.closest?.('.ts-token')?.dataset.i;
    return i === undefined ? -1 : +i;
  };
  box.addEventListener('mouseover', e => indexOf(e) >= 0 && hover(indexOf(e)));
  box.addEventListener('mouseleave', () => locked >= 0 && hover(-1));
  box.addEventListener('click', e => {
    const i = indexOf(e);
    if (i >= 0) lock(i === locked ? -1 : i);
  });
  box.addEventListener('keydown', e => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key];
    if (step && tokens.length) {
      e.preventDefault();
      const from = locked >= 0 ? locked : hovered >= 0 ? hovered : step > 0 ? -1 : tokens.length;
      lock(Math.min(tokens.length - 1, Math.max(0, from + step)));
      nodes[locked].scrollIntoView({block: 'nearest'});
    } else if (e.key === 'Escape') {
      lock(-1);
      hover(-1);
    }
  });

  // The prompt, and the first tokens behind it.
  const text = (n = tokens.length) =>
    tokens.slice(0, n).reduce((before, token) => before + token.text, prompt);
  const actions = {
    copy: async () => sayBriefly(status, await copying(text()), 2),
    knew: () => {
      setSentence(text());
      goTo(new URLSearchParams({tab: 'attention', view: 'Layers'}));
    },
    onward: () => {
      onward.hidden = true;
      box.focus();
      trigger('continue_text', {});
    },
    txt: () => saveText('text.txt', 'text/plain', text()),
    json: () => saveJson('text', {prompt, text: text(), stats: summary, tokens}),
  };
  onTools(element.querySelector('.ts-tools'), () => actions);

  if (given.branching) addEventListener('pagehide', () => hold({text: text()}));

  watch('value', () => {
    told = null;
    sync();
  });
  // For pages that follow a speaker's: the text that stands here, and how another one is shown.
  if (given.branching)
    offer('written', {
      read: () => shown,
      show(lines) {
        told = lines;
        answer.answer();
        sync();
      },
    });
  sync();
}
