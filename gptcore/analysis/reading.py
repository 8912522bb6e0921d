"""A pass over one text with a probe, and a probe that keeps what the parts of the model write."""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from gptcore.model import GPT, evaluating
from gptcore.probe import Probe

Kind = Literal["residual", "attention", "mlp", "head"]


class Recorder(Probe):
    """Keeps the activations of some kinds.

    Attributes:
        found: of each kind a list: "residual" by depth and "attention" and "mlp" by layer, float [B, T, C]; "head" by
            layer, [B, H, T, D].
    """

    def __init__(self, *kinds: Kind) -> None:
        self.found: dict[Kind, list[Tensor]] = {kind: [] for kind in kinds}

    def residual(self, depth: int, stream: Tensor) -> None:
        self._kept("residual", stream)

    def heads(self, layer: int, outputs: Tensor) -> Tensor:
        return self._kept("head", outputs)

    def attention_output(self, layer: int, output: Tensor) -> Tensor:
        return self._kept("attention", output)

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        return self._kept("mlp", output)

    def _kept(self, kind: Kind, value: Tensor) -> Tensor:
        if kind in self.found:
            self.found[kind].append(value)
        return value


def read(model: GPT, token_ids: Sequence[int] | Tensor, probe: Probe) -> Tensor:
    """Reads a text with dropout off, while a probe looks on: float [T, C], what the output head multiplies."""
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)[None]
    with evaluating(model):
        return model.hidden_states(ids, probe=probe)[0]


def recorded(model: GPT, token_ids: Sequence[int], *kinds: Kind) -> dict[Kind, list[Tensor]]:
    """What a pass over a text writes, see `Recorder`; the batch is 1."""
    recorder = Recorder(*kinds)
    read(model, token_ids, recorder)
    return recorder.found
