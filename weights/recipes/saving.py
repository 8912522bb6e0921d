"""What the recipes that make one model of others do with it."""

import sys
from collections.abc import Callable
from pathlib import Path

import torch

from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.weights.checkpoint import save_folder

_MOST_BYTES = 9_800_000  # of tensors in a file: plain git and Spaces take files below 10 MB


def write_made(out: Path, make: Callable[[], LanguageModel]) -> int:
    """Writes a model in 16 bits, or prints why it cannot be made; returns the exit status of a command."""
    try:
        made = make()
        save_folder(out, made.model, made.tokenizer, dtype=torch.float16, most_bytes=_MOST_BYTES, metadata={})
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"saved {out}")
    return 0
