"""Writes 4-bit snapshots of a model during its training beside it, as `gptcore.weights.snapshots`
reads them.

A file takes 0.57 bytes per parameter.
"""

import json
from pathlib import Path

import torch
from torch import Tensor

from gptcore.model import GPT
from gptcore.weights.checkpoint import write_tensors
from gptcore.weights.snapshots import FOLDER, GROUP, MOST_STEPS


def save_snapshot(folder: Path, model: GPT, step: int, *, note: str = "") -> Path:
    """Adds a snapshot to a model folder, with a few words about this moment.

    Raises:
        CheckpointError: it cannot be written.
    """
    tensors: dict[str, Tensor] = {}
    shapes: dict[str, list[int]] = {}
    for name, parameter in model.named_parameters():
        if parameter.dim() < 2:
            tensors[name] = parameter.detach().half()
        else:
            tensors[f"{name}.steps"], tensors[f"{name}.scales"] = quantise(parameter.detach())
            shapes[name] = list(parameter.shape)
    target = folder / FOLDER / f"{step}.safetensors"
    target.parent.mkdir(parents=True, exist_ok=True)
    about = {"note": note} if note else {}
    write_tensors(tensors, target, {"step": str(step), "shapes": json.dumps(shapes), **about})
    return target


def quantise(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """(two 4-bit steps a byte, uint8 [N / 2]; a scale for each 32 numbers, float16 [N / 32]); N is
    padded with 0.
    """
    flat = matrix.float().flatten()
    padded = torch.cat([flat, flat.new_zeros(-len(flat) % GROUP)]).view(-1, GROUP)
    scales = (padded.abs().amax(dim=1, keepdim=True) / MOST_STEPS).half()
    # 1 to 15
    steps = (
        (padded / scales.float().clamp(min=1e-8)).round().clamp(-MOST_STEPS, MOST_STEPS)
        + MOST_STEPS
        + 1
    )
    pairs = steps.to(torch.uint8).flatten().view(-1, 2)
    return pairs[:, 0] | (pairs[:, 1] << 4), scales.flatten()
