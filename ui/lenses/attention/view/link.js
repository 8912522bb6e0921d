// What a link to Attention holds: model, text, head, kind of view, the cell that was clicked, and the zoom.
const OTHER_MODES = ['lines', 'steps']; // besides the map

const query = () => new URLSearchParams(location.search);
const numbers = name => (query().get(name) || '').split('-').filter(Boolean).map(Number).filter(Number.isInteger);

// Whether the page's address is about this text, or about any.
export const isOfLink = text => !query().has('text') || query().get('text') === text;

// The [layer, head] that the address names, if a model of this shape has it.
export function headInLink({L, H}) {
  const [layer, head] = ['layer', 'head'].map(name => parseInt(query().get(name) ?? '', 10));
  return layer >= 0 && layer < L && head >= 0 && head < H ? [layer, head] : null;
}

// How the address says that a text of n tokens is drawn; null for what it does not say.
export function viewInLink(n) {
  const [q, k] = numbers('cell'),
    zoom = numbers('zoom'),
    mode = query().get('draws') ?? query().get('view') ?? ''; // links used to say it in view
  const fits = zoom.length === 4 && zoom.every(x => x >= 0 && x <= n) && zoom[1] - zoom[0] > 1 && zoom[3] - zoom[2] > 1;
  return {
    cell: q < n && k < n ? [q, k] : null,
    zoom: fits ? {q0: zoom[0], q1: zoom[1], k0: zoom[2], k1: zoom[3]} : null,
    mode: OTHER_MODES.includes(mode) ? mode : null,
  };
}

export function linkOf({value, head, mode, cell, zoom}) {
  const n = value.tokens.length;
  const whole = zoom.q1 - zoom.q0 === n && zoom.k1 - zoom.k0 === n;
  return {
    tab: 'attention',
    model: value.model,
    text: value.text,
    sink: value.mode,
    keep: value.keep,
    layer: head[0],
    head: head[1],
    ...(mode === 'map' ? {} : {draws: mode}),
    ...(cell ? {cell: cell.join('-')} : {}),
    ...(whole ? {} : {zoom: [zoom.q0, zoom.q1, zoom.k0, zoom.k1].map(Math.round).join('-')}),
  };
}
