// What a picture of the model says of its parts, and in which order they work. Pure functions.
import {percent, visible} from './plain.js';

export const word = label => visible(label).replace('␣', '') || '␣';
export const quoted = label => `“${word(label)}”`;
export const cut = (text, most) =>
  text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;

// A chosen head [layer, head]; null where a model of this shape lacks it.
export const headOf = ({L, H}, chosen) =>
  chosen && chosen[0] < L && chosen[1] < H ? chosen : null;

// The numbers of a picture in words, one sentence a part.
export function sentences({machine, tokens, first}) {
  const {shape, blocks, choice} = machine;
  const label = place => quoted(tokens[first + place].label);
  const here = label(machine.at);
  const says = ([guessed, p]) => `${quoted(guessed)} with ${percent(p)}`;
  const many = n => n.toLocaleString('en');
  const recorded = isRecorded(machine);

  function looksAt(layer, head) {
    const [best] = blocks[layer].looks[head];
    if (!best) return 'looks at no word in particular';
    return `looks mostly at ${label(best[0])} (${percent(best[1])})`;
  }

  const position = shape.P
    ? `; its position adds ${shape.C} more.`
    : '; this model has no position embeddings.';
  const final = `the ${shape.C} numbers become ${many(shape.V)} scores`;
  // How much a part changes what the token carries, in words.
  const changes = (length, layer) => {
    const share = length / (blocks[layer].stream || 1);
    return share >= 0.75
      ? 'change it a great deal'
      : share >= 0.35
        ? 'change it'
        : 'change it a little';
  };
  return {
    token: place =>
      `${quoted(tokens[place].label)}, token ${tokens[place].id} of ${many(shape.V)}. Click to look at it.`,
    embedding: `Embedding: ${here} becomes ${shape.C} numbers${position}`,
    attention: (layer, head) =>
      `Attention of layer ${layer}: ${shape.H} heads look back from ${here}. ` +
      `Head ${head} ${looksAt(layer, head)}. ` +
      (recorded
        ? 'What they write was not recorded.'
        : `Together they ${changes(blocks[layer].attention, layer)}.`),
    head: (layer, head) => `Layer ${layer}, head ${head} ${looksAt(layer, head)}.`,
    mlp: layer =>
      shape.F
        ? `MLP of layer ${layer}: ${many(shape.F)} neurons work on ${here} alone and ${changes(blocks[layer].mlp, layer)}.`
        : `Layer ${layer} has no MLP.`,
    guess: layer => {
      const {guess, chance} = blocks[layer];
      const other = `; its final choice, ${quoted(choice[0])}, has ${percent(chance)} here`;
      const stopped = `If the model stopped after block ${layer}, it would say ${says(guess)}`;
      return `${stopped}${guess[2] === choice[2] ? '' : other}.`;
    },
    norm: `Final norm and output head: ${final}. Softmax turns them into probabilities: ${says(choice)}.`,
  };
}

// A recording holds attention and the last guess, but not the parts' outputs.
export const isRecorded = ({blocks}) => blocks[0].attention === undefined;

// Which block a group of blocks shows: the one with the chosen head, else the one whose head writes
// most.
export function shownBlock(blocks, [from, to], chosen) {
  if (chosen && chosen[0] >= from && chosen[0] <= to) return chosen[0];
  let best = from;
  for (let layer = from; layer <= to; layer++)
    if (Math.max(...blocks[layer].heads) > Math.max(...blocks[best].heads)) best = layer;
  return best;
}

// The block that raises the probability of the choice the most; -1 where none does much. What the
// first one rises from is not in the picture.
export function decisive(blocks) {
  const rises = blocks.map(({chance}, layer) => chance - blocks[Math.max(0, layer - 1)].chance);
  const most = Math.max(...rises);
  return most < 0.05 || Number.isNaN(most) ? -1 : rises.indexOf(most);
}

// The parts of a picture in the order in which a text runs through them, by their names.
export function order(groups, recorded = false) {
  const names = i => (recorded ? [`attention-${i}`] : [`attention-${i}`, `mlp-${i}`, `guess-${i}`]);
  const blocks = Array.from({length: groups}, (_, i) => names(i));
  return ['embedding', ...blocks.flat(), 'norm'];
}
