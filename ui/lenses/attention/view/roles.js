// What heads are called: [a word for a small picture, short name, what it looks at].
export const ROLES = {
  induction: ['copies', 'induction', 'what came after this token last time'],
  duplicate: ['same', 'same token', 'earlier occurrences of the same token'],
  previous: ['before', 'token before', 'the token just before'],
  self: ['itself', 'itself', 'the token itself'],
  first: ['rests', 'rests on the first', 'the first token: it rests'],
  mixed: ['', 'mixed', 'no one thing in particular'],
};

// Whether two places, such as [layer, head], are the same.
export const same = (a, b) => a[0] === b[0] && a[1] === b[1];
