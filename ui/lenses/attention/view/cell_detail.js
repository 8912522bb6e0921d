// The line below a map: what the cell in sight says.

// view: {part, value, shown, cell, hovered, preview, token}, as they are now.
export function cellDetail(view) {
  function draw() {
    const {part, value, shown, cell, hovered, preview} = view,
      at = hovered || cell,
      line = part('detail');
    if (!at || !shown) {
      line.textContent = matchMedia('(pointer: coarse)').matches
        ? 'Tap a cell for its value; + and − zoom in on it.'
        : `Point at a cell, or use the arrow keys, for its value. Drag to zoom, double-click to see all; ` +
          'Shift with an arrow key goes to the next head.';
      return;
    }
    const [q, k] = at,
      weight = shown[q * value.tokens.length + k];
    const amount =
      value.causal && k > q
        ? 'a token cannot look ahead'
        : Number.isNaN(weight)
          ? 'n/a, there is nothing else to look at'
          : (preview ? '≈ ' : '') +
            (value.signed && weight > 0 ? '+' : '') +
            weight.toFixed(preview ? 1 : 4);
    const [from, to] = [q, k].map(place => `${view.token(place)} (no. ${place})`);
    line.textContent = `reading token ${from} → looked at ${to}: ${amount}`;
  }
  return {draw};
}
