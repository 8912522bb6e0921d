// What heads are called: [letter, short name, what it looks at].
export const ROLES = {
  induction: ['I', 'induction', 'what came after this token last time'],
  duplicate: ['D', 'same token', 'earlier occurrences of the same token'],
  previous: ['P', 'token before', 'the token just before'],
  self: ['S', 'itself', 'the token itself'],
  first: ['F', 'rests on the first', 'the first token: it rests'],
  mixed: ['', 'mixed', 'no one thing in particular'],
};

// Whether two places, such as [layer, head], are the same.
export const same = (a, b) => a[0] === b[0] && a[1] === b[1];
