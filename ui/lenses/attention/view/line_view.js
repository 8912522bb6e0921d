// The map as lines between the tokens in the text.
import {percent, visible} from '../../../shared/view/plain.js';
import {POINT_AT, add, addButton} from '../../../shared/view/dom.js';
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
    // What a token looks at, the hardest first: [place, weight].
    const looks = q =>
      words
        .map((_, k) => [k, shown[q * n + k] || 0])
        .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    words.forEach((word, k) => {
      word.classList.toggle('chosen', k === query);
      const weight = query === null ? 0 : shown[query * n + k] || 0;
      word.style.setProperty('--w', Math.round(100 * Math.sqrt(Math.abs(weight))));
    });
    const pitch = spread(words);
    const frame = box.getBoundingClientRect();
    svg.setAttribute('height', box.scrollHeight);
    const [least, most] = query === null ? [0.15, 1] : [0.02, 24];
    const over = word => {
      const {left, width, top} = word.getBoundingClientRect();
      return [left + width / 2 - frame.left, top - frame.top + box.scrollTop];
    };
    for (const q of query === null ? words.keys() : [query])
      for (const [k, w] of looks(q)
        .filter(([place]) => place !== q)
        .slice(0, most)) {
        if (Math.abs(w) <= least) continue;
        const [x1, y1] = over(words[q]),
          [x2, y2] = over(words[k]),
          lift = Math.min(0.7 * pitch, 8 + Math.abs(x2 - x1) / 5);
        const path = put(svg, 'path', {
          d: `M${x1} ${y1} C${x1} ${y1 - lift} ${x2} ${y2 - lift} ${x2} ${y2}`,
        });
        path.style.strokeWidth = 1 + 5 * Math.abs(w);
        path.style.strokeOpacity = 0.25 + 0.75 * Math.sqrt(Math.abs(w));
      }
    const best = query === null ? [] : looks(query).slice(0, 4);
    const named = best.flatMap(([k, w]) => (w ? `${token(k)} ${percent(w)}` : [])).join(' · ');
    part('lines-said').textContent =
      query === null
        ? `Arcs: each token’s strongest look back. ${POINT_AT} a token, or press Enter on it, to see the rest.`
        : `${token(query)} looks at ${named}`;
  }
  // Rows of words as far apart as the box has room for, and the distance in px: the arcs stand
  // between them.
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
