"""Makes a model deeper without changing what it computes: `python -m weights.recipes.growing --help`.

Source: Chen, Goodfellow and Shlens 2016, "Net2Net": a larger network that begins as the function a smaller one has
learned. Here every added block is a copy of the one before it whose two output matrices are zero, so that it adds
nothing to the stream until it is trained.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import torch

from gptcore.errors import TrainingError
from gptcore.language_model import LanguageModel, load
from gptcore.model import GPT
from weights.recipes.saving import write_made


def copied_from(layers: int, before: int) -> list[tuple[int, bool]]:
    """For every layer of the deeper model: the layer that it is a copy of, and whether it is the first such copy.

    The added layers are spread evenly: 6 to 8 gives 0, 1, 2, 2', 3, 4, 5, 5'.

    Raises:
        TrainingError: fewer layers than before, or more than twice as many.
    """
    if not before <= layers <= 2 * before:
        raise TrainingError(f"{layers} layers out of {before}: give from {before} to {2 * before}.")
    added = layers - before
    order: list[tuple[int, bool]] = []
    for layer in range(before):
        order.append((layer, True))
        if (layer + 1) * added // before > layer * added // before:
            order.append((layer, False))
    return order


def grown(model: LanguageModel, layers: int) -> LanguageModel:
    """A model of `layers` layers that computes what this pre-norm one does.

    Raises:
        TrainingError: as copied_from; or norms that follow the blocks, where a silent block changes the stream.
    """
    config = model.model.config
    if config.norm_position != "pre":
        raise TrainingError("Only a pre-norm model can be made deeper this way.")
    known = model.model.state_dict()
    state = {name: value for name, value in known.items() if not name.startswith("h.")}
    for layer, (source, first) in enumerate(copied_from(layers, config.n_layer)):
        for name, value in known.items():
            if name.startswith(f"h.{source}."):
                silent = not first and ".c_proj." in name
                state[name.replace(f"h.{source}.", f"h.{layer}.", 1)] = torch.zeros_like(value) if silent else value
    deeper = GPT(replace(config, n_layer=layers)).requires_grad_(False).eval()
    deeper.load_state_dict(state)
    return LanguageModel(deeper, model.tokenizer, model.name)


def main(arguments: list[str] | None = None) -> int:
    """Writes the deeper model; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.growing", description=__doc__)
    parser.add_argument("model", help="a bundled model or a folder")
    parser.add_argument("--layers", type=int, required=True, help="layers of the deeper model, at most twice as many")
    parser.add_argument("--out", required=True, type=Path, help="model folder to write")
    options = parser.parse_args(arguments)
    return write_made(options.out, lambda: grown(load(options.model), options.layers))


if __name__ == "__main__":
    raise SystemExit(main())
