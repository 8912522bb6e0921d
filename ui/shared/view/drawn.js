// Exports a drawing on the page as SVG in its current colours, or as PNG at twice its size.
import {save} from './files.js';
import {source, sourceLine} from './source.js';
import {put} from './svg.js';

const KEPT =
  'fill stroke stroke-width stroke-dasharray opacity font-family font-size font-weight'.split(' ');

// The SVG's source, every style written into it, on the page's ground.
export function svgText(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map(item => [item, ...item.querySelectorAll('*')]);
  to.forEach((node, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of KEPT) node.style.setProperty(name, style.getPropertyValue(name));
    for (const name of ['class', 'tabindex', 'role', 'data-node', 'data-edge'])
      node.removeAttribute(name);
  });
  const {width, height} = svg.viewBox.baseVal;
  if (width)
    for (const [name, size] of Object.entries({width, height})) copy.setAttribute(name, `${size}`);
  const ground = put(copy, 'rect', {width: '100%', height: '100%'});
  ground.style.fill = getComputedStyle(document.body).getPropertyValue('--lens-paper') || '#fff';
  copy.prepend(ground);
  put(copy, 'desc').textContent = `${sourceLine(source())} · ${source().link}`;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
}

// Saves a drawing under a name, as "svg" or "png".
export async function saveDrawn(svg, name, kind) {
  const url = URL.createObjectURL(new Blob([svgText(svg)], {type: 'image/svg+xml'}));
  await savePicture(url, name, kind);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// The same of an SVG at an address.
export async function savePicture(url, name, kind) {
  if (kind === 'svg') save(`${name}.svg`, url);
  else {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    save(`${name}.png`, canvas.toDataURL('image/png'));
  }
}
