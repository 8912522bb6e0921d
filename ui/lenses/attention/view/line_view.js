// The map as lines between the tokens in the text.
import {percent, visible} from '../../../shared/view/plain.js';
import {add, addButton} from '../../../shared/view/page.js';
import {put} from '../../../shared/view/svg.js';

export function lineView(view) {
  const {part, token, lock} = view,
    box = part('lines');
  if (!box) return {draw: () => {}}; // differences have no lines
  function draw() {
    const {value, shown, cell} = view;
    if (!value || !shown) return;
    const n = value.tokens.length;
    if (box.dataset.of !== value.key || box.querySelectorAll('.at-word').length !== n) {
      box.textContent = '';
      box.dataset.of = value.key;
      value.tokens.forEach((text, place) => {
        addButton(box, 'at-word', visible(text)).dataset.place = place;
        if (text.includes('\n')) add(box, 'br');
      });
      box.prepend(put(box, 'svg', {'aria-hidden': 'true'}));
    }
    const svg = box.querySelector('svg'),
      words = [...box.querySelectorAll('.at-word')];
    const query = box.dataset.hover ? +box.dataset.hover : cell ? cell[0] : null;
    svg.textContent = '';
    const weightAt = (q, k) => {
      const w = shown[q * n + k];
      return Number.isNaN(w) ? 0 : w;
    };
    words.forEach((word, k) => {
      word.classList.toggle('chosen', k === query);
      word.style.setProperty('--w', query === null ? 0 : Math.round(100 * Math.sqrt(Math.abs(weightAt(query, k)))));
    });
    const pitch = spread(words);
    const frame = box.getBoundingClientRect();
    svg.setAttribute('height', box.scrollHeight);
    const pairs = [];
    for (const q of query === null ? words.keys() : [query]) {
      const row = words
        .map((_, k) => [q, k, weightAt(q, k)])
        .filter(([, k, w]) => k !== q && Math.abs(w) > 0.02)
        .sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]));
      pairs.push(...row.slice(0, query === null ? 1 : 24));
    }
    for (const [q, k, w] of pairs) {
      if (query === null && Math.abs(w) < 0.15) continue;
      const a = words[q].getBoundingClientRect(),
        b = words[k].getBoundingClientRect();
      const x1 = a.left + a.width / 2 - frame.left,
        y1 = a.top - frame.top + box.scrollTop,
        x2 = b.left + b.width / 2 - frame.left,
        y2 = b.top - frame.top + box.scrollTop;
      const lift = Math.min(0.7 * pitch, 8 + Math.abs(x2 - x1) / 5);
      const path = put(svg, 'path', {
        d: `M${x1} ${y1} C${x1} ${y1 - lift} ${x2} ${y2 - lift} ${x2} ${y2}`,
        class: w < 0 ? 'less' : 'more',
      });
      path.style.strokeWidth = 1 + 5 * Math.abs(w);
      path.style.strokeOpacity = 0.25 + 0.75 * Math.sqrt(Math.abs(w));
    }
    part('lines-said').textContent =
      query === null
        ? 'Each token’s strongest look back. Point at a token, or press Enter on it, to see all of its own.'
        : `${token(query)} looks at ` +
          words
            .map((_, k) => [k, weightAt(query, k)])
            .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
            .slice(0, 4)
            .filter(([, w]) => w !== 0)
            .map(([k, w]) => `${token(k)} ${value.signed ? (w > 0 ? '+' : '') + w.toFixed(2) : percent(w)}`)
            .join(' · ');
  }
  // Rows of words as far apart as the box has room for, and the distance in px: the arcs stand between them.
  function spread(words) {
    const rows = new Set(words.map(word => word.offsetTop)).size;
    const room = parseFloat(getComputedStyle(box).maxHeight) - 30;
    const pitch = Math.max(44, Math.min(150, room / rows || 0));
    box.style.lineHeight = `${pitch}px`;
    return pitch;
  }
  const placeOfWord = e => e.target.closest?.('.at-word')?.dataset.place;
  const hoverWord = place => {
    if (place === undefined) delete box.dataset.hover;
    else box.dataset.hover = place;
    draw();
  };
  box.addEventListener('mouseover', e => {
    const place = placeOfWord(e);
    if (place !== undefined && place !== box.dataset.hover) hoverWord(place);
  });
  box.addEventListener('mouseleave', () => hoverWord(undefined));
  box.addEventListener('click', e => {
    const place = placeOfWord(e);
    if (place !== undefined) lock(view.cell && view.cell[0] === +place ? null : [+place, +place]);
  });

  return {draw};
}
