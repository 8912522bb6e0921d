// What a link to a view of heads holds besides its fields: how a head is drawn, the cell that was
// clicked, the zoom.
import {holdsState, isLinkedText, linked} from '../../../shared/view/link.js';

const OTHER_MODES = ['lines', 'steps']; // besides the map

const numbers = text =>
  (text ?? '').split('-').filter(Boolean).map(Number).filter(Number.isInteger);

// Whether the address that this page was opened by is about this text.
export const isOfLink = isLinkedText;

// The [layer, head] that it names, if a model of this shape has it.
export function headInLink({L, H}) {
  const [layer, head] = ['layer', 'head'].map(name => parseInt(linked(name) ?? '', 10));
  return layer >= 0 && layer < L && head >= 0 && head < H ? [layer, head] : null;
}

// How it says that a text of n tokens is drawn; null for what it does not say.
export function viewInLink(n) {
  const [q, k] = numbers(linked('cell'));
  const zoom = numbers(linked('zoom'));
  const fits =
    zoom.length === 4 &&
    zoom.every(x => x >= 0 && x <= n) &&
    zoom[1] - zoom[0] > 1 &&
    zoom[3] - zoom[2] > 1;
  return {
    cell: q < n && k < n ? [q, k] : null,
    zoom: fits ? {q0: zoom[0], q1: zoom[1], k0: zoom[2], k1: zoom[3]} : null,
    mode: OTHER_MODES.includes(linked('draws')) ? linked('draws') : null,
  };
}

// The [layer, head] of a difference that it names; null for none.
export function differenceInLink() {
  const [layer, head] = numbers(linked('difference'));
  return head === undefined ? null : [layer, head];
}

function zoomOf({large, value}) {
  if (!value) return null;
  const zoom = large.zoom();
  const n = value.tokens.length;
  const isWhole = zoom.q1 - zoom.q0 === n && zoom.k1 - zoom.k0 === n;
  return isWhole ? null : [zoom.q0, zoom.q1, zoom.k0, zoom.k1].map(Math.round).join('-');
}

const ofHeads = {
  draws: view => (view.mode === 'map' ? null : view.mode),
  cell: view => view.cell?.join('-') ?? null,
  zoom: zoomOf,
};
const ofDifference = {difference: view => view.value && view.chosen.join('-')};

// The views of heads of one text: that of the model, and the recorded one of a model that is not
// here. One of them is in sight.
const alike = [];
const inSight = () => alike.find(view => view.element.getClientRects().length) ?? alike[0];

// Declares what a link holds of a view of heads, as it is when the link is made. take: shows what
// another link says.
export function holdHeads(view, take) {
  const pieces = Object.entries(view.signed ? ofDifference : ofHeads);
  if (!view.signed) alike.push(view);
  const held = pieces.map(([name, value]) => [
    name,
    () => value(view.signed ? view : (inSight() ?? view)),
  ]);
  const isThere = () => pieces.every(([name, value]) => value(view) === linked(name));
  const place = view.signed ? 'attention/pair' : 'attention/heads';
  holdsState(place, Object.fromEntries(held), () => isThere() || take());
}
