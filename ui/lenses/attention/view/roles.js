// What heads are called: [a word for a small picture, short name, what it looks at].
export const ROLES = {
  induction: ['copies', 'induction', 'what came after this token last time'],
  duplicate: ['same', 'same token', 'earlier occurrences of the same token'],
  previous: ['before', 'token before', 'the token just before'],
  self: ['itself', 'itself', 'the token itself'],
  first: ['rests', 'rests on the first', 'the first token: it rests'],
  mixed: ['', 'mixed', 'no one thing in particular'],
};

export const nameOf = at => `Layer ${at[0]} · head ${at[1]}`;

// Whether two places, such as [layer, head], are the same.
export const same = (a, b) => a[0] === b[0] && a[1] === b[1];

// The place of a row's largest weight; what is not available counts as nothing.
export const strongest = row =>
  row.reduce((best, weight, place) => (weight > row[best] ? place : best), 0);

// What a small picture of a head says: what it is called, and how much of its attention makes it
// that; nothing where it is called nothing. A very small one has room for a letter.
export function badgeOf({roles, scores}, [layer, head], isTiny) {
  const [role, leans] = roles[layer][head];
  const word = ROLES[role][0].slice(0, isTiny ? 1 : undefined);
  const score = scores[role === 'self' ? 'itself' : role]?.[layer][head] ?? null;
  const share = isTiny || score === null ? [] : [`${Math.round(100 * score)}%`];
  return [(leans && word ? '~' : '') + word, ...share];
}

// A head's role where tokens repeat, if that is another than here; else nothing.
export function elsewhere(value, at) {
  const role = value.elsewhere?.[at[0]][at[1]];
  return role === value.roles[at[0]][at[1]][0] ? '' : role;
}
