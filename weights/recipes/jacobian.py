"""Fits the mean Jacobian with which the page swaps concepts: `python -m weights.recipes.jacobian`

Of the mini, behind the third of its six blocks, over 24 texts of 60 tokens that it writes itself; stored in 16 bits.
"""

from __future__ import annotations

import torch
from safetensors.torch import save_file

import gptcore
from gptcore.analysis import mean_jacobian
from gptcore.language_model import bundled_models

NAME, DEPTH = "mini", 3
N_TEXTS, N_TOKENS = 24, 60
PROMPT = "Once upon a time"


def texts(lm: gptcore.LanguageModel, n: int = N_TEXTS) -> list[list[int]]:
    """Token ids that a model writes after PROMPT, each of the same length."""
    begun = lm.tokenizer.encode(PROMPT)
    found = []
    for seed in range(n):
        written = gptcore.generate(lm, PROMPT, max_new_tokens=N_TOKENS, seed=seed, stop_at_end=False)
        found.append([*begun, *(token.id for token in written)][:N_TOKENS])
    return found


def main() -> None:
    """Fits and stores it."""
    lm = gptcore.load(NAME)
    jacobian = mean_jacobian(lm.model, texts(lm), DEPTH)
    file = bundled_models()[NAME] / "jacobian.safetensors"
    save_file({str(DEPTH): jacobian.to(torch.float16).contiguous()}, file)
    print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
