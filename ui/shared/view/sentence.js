// A conclusion in words, a plain text.
/** @import {Component} from './component' */

/** @param {Component<string>} page */
export function start({element, props, watch}) {
  const draw = () => (element.querySelector('.conclusion').textContent = props.value ?? '');
  watch('value', draw);
  draw();
}
