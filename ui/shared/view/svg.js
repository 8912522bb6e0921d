// SVG elements. Text goes in by textContent.
const SVG = 'http://www.w3.org/2000/svg';

// Adds an element with attributes, and text if given, to a parent.
export function put(parent, tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}
