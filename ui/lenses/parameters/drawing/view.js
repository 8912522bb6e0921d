// The architecture as SVG that the server drew; a click on a part shows its formula, its count and
// its code.
/** @import {Component} from '../../../shared/view/component' */
/** @import {ParametersServer} from '../../../shared/view/payloads' */
import {saveDrawn} from '../../../shared/view/drawn.js';
import {valueOf} from '../../../shared/view/store.js';
import {add, addButton, onTools} from '../../../shared/view/dom.js';
import {isDark, onLook} from '../../../shared/view/look.js';

const REFUSED =
  'This shape cannot be drawn. The Count view says why; if it does not, the server is not answering.';

/** @param {Component<string, ParametersServer>} page */
export function start({element, server, answer}) {
  const names = ['box', 'detail', 'message', 'body', 'parts'];
  const [box, detail, message, body, list] = names.map(name =>
    element.querySelector(`.dr-${name}`),
  );
  let value = null;
  let chosen = 'attention';

  // A drawing takes the server most of a second.
  answer.ask = async () => {
    const question = answer.question();
    const sizes = answer.needs.filter(name => name.startsWith('shape.'));
    const shape = Object.fromEntries(
      sizes.map(name => [name.replace('shape.', ''), valueOf(name)]),
    );
    answer.begins();
    if (!value) message.textContent = 'Computing…';
    const made = await server.drawn({shape});
    value = made ? JSON.parse(made) : null;
    answer.answer(question);
    answer.ends();
    message.textContent = value ? '' : REFUSED;
    body.hidden = !value;
    if (!value) return;
    draw();
    show(value.parts[chosen] ? chosen : 'attention');
  };

  function draw() {
    // The text of the drawing is numbers and names of presets, made by the server's own figure
    // code.
    box.innerHTML = isDark() ? value.dark : value.light;
    const svg = box.querySelector('svg');
    svg.removeAttribute('width');
    svg.removeAttribute('height');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', 'Architecture; the parts are listed as buttons below');
    for (const part of box.querySelectorAll('[id^="part-"]')) {
      const name = part.id.slice(5).replace(/^block-.*/, 'attention');
      part.style.cursor = 'pointer';
      part.addEventListener('click', () => show(name));
    }
  }
  function show(name) {
    if (!value.parts[name]) return;
    chosen = name;
    list.textContent = '';
    for (const [key, part] of Object.entries(value.parts)) {
      const press = () => {
        show(key);
        [...list.children].find(b => b.textContent === part.title)?.focus();
      };
      addButton(list, '', part.title, press).setAttribute('aria-pressed', key === name);
    }
    const part = value.parts[name];
    detail.textContent = '';
    add(detail, 'h3', '', part.title);
    add(detail, 'p', 'dr-formula u-mono', part.formula);
    add(detail, 'p', '', part.count);
    for (const [place, code] of part.code) {
      add(detail, 'p', 'dr-place u-apart u-muted u-type-xs', place);
      // it scrolls
      add(detail, 'pre', 'dr-code u-pane u-type-xs u-mono u-scroll', code).tabIndex = 0;
    }
  }
  const saved = kind => () =>
    value && saveDrawn(box.querySelector('svg'), `${value.name}-architecture`, kind);
  onTools(element.querySelector('.ts-tools'), () => ({png: saved('png'), svg: saved('svg')}));
  onLook(() => value && draw());
}
