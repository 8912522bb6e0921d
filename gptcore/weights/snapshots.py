"""4-bit snapshots of a model during training, for inspection, not for further training.

Group-wise quantisation: every 32 neighbouring numbers of a matrix share a 16-bit scale and have 15
levels each; biases and norms stay in 16 bits. `weights/recipes/snapshots.py` writes them.
"""

import json
from pathlib import Path

import torch
from torch import Tensor

from gptcore.errors import CheckpointError
from gptcore.model import GPT
from gptcore.weights.checkpoint import read_config, read_metadata, read_tensors
from gptcore.weights.hf_format import model_from_tensors

FOLDER = "snapshots"
GROUP, MOST_STEPS = 32, 7  # numbers that share a scale; the largest level


def snapshot_steps(folder: Path) -> list[int]:
    """The updates at which a model folder has training snapshots, ascending; empty without any."""
    return sorted(
        int(file.stem) for file in (folder / FOLDER).glob("*.safetensors") if file.stem.isdecimal()
    )


def snapshot_note(folder: Path, step: int) -> str:
    """Reads the note stored with a snapshot, "" where there is none. Raises CheckpointError for a
    missing or invalid file.
    """
    return read_metadata(folder / FOLDER / f"{step}.safetensors").get("note", "")


def load_snapshot(folder: Path, step: int) -> GPT:
    """The model of a folder as it was after `step` updates, in evaluation mode, in fp32.

    Raises:
        CheckpointError: no such snapshot, or a damaged one.
    """
    if step not in snapshot_steps(folder):
        kept = ", ".join(f"{known:,}" for known in snapshot_steps(folder)) or "none"
        raise CheckpointError(
            f"{folder.name} has no snapshot after {step:,} updates. It has: {kept}."
        )
    file = folder / FOLDER / f"{step}.safetensors"
    stored = read_tensors(file)
    try:
        shapes = json.loads(read_metadata(file)["shapes"])
        tensors = {
            name: tensor.float()
            for name, tensor in stored.items()
            if not name.endswith((".steps", ".scales"))
        }
        for name, shape in shapes.items():
            tensors[name] = dequantise(stored[f"{name}.steps"], stored[f"{name}.scales"], shape)
        config = read_config(folder)
        if config.tie_word_embeddings:
            tensors["lm_head.weight"] = tensors["wte.weight"]
        return model_from_tensors(config, tensors)
    except (KeyError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"The snapshot {file} is damaged ({error}).") from None


def dequantise(steps: Tensor, scales: Tensor, shape: list[int]) -> Tensor:
    """A packed matrix, float32: two 4-bit steps a byte, uint8 [N / 2], and a scale for each 32,
    float16 [N / 32].

    Raises RuntimeError for another shape.
    """
    pairs = torch.stack([steps & 15, steps >> 4], dim=1).flatten().to(torch.int8) - (MOST_STEPS + 1)
    values = pairs.view(-1, GROUP).float() * scales.float()[:, None]
    return values.flatten()[: torch.Size(shape).numel()].view(shape)
