// Nodes of the page. Text goes into them by textContent alone.

export function add(parent, tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// A button, which never submits a form.
export function addButton(parent, className, text, press) {
  const button = add(parent, 'button', className, text);
  button.type = 'button';
  if (press) button.addEventListener('click', press);
  return button;
}

// Dispatches clicks to the action named in the button's data-do.
export function onTools(element, actions) {
  element.addEventListener('click', event => actions()?.[event.target.dataset?.do]?.(event));
}

// Says something for some seconds.
export function sayBriefly(node, text, seconds) {
  node.textContent = text;
  setTimeout(() => (node.textContent = ''), 1000 * seconds);
}

// What one does to a part of a figure: with a mouse, or with a finger.
export const POINT_AT = globalThis.matchMedia?.('(hover: none)').matches ? 'Tap' : 'Point at';
