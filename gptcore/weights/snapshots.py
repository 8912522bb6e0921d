"""4-bit snapshots of a model during training, for inspection, not for further training.

Group-wise quantisation: every 32 neighbouring numbers of a matrix share a 16-bit scale and have 15 levels each; biases
and norms stay in 16 bits. A file takes 0.57 bytes per parameter.
"""

import json
from pathlib import Path

import torch
from torch import Tensor

from gptcore.errors import CheckpointError
from gptcore.model import GPT
from gptcore.weights.checkpoint import read_config, read_metadata, read_tensors, write_tensors
from gptcore.weights.hf_format import model_from_tensors

FOLDER = "snapshots"
_GROUP, _MOST = 32, 7  # numbers that share a scale; the largest level


def snapshot_steps(folder: Path) -> list[int]:
    """The updates at which a model folder has training snapshots, ascending; empty without any."""
    return sorted(int(file.stem) for file in (folder / FOLDER).glob("*.safetensors") if file.stem.isdecimal())


def snapshot_note(folder: Path, step: int) -> str:
    """What was noted with a snapshot, "" for nothing. Raises CheckpointError for a file that is none."""
    return read_metadata(folder / FOLDER / f"{step}.safetensors").get("note", "")


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


def load_snapshot(folder: Path, step: int) -> GPT:
    """The model of a folder as it was after `step` updates, in evaluation mode, in fp32.

    Raises:
        CheckpointError: no such snapshot, or a damaged one.
    """
    if step not in snapshot_steps(folder):
        kept = ", ".join(f"{known:,}" for known in snapshot_steps(folder)) or "none"
        raise CheckpointError(f"{folder.name} has no snapshot after {step:,} updates. It has: {kept}.")
    file = folder / FOLDER / f"{step}.safetensors"
    stored = read_tensors(file)
    try:
        shapes = json.loads(read_metadata(file)["shapes"])
        tensors = {name: tensor.float() for name, tensor in stored.items() if not name.endswith((".steps", ".scales"))}
        for name, shape in shapes.items():
            tensors[name] = dequantise(stored[f"{name}.steps"], stored[f"{name}.scales"], shape)
        config = read_config(folder)
        if config.tie_word_embeddings:
            tensors["lm_head.weight"] = tensors["wte.weight"]
        return model_from_tensors(config, tensors)
    except (KeyError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"The snapshot {file} is damaged ({error}).") from None


def quantise(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """(two 4-bit steps a byte, uint8 [N / 2]; a scale for each 32 numbers, float16 [N / 32]); N is padded with 0."""
    flat = matrix.float().flatten()
    padded = torch.cat([flat, flat.new_zeros(-len(flat) % _GROUP)]).view(-1, _GROUP)
    scales = (padded.abs().amax(dim=1, keepdim=True) / _MOST).half()
    steps = (padded / scales.float().clamp(min=1e-8)).round().clamp(-_MOST, _MOST) + _MOST + 1  # 1 to 15
    pairs = steps.to(torch.uint8).flatten().view(-1, 2)
    return pairs[:, 0] | (pairs[:, 1] << 4), scales.flatten()


def dequantise(steps: Tensor, scales: Tensor, shape: list[int]) -> Tensor:
    """The matrix that `quantise` packed, float32, to within half a step. Raises RuntimeError for another shape."""
    pairs = torch.stack([steps & 15, steps >> 4], dim=1).flatten().to(torch.int8) - (_MOST + 1)
    values = pairs.view(-1, _GROUP).float() * scales.float()[:, None]
    return values.flatten()[: torch.Size(shape).numel()].view(shape)
