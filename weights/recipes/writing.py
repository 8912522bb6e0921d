"""Lets a model write a token file for others to learn from: `python -m weights.recipes.writing
--help`.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch

from gptcore.errors import GPTCoreError, TrainingError
from gptcore.language_model import load
from weights.recipes.distillation import written_tokens


def main(arguments: list[str] | None = None) -> int:
    """Writes the token file; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.writing", description=__doc__)
    parser.add_argument(
        "--model", required=True, help="a folder, or a bundled model; it needs an end-of-text token"
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FILE.npy", help="token ids, uint16 or uint32"
    )
    parser.add_argument("--tokens", type=int, default=1_000_000, help="about so many")
    parser.add_argument("--batch-size", type=int, default=64, help="texts written together")
    parser.add_argument("--seed", type=int, default=0, help="of the draws")
    parser.add_argument(
        "--device", default="cuda" if torch.cuda.is_available() else "cpu", help="where to compute"
    )
    options = parser.parse_args(arguments)
    try:
        lm = load(options.model)
        if lm.tokenizer.end_id is None:
            raise TrainingError(
                f"The tokenizer of {options.model} has no end-of-text token to begin a "
                "document with."
            )
        model = lm.model.to(options.device)
        if options.device.startswith("cuda"):
            model = model.to(torch.bfloat16)
        pieces = written_tokens(
            model,
            start_id=lm.tokenizer.end_id,
            n_tokens=options.tokens,
            batch_size=options.batch_size,
            seed=options.seed,
        )
        kind = np.uint16 if lm.tokenizer.vocab_size <= 1 << 16 else np.uint32
        tokens = np.concatenate([piece.astype(kind) for piece in pieces])
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    partial = options.out.with_suffix(".partial.npy")
    np.save(partial, tokens)
    partial.replace(options.out)
    print(f"saved {len(tokens)} tokens in {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
