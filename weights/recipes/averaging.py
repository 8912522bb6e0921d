"""Averages models that were trained further from one: `python -m weights.recipes.averaging --help`.

Source: Wortsman et al. 2022, "Model soups": the mean of several fine-tuned models often does better
than each, and with the model they came from among them, less of what it could do is lost (Wortsman
et al. 2021, WiSE-FT).
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from gptcore.errors import GPTCoreError, TrainingError
from gptcore.language_model import LanguageModel, load
from gptcore.model import GPT
from gptcore.weights.checkpoint import save_folder

_MOST_BYTES = 9_800_000  # of tensors in a file: plain git and Spaces take files below 10 MB


def averaged(models: Sequence[LanguageModel], weights: Sequence[float]) -> LanguageModel:
    """A model whose every parameter is the weighted mean of theirs.

    Args:
        models: at least one, all of one shape; the first gives tokenizer and name.
        weights: one each, at least 0; only their ratios count.

    Raises:
        TrainingError: models of different shapes, or invalid weights.
    """
    if len(models) != len(weights) or not 0 < sum(weights) < math.inf or min(weights) < 0:
        raise TrainingError(
            f"{len(models)} models and the weights {list(weights)}: give each a weight, and "
            "one above 0."
        )
    shapes = {model.model.config for model in models}
    if len(shapes) > 1:
        raise TrainingError("Models that are averaged must have one shape; these differ.")
    states = [model.model.state_dict() for model in models]
    total = sum(weights)
    mean = {
        name: sum(
            weight / total * state[name].float()
            for weight, state in zip(weights, states, strict=True)
        )
        for name in states[0]
    }
    made = GPT(models[0].model.config).requires_grad_(False).eval()
    made.load_state_dict(mean)
    return LanguageModel(made, models[0].tokenizer, models[0].name)


def main(arguments: list[str] | None = None) -> int:
    """Writes the averaged model in 16 bits, or prints why it cannot be made; returns the exit
    status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m weights.recipes.averaging", description=__doc__
    )
    parser.add_argument(
        "models",
        nargs="+",
        metavar="MODEL=WEIGHT",
        help="a bundled model or a folder, and its weight",
    )
    parser.add_argument("--out", required=True, type=Path, help="model folder to write")
    options = parser.parse_args(arguments)
    try:
        made = _averaged(options.models)
        save_folder(
            options.out,
            made.model,
            made.tokenizer,
            dtype=torch.float16,
            most_bytes=_MOST_BYTES,
            metadata={},
        )
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"saved {options.out}")
    return 0


def _averaged(given: Sequence[str]) -> LanguageModel:
    named = [_with_weight(item) for item in given]
    return averaged([load(name) for name, _ in named], [weight for _, weight in named])


def _with_weight(given: str) -> tuple[str, float]:
    name, _, weight = given.rpartition("=")
    try:
        return name, float(weight)
    except ValueError:
        raise TrainingError(
            f"{given!r} has no weight; write MODEL=WEIGHT, such as mini=0.5."
        ) from None


if __name__ == "__main__":
    raise SystemExit(main())
