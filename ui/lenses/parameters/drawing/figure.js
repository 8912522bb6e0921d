// A figure that the server drew for light and for dark, with a paragraph under it.
/** @import {Component} from '../../../shared/view/component' */
/** @import {ExperimentFigure, ParametersServer} from '../../../shared/view/payloads' */
import {savePicture} from '../../../shared/view/drawn.js';
import {onTools} from '../../../shared/view/dom.js';
import {isDark, onLook} from '../../../shared/view/look.js';
import {drawSection} from '../../../shared/view/sheet_view.js';

/** @param {Component<ExperimentFigure, ParametersServer>} page */
export function start({element, props, watch}) {
  const [image, text, tables] = ['img', '.fg-text', '.fg-tables'].map(name =>
    element.querySelector(name),
  );
  let value = null;
  function draw() {
    if (!props.value) return;
    value = JSON.parse(props.value);
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
  onLook(draw);
  watch('value', draw);
  draw();
}
