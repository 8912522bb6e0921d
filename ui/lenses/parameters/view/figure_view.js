// A figure that the server drew for light and for dark, with a paragraph under it.
/** @import {Component} from '../../../shared/view/component' */
/** @import {ExperimentFigure, ParametersServer} from '../../../shared/view/payloads' */
import {savePicture} from '../../../shared/view/drawn.js';
import {isDark, onLook, onTools} from '../../../shared/view/page.js';
import {drawSection} from '../../../shared/view/sheet_view.js';

/** @param {Component<ExperimentFigure, ParametersServer>} page */
export function start({element, props, watch}) {
  const [image, text, tables] = ['img', '.fg-text', '.fg-tables'].map(name => element.querySelector(name));
  let value = null;
  const chosen = () => document.querySelector('#experiment input:checked')?.closest('label').textContent.trim();
  function draw() {
    if (!props.value) return;
    const next = JSON.parse(props.value);
    if (next.name && next.name !== (chosen() ?? next.name)) return; // another was chosen since, and is on its way
    value = next;
    image.hidden = !value.light;
    if (value.light) {
      image.src = isDark() ? value.dark : value.light;
      image.alt = value.name;
    }
    text.textContent = value.message || value.text;
    tables.textContent = '';
    value.tables?.forEach(table => drawSection(tables, table));
  }
  const fileName = () => value.name.toLowerCase().replaceAll(' ', '-');
  const saved = kind => () => value?.light && savePicture(image.src, fileName(), kind);
  onTools(element.querySelector('.ts-tools'), () => ({png: saved('png'), svg: saved('svg')}));
  document.querySelector('#experiment')?.addEventListener('change', draw); // its answer may have come before
  onLook(draw);
  watch('value', draw);
  draw();
}
