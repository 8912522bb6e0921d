"""Switches heads off one at a time, and copies what one sentence computes into another (activation
patching).

`python -m gptcore.examples.patch_head [MODEL]`
"""

import sys

import gptcore
from gptcore.analysis import ModelPart, logits_without, patching_grid

lm = gptcore.load(*sys.argv[1:2])
ids = lm.tokenizer.encode("Tom had a blue ball. Lily had a red ball. Tom lost his blue")
config = lm.model.config

# Without each head: the probability of the token that the whole model finds likeliest.
heads = [
    ModelPart(layer, "head", head)
    for layer in range(config.n_layer)
    for head in range(config.n_head)
]
logits = logits_without(lm.model, ids, [[], *([head] for head in heads)])  # [1 + heads, V]
probabilities = logits.softmax(-1)
best = int(probabilities[0].argmax())
changes = probabilities[1:, best] - probabilities[0, best]
most = heads[int(changes.argmin())]
print(f"The whole model gives {lm.tokenizer.decode([best])!r} {probabilities[0, best]:.1%}.")
print(f"It falls most without layer {most.layer}, head {most.head}: by {-changes.min():.1%}.")

# The residual stream of one sentence in the place of another's, at every depth and token.
source = lm.tokenizer.encode("Tom saw a zebra. Tom gave food to the")
target = lm.tokenizer.encode("Tom saw a lion. Tom gave food to the")
if len(source) == len(target):
    zebra, lion = (lm.tokenizer.encode(word)[0] for word in (" zebra", " lion"))
    # [depths, T], 1 where it moves all of the answer
    grid = patching_grid(lm.model, source, target, zebra, lion)
    print(f"The cell that moves the answer most moves {float(grid.max()):.0%} of it.")
