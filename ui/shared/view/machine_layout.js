// Where the parts of the machine stand: from left to right on a screen, from top to bottom on a
// phone. Pure numbers.

const ROW = 21; // pixels from token to token
// of a block along the flow, when it lies; upright blocks are as high as a line and its arcs
const LEAST_BLOCK = 62;
const UPRIGHT_BLOCK = 40;

// Blocks in groups of the same size, at most so many of them: [[first, last], ...].
export function folded(n, most) {
  const size = Math.ceil(n / Math.max(1, most));
  return Array.from({length: Math.ceil(n / size)}, (_, i) => [
    i * size,
    Math.min(n, (i + 1) * size) - 1,
  ]);
}

// The places of tokens that are shown: the last ones up to the place that is looked at, and of the
// others those that are looked at hardest (weights by place); null, in front, stands for all that
// are left out.
export function shownTokens(n, at, most, weights = new Map()) {
  if (n <= most) return Array.from({length: n}, (_, i) => i);
  const near = Math.ceil(most / 2);
  const kept = new Set(Array.from({length: Math.min(near, at + 1)}, (_, i) => at - i));
  const hardest = [...weights].filter(([place]) => place < at).toSorted((a, b) => b[1] - a[1]);
  for (const [place] of hardest) if (kept.size < most - 1) kept.add(place);
  for (let place = at - near; place >= 0 && kept.size < most - 1; place--) kept.add(place);
  for (let place = at + 1; place < n && kept.size < most - 1; place++) kept.add(place);
  return [null, ...[...kept].toSorted((a, b) => a - b)];
}

// Everything that a picture needs: {upright, width, height, tokens, groups, point(flow, place) ->
// [x, y], ends}.
export function layout({width, L, n, at, weights, most = 11, under = 78}) {
  const upright = width < 640;
  const names = upright ? 74 : Math.min(150, width * 0.12); // room for the tokens' names
  const embed = upright ? 26 : 44;
  const norm = upright ? 26 : 40;
  // Beside the streams a phone has room for what the blocks write and would say.
  const beside = width < 360 ? 190 : 120;
  const shown = shownTokens(
    n,
    at,
    upright ? Math.min(most, Math.floor((width - beside) / ROW)) : most,
    weights,
  );
  const room = width - names - embed - norm - 12;
  const groups = folded(
    L,
    upright ? 12 : Math.max(1, Math.min(12, Math.floor(room / LEAST_BLOCK))),
  );
  const block = upright ? UPRIGHT_BLOCK : room / groups.length;
  const across = ROW * (shown.length - 1) + 16;
  const begin = names + embed; // along the flow, where the first block begins
  const end = begin + block * groups.length; // and the last one ends
  const place = token => {
    const row = shown.indexOf(token);
    return 10 + ROW * (row < 0 ? 0 : row);
  };
  const top = upright ? 6 : 22; // across the flow, before the first token
  const height = upright ? end + norm + 8 : top + across + under;
  const point = (flow, token) =>
    upright ? [top + place(token), flow] : [flow, top + place(token)];
  const sizes = {width, height, names, embed, begin, block, end, norm, top, across};
  return {upright, shown, groups, ...sizes, place: token => top + place(token), point};
}

// A look from one token back at another, within a block: a curve that leaves the earlier token's
// line and joins that of the later one, where attention writes.
export function lookPath(at, begin, length, from, to) {
  const place = (share, token) => at.point(begin + share * length, token).map(round);
  return `M${place(0, to)} C${place(0.36, to)} ${place(0.26, from)} ${place(0.62, from)}`;
}

const round = value => Math.round(value * 10) / 10;
