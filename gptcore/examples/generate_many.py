"""Continues many prompts together, and gives one number for each: how sure the model was of what it
wrote.

`python -m gptcore.examples.generate_many [MODEL]`
"""

import math
import sys

import gptcore

lm = gptcore.load(*sys.argv[1:2])
prompts = [
    "Once upon a time",
    "The old boat",
    "Lily and Tom went to the park",
    "One day, a big dog",
]
texts = gptcore.generate_batch(lm, prompts, max_new_tokens=20, temperature=0.8, top_k=50, seed=1)

for prompt, tokens in zip(prompts, texts, strict=True):
    mean_logprob = sum(token.logprob for token in tokens) / len(tokens)  # natural logarithm
    print(f"{math.exp(mean_logprob):.2f}  {prompt}{''.join(token.text for token in tokens)}")
