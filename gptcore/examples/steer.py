"""Steers what a model writes: adds a direction to the residual stream while it writes.

`python -m gptcore.examples.steer [MODEL]`
"""

import sys

import gptcore
from gptcore.analysis import steering_vector

lm = gptcore.load(*sys.argv[1:2])
sad = ["He was sad and cried.", "She was very sad and lost.", "They were sad and alone."]
happy = ["He was happy and laughed.", "She was very happy and safe.", "They were happy together."]
steering = steering_vector(lm, towards=sad, away=happy, depth=(lm.model.config.n_layer + 1) // 2)

for strength in (-2.0, 0.0, 2.0):
    tokens = gptcore.generate(
        lm,
        "The little boy was",
        max_new_tokens=25,
        temperature=0.7,
        seed=3,
        steering=steering.scaled(strength),
    )
    print(f"{strength:+.0f}: The little boy was{''.join(token.text for token in tokens)}")
