// Leave-one-out effects of words on an answer, as text and colours. Pure functions.
import {percent} from '../../../shared/view/plain.js';

const NOTHING = 0.05; // nats; what is less is within what any change of a prompt does

const times = effect => {
  const factor = Math.exp(Math.abs(effect));
  return factor >= 1000
    ? 'more than a thousand times'
    : `${factor.toFixed(factor < 10 ? 1 : 0)} times`;
};

// The words of the prompt apart from its cue, which says what is wanted and outweighs them all.
export const ownWords = words => words.filter(word => word.kind !== 'cue');

// The strength of each word's colour, 0 to 1, on the scale of the words alone; null for the cue,
// which has none.
export function strengths(words) {
  const most = Math.max(NOTHING, ...ownWords(words).map(word => Math.abs(word.effect)));
  return words.map(word =>
    word.kind === 'cue' ? null : Math.min(1, Math.abs(word.effect) / most),
  );
}

// What stands out, as a sentence: the strongest word for the answer and against it, then the cue.
export function strongest(words, answer, p) {
  const plain = ownWords(words);
  const cue = largest(words.filter(word => word.kind === 'cue'));
  const [helps, hurts] = [1, -1].map(sign =>
    largest(plain.filter(word => sign * word.effect > NOTHING)),
  );
  const sentences = [];
  if (helps) {
    const does = `makes “${answer}” ${times(helps.effect)} as likely`;
    const without = percent(Math.min(1, p * Math.exp(-helps.effect)));
    sentences.push(`“${helps.text.trim()}” helps most: it ${does} (without it ${without}).`);
  }
  if (hurts)
    sentences.push(
      `“${hurts.text.trim()}” counts against it most: ${times(hurts.effect)} less likely.`,
    );
  if (!sentences.length) sentences.push('No single word stands out.');
  if (cue && Math.abs(cue.effect) > NOTHING)
    sentences.push(
      `Without the cue “${cue.text.trim()}” the answer is ${times(cue.effect)} ${cue.effect > 0 ? 'less' : 'more'} likely.`,
    );
  return sentences.join(' ');
}

const largest = words => words.toSorted((a, b) => Math.abs(b.effect) - Math.abs(a.effect))[0];
