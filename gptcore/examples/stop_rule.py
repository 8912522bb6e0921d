"""Ends a text by a rule of your own: after two sentences, or before a word that the model was not
sure of.

`python -m gptcore.examples.stop_rule [MODEL]`
"""

import sys

import gptcore

LEAST_LOGPROB = -7.0  # natural logarithm

lm = gptcore.load(*sys.argv[1:2])
prompt = "The old man had a boat."
written = ""
n_sentences = 0
# `generate` computes a token when it is asked for the next one, so leaving the loop ends the work.
for token in gptcore.generate(lm, prompt, max_new_tokens=100, temperature=0.8, seed=2):
    if token.logprob < LEAST_LOGPROB:
        print(
            f"Stopped before {token.text!r}, which had a probability of "
            f"{2.718281828**token.logprob:.2%}."
        )
        break
    written += token.text
    n_sentences += token.text.count(".")
    if n_sentences == 2:
        break
print(prompt + written)
