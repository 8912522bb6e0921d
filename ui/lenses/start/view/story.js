// The story behind the page, a chapter at a time. The first is computed on the sentence above it.
import {percent, visible} from '../../../shared/view/plain.js';
import {add, addButton} from '../../../shared/view/dom.js';
import {drawSection} from '../../../shared/view/sheet_view.js';

const FORMULA = `<math display="block"><mi>P</mi><mo>(</mo><mi>text</mi><mo>)</mo><mo>=</mo>
<munder><mo>∏</mo><mi>i</mi></munder><mi>P</mi><mo>(</mo><msub><mi>u</mi><mi>i</mi></msub><mo>|</mo>
<msub><mi>u</mi><mn>1</mn></msub><mo>,</mo><mo>…</mo><mo>,</mo>
<msub><mi>u</mi><mrow><mi>i</mi><mo>−</mo><mn>1</mn></mrow></msub><mo>)</mo></math>
<math display="block"><msub><mi>L</mi><mn>1</mn></msub><mo>=</mo><munder><mo>∑</mo><mi>i</mi></munder>
<mi>log</mi><mi>P</mi><mo>(</mo><msub><mi>u</mi><mi>i</mi></msub><mo>|</mo>
<msub><mi>u</mi><mrow><mi>i</mi><mo>−</mo><mi>k</mi></mrow></msub><mo>,</mo><mo>…</mo><mo>,</mo>
<msub><mi>u</mi><mrow><mi>i</mi><mo>−</mo><mn>1</mn></mrow></msub><mo>;</mo><mi>Θ</mi><mo>)</mo></math>`;

// [title, who sees whom of 6 words as a function of (row, column), what for, what against]
/** @type {[string, (row: number, column: number) => number, string, string][]} */
// prettier-ignore
const OPTIONS = [
  ['RNN, LSTM', (row, column) => (column <= row ? 0.75 ** (row - column) : 0),
    'Well known then, and cheap: it passes one state on from word to word.',
    'Each word must wait for the last, so training is slow, and what was read long ago fades.'],
  ['Transformer encoder', () => 1,
    'Every word sees all others at once. BERT took it four months later, to understand text.',
    'It cannot write: each word has already seen the next one.'],
  ['Transformer decoder: GPT', (row, column) => (column <= row ? 1 : 0),
    'It learns from all words at once, and it can write, because no word sees the future.',
    'A word is read only with what is to its left.'],
];
const textOf = tokens => tokens.map(token => token.text).join('');
const minus = value => value.toFixed(2).replace('-', '−');
const WORDS = ['the', 'fox', 'saw', 'a', 'red', 'hen'];

export function story(box, server, sentence) {
  let chapters = null;
  let at = 0;

  async function open() {
    if (!chapters) {
      box.textContent = 'Opening the story…';
      const answer = await server.chapters(null);
      chapters = answer ? JSON.parse(answer) : null;
    }
    if (chapters) draw();
    else box.textContent = 'The server did not answer. Try again, or reload the page.';
  }

  function draw() {
    box.textContent = '';
    const row = add(box, 'div', 'sy-chapters u-row');
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', 'Chapters');
    chapters.forEach((chapter, i) => {
      const button = addButton(row, '', chapter.title, () => {
        at = i;
        draw();
        box.querySelectorAll('.sy-chapters button')[i].focus();
      });
      button.setAttribute('aria-pressed', i === at);
    });
    add(box, 'p', 'sy-text u-apart', chapters[at].text);
    const page = add(box, 'div', 'sy-page u-two');
    if (chapters[at].shows === 'objective') drawObjective(page);
    else if (chapters[at].shows === 'options') drawOptions(page);
    else chapters[at].sections.forEach(section => drawSection(page, section));
  }

  function drawObjective(page) {
    page.classList.add('sy-two');
    add(page, 'div', 'sy-formula u-type-lg').innerHTML = FORMULA; // a constant
    const tokens = sentence();
    if (!tokens) return;
    const factors = tokens.filter(token => token.p !== null);
    let sum = 0;
    const rows = factors.map((token, i) => {
      sum += Math.log(token.p);
      const before = textOf(tokens.slice(0, i + 1)).trim(),
        product = Math.exp(sum);
      const factor = `P(${visible(token.label)} | ${before.length > 24 ? `…${before.slice(-24)}` : before})`;
      const so = product < 0.001 ? product.toExponential(1) : percent(product);
      return [factor, percent(token.p), minus(Math.log(token.p)), so];
    });
    const n = Math.max(1, factors.length);
    drawSection(page, {
      title: 'Factor by factor',
      text: `The first token has nothing before it, so the sum begins with the second. L1 is ${minus(sum)}; training
        makes the loss small, which is −L1 for each token: ${(-sum / n).toFixed(2)} nats. Its exponential, the
        perplexity, is ${Math.exp(-sum / n).toFixed(1)}: as unsure as choosing among so many equally likely tokens.`,
      columns: ['factor', 'chance', 'log', 'product so far'],
      rows,
      source: 'GPT-1 paper, equation 1; k is the window, Θ all weights',
    });
  }

  function drawOptions(page) {
    page.classList.add('sy-three');
    for (const [title, sees, pro, contra] of OPTIONS) {
      const part = add(page, 'section', 'sy-option');
      add(part, 'h3', '', title);
      const grid = add(part, 'div', 'sy-grid u-type-sm');
      grid.setAttribute('role', 'img');
      grid.setAttribute('aria-label', `${title}: which words the word of a row can use`);
      WORDS.forEach((word, r) => {
        add(grid, 'span', 'sy-word u-mono', word);
        WORDS.forEach((_, c) =>
          add(grid, 'span', 'sy-cell').style.setProperty('--share', sees(r, c)),
        );
      });
      add(part, 'p', '', pro);
      add(part, 'p', 'sy-against u-muted', contra);
    }
  }

  return {
    open,
    redraw: () => {
      if (!box.hidden && chapters?.[at].shows === 'objective') draw();
    },
  };
}
