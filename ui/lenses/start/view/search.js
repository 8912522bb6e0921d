// Which questions a search finds, the best first: words are compared by their beginnings, and words
// such as "how" and "does" do not count. Pure functions.

const STOPS = new Set(
  `a an the is are was be do does did has have can could will would how what which who why where when i it its me my
  you your we they he she of to in on at for from by with and or not no this that there some any one so many much get
  make want`.split(/\s+/),
);
const [WHOLE, BEGINNING, NEAR] = [3, 2, 1]; // how much a match counts
const SHARED = 5; // letters that two words begin with, at least, to be near
const MOST = 8; // questions

export const wordsOf = text => text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? [];

// What counts of a search: all words where there are only small ones.
function counted(search) {
  const words = wordsOf(search);
  const large = words.filter(word => !STOPS.has(word));
  return large.length ? large : words;
}

function shared(a, b) {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n += 1;
  return n;
}

// How well a word of a search matches a word of a question.
function match(word, held) {
  if (word === held) return WHOLE;
  const [short, long] = word.length < held.length ? [word, held] : [held, word];
  if (short.length >= 3 && long.startsWith(short)) return BEGINNING;
  return shared(word, held) >= SHARED ? NEAR : 0;
}

// known: [question, link, sentence, further words, ...] each. Those that match most of the words of
// a search come first; those that match fewer words than the best are left out.
export function found(known, search) {
  const words = counted(search);
  const scored = known.map(question => {
    const [text, , , also = ''] = question;
    const held = [...wordsOf(text), ...wordsOf(also)];
    const best = words.map(word => Math.max(0, ...held.map(item => match(word, item))));
    return {
      question,
      n: best.filter(Boolean).length,
      score: best.reduce((sum, one) => sum + one, 0),
    };
  });
  const most = Math.max(...scored.map(({n}) => n));
  if (!most) return [];
  const kept = scored.filter(({n}) => n === most).toSorted((a, b) => b.score - a.score);
  return kept.slice(0, MOST).map(({question}) => question);
}
