"""Reads where every head looks into a numpy array, and says which head looks back furthest.

`python -m gptcore.examples.read_attention [MODEL]`: a bundled model, "gpt2", a folder or a Hub
repository.
"""

import sys

import numpy as np

import gptcore

lm = gptcore.load(*sys.argv[1:2])
text = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
ids = lm.tokenizer.encode(text)
weights = gptcore.attention_patterns(
    lm.model, ids
).numpy()  # [n_layer, n_head, T, T], rows sum to 1

# [T, T], how far back each cell looks
distance = np.arange(len(ids))[:, None] - np.arange(len(ids))
mean_distance = (weights * np.maximum(distance, 0)).sum(-1).mean(-1)  # [n_layer, n_head], tokens
layer, head = np.unravel_index(mean_distance.argmax(), mean_distance.shape)
print(
    f"Layer {layer}, head {head} looks back furthest: {mean_distance[layer, head]:.1f} tokens "
    "on average."
)

looked_at = int(weights[layer, head, -1].argmax())
print(
    f"After the last token it looks most at number {looked_at}, "
    f"{lm.tokenizer.decode([ids[looked_at]])!r}."
)
