// What a held-out loss says that a run has learned, against what counting letters and pairs would reach.

const CLEAR = 0.05; // nats by which a loss must be lower to be called so
const BY_HEART = 0.25; // nats of held-out above training loss from which on texts are learned by heart

// lines: baselines in nats per token, {uniform, unigram, bigram}; loss: held out; training: of the last updates,
// or null.
export function learned(lines, loss, training) {
  if (loss === null || lines.bigram === undefined) return '';
  const {uniform, unigram, bigram} = lines;
  const below = line => `${(line - loss).toFixed(2)} nats below`;
  let text = 'It knows nothing yet: it does no better than guessing evenly.';
  if (loss < bigram - CLEAR)
    text = `It uses more than the token before: its loss is ${below(bigram)} the bigram baseline.`;
  else if (loss < unigram - CLEAR)
    text = `It learns which token follows which: ${below(unigram)} the unigram baseline, not yet below the bigram one.`;
  else if (loss < uniform - CLEAR)
    text = `It has learned how frequent tokens are: ${below(uniform)} guessing evenly, not below the unigram baseline.`;
  const gap = training === null ? 0 : loss - training;
  return gap > BY_HEART
    ? `${text} On its training text the loss is ${gap.toFixed(2)} lower: part of that may be memorised.`
    : text;
}
