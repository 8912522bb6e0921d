// How the next token is drawn: the temperature reshapes the model's probabilities, top-k cuts all
// but the likeliest, and a seed makes every draw repeatable. Pure functions.

export const STEP = 0.05; // of the temperature's handle
export const HOTTEST = 2;

// A number in [0, 1) for a seed and a place in the text; the same every time. Source: mulberry32
// (Tommy Ettinger).
export function uniform(seed, place) {
  let state = (Math.imul(seed, 0x9e3779b1) + Math.imul(place + 1, 0x85ebca6b)) >>> 0;
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

// What each of the tokens shown has at a temperature, and what all others have together: {shown,
// rest}, in sum 1. scores: natural log-probabilities of the tokens shown; logSums: at each step of
// the handle above 0, the logarithm of the sum of all tokens' probabilities to the power of 1 /
// temperature. topK: how many of the tokens shown stay, the likeliest; 0 keeps every token.
export function reshaped(scores, logSums, temperature, topK = 0) {
  const order = scores.map((_, i) => i).toSorted((a, b) => scores[b] - scores[a]);
  if (temperature === 0) return {shown: scores.map((_, i) => (i === order[0] ? 1 : 0)), rest: 0};
  const logSum = logSums[Math.round(temperature / STEP) - 1];
  const all = scores.map(score => Math.exp(score / temperature - logSum));
  if (!topK) return {shown: all, rest: Math.max(0, 1 - sum(all))};
  const kept = new Set(order.slice(0, topK));
  const whole = sum(all.filter((_, i) => kept.has(i)));
  return {shown: all.map((p, i) => (kept.has(i) ? p / whole : 0)), rest: 0};
}

// On which token a draw falls: {at: its row} among those shown, or {share} where it falls among the
// others, 0 to 1.
export function fallen({shown, rest}, u) {
  let left = u * (sum(shown) + rest);
  for (const [at, p] of shown.entries()) {
    if (p && left < p) return {at};
    left -= p;
  }
  if (rest > 0) return {share: Math.min(1, Math.max(0, left / rest))};
  return {at: shown.findLastIndex(p => p > 0)};
}

const sum = values => values.reduce((total, value) => total + value, 0);
