"""Scores a text file: perplexity, bits per byte, and the tokens that surprise the model most.

`python -m gptcore.examples.score_file FILE [MODEL]`
"""

import math
import sys
from pathlib import Path

import gptcore
from gptcore.inference.scoring import score_text

if len(sys.argv) < 2:
    sys.exit("Give a text file: python -m gptcore.examples.score_file FILE [MODEL]")
lm = gptcore.load(*sys.argv[2:3])
text = Path(sys.argv[1]).read_text(encoding="utf-8")
# the first token has nothing before it, and is not scored
first, tokens, score = score_text(lm, text)

print(f"{score.n_tokens:,} tokens, {score.n_bytes:,} bytes")
print(
    f"loss {score.loss:.3f} nats per token, perplexity {score.perplexity:.1f}, "
    f"{score.bits_per_byte:.3f} bits per byte"
)
for token in sorted(tokens, key=lambda token: token.logprob)[:5]:
    print(f"{token.text!r}: {-token.logprob / math.log(2):.1f} bits")
