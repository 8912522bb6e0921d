"""A pass over one text with a probe, and a probe that keeps what the parts of the model write."""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from gptcore.model import GPT, evaluating
from gptcore.probe import Probe

PartKind = Literal["attention", "mlp", "head"]
Kind = Literal["residual", "attention", "mlp", "head"]


class PartProbe(Probe):
    """Observes, and may change, what heads, attention and MLPs write, by one method for all."""

    def part(self, kind: PartKind, layer: int, value: Tensor) -> Tensor:
        """Receives the output of a part and returns the value to use instead: of "head" float
        [B, H, T, D], of "attention" and "mlp" [B, T, C].
        """
        return value

    def heads(self, layer: int, outputs: Tensor) -> Tensor:
        return self.part("head", layer, outputs)

    def attention_output(self, layer: int, output: Tensor) -> Tensor:
        return self.part("attention", layer, output)

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        return self.part("mlp", layer, output)


class Recorder(PartProbe):
    """Records the activations of the given kinds, at the positions `at` or at all of them.

    Attributes:
        found: of each kind a list: "residual" by depth and "attention" and "mlp" by layer, float
            [B, T, C]; "head" by layer, [B, H, T, D].
    """

    def __init__(self, *kinds: Kind, at: Sequence[int] | None = None) -> None:
        self.found: dict[Kind, list[Tensor]] = {kind: [] for kind in kinds}
        self._at = None if at is None else list(at)

    def residual(self, depth: int, stream: Tensor) -> None:
        self.part("residual", depth, stream)

    def part(self, kind: Kind, layer: int, value: Tensor) -> Tensor:
        if kind in self.found:
            self.found[kind].append(value if self._at is None else value[..., self._at, :])
        return value


def read(model: GPT, token_ids: Sequence[int] | Tensor, probe: Probe) -> Tensor:
    """Runs one forward pass over a text with a probe, without dropout; returns the final hidden
    states, float [T, C], which the output head reads.
    """
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)[None]
    with evaluating(model):
        return model.hidden_states(ids, probe=probe)[0]


def record_activations(
    model: GPT, token_ids: Sequence[int], *kinds: Kind, at: Sequence[int] | None = None
) -> dict[Kind, list[Tensor]]:
    """Runs the model over a text and returns the activations of the given kinds, see `Recorder`;
    the batch is 1.
    """
    recorder = Recorder(*kinds, at=at)
    read(model, token_ids, recorder)
    return recorder.found
