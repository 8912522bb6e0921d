// The architecture as SVG that the server drew; a click on a part shows its formula, its count and its code.
/** @import {Component} from '../../../shared/view/component' */
/** @import {ParametersServer} from '../../../shared/view/payloads' */
import {saveDrawn} from '../../../shared/view/drawn.js';
import {add, isDark, mark, onLook} from '../../../shared/view/page.js';

/** @param {Component<unknown, ParametersServer>} page */
export function start({element, props, server, watch}) {
  const box = element.querySelector('.dr-box'),
    detail = element.querySelector('.dr-detail');
  const message = element.querySelector('.dr-message'),
    body = element.querySelector('.dr-body');
  let wanted = null,
    drawing = false,
    value = null,
    chosen = 'attention';

  // A drawing takes the server most of a second: meanwhile, only the newest of the later shapes is queued.
  async function take() {
    if (!props.value) return;
    wanted = JSON.parse(props.value);
    if (drawing) return;
    drawing = true;
    mark(element, true);
    if (!value) message.textContent = 'Computing…';
    while (wanted) {
      const request = wanted;
      wanted = null;
      const made = request.message ? null : await server.drawn({shape: request.shape});
      if (wanted) continue;
      value = made && {...JSON.parse(made), shape: request.shape};
      message.textContent = value
        ? ''
        : request.message || 'The server does not answer. Check the connection, then move a control again.';
      body.hidden = !value;
      if (value) {
        draw();
        show(value.parts[chosen] ? chosen : 'attention');
      }
    }
    drawing = false;
    mark(element, false);
  }
  function draw() {
    // The text of the drawing is numbers and names of presets, made by the server's own figure code.
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
    const list = element.querySelector('.dr-parts');
    list.textContent = '';
    for (const [key, part] of Object.entries(value.parts)) {
      const button = add(list, 'button', '', part.title);
      button.type = 'button';
      button.setAttribute('aria-pressed', key === name);
      button.addEventListener('click', () => {
        show(key);
        [...list.children].find(b => b.textContent === part.title)?.focus();
      });
    }
    const part = value.parts[name];
    detail.textContent = '';
    add(detail, 'h3', '', part.title);
    add(detail, 'p', 'dr-formula u-mono', part.formula);
    add(detail, 'p', '', part.count);
    for (const [place, code] of part.code) {
      add(detail, 'p', 'dr-place u-apart u-muted u-type-xs', place);
      add(detail, 'pre', 'dr-code u-pane u-type-xs u-mono u-scroll', code).tabIndex = 0; // it scrolls
    }
  }
  element.querySelector('.ts-tools').addEventListener('click', e => {
    const kind = e.target.dataset.do;
    if (kind && value) saveDrawn(element.querySelector('.dr-box svg'), `${value.name}-architecture`, kind);
  });
  onLook(() => {
    if (value) draw();
  });
  watch('value', take);
  take();
}
