"""Ablation: switch parts of a model off and measure how its prediction changes."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from gptcore.analysis.reading import PartKind, PartProbe
from gptcore.errors import ConfigError
from gptcore.model import GPT, evaluating

Replacement = Literal["zero", "mean"]


@dataclass(frozen=True)
class ModelPart:
    """A part of the model that can be ablated: a layer's attention, its MLP, or one of its heads;
    both count from 0.
    """

    layer: int
    kind: PartKind
    head: int | None = None


class Effect(NamedTuple):
    """The effect of ablating one part on the prediction of the next token: the Kullback-Leibler
    divergence from the whole model's distribution in bits, and the change of the probability of the
    whole model's first guess, -1 to 1.
    """

    bits: float
    change: float


class SwitchedOff(PartProbe):
    """Ablates parts of the model, a different set in each row of the batch.

    Args:
        rows: the ablated parts of each row.
        replacement: "zero" removes the output; "mean" replaces it with its average over the text,
            so that later layers still get a typical input.
    """

    def __init__(
        self, rows: Sequence[Collection[ModelPart]], replacement: Replacement = "zero"
    ) -> None:
        self.rows = rows
        self.replacement: Replacement = replacement

    def part(self, kind: PartKind, layer: int, value: Tensor) -> Tensor:
        heads = range(value.shape[1]) if kind == "head" else (None,)
        off = torch.tensor(
            [[ModelPart(layer, kind, head) in parts for head in heads] for parts in self.rows]
        )
        if not off.any():
            return value
        # [B, H, 1, 1] or [B, 1, 1]
        off = off.to(value.device).view(*off.shape, *[1] * (value.dim() - 2))
        instead = (
            value.mean(dim=-2, keepdim=True)
            if self.replacement == "mean"
            else torch.zeros_like(value)
        )
        return torch.where(off, instead, value)


@torch.inference_mode()
def logits_without(
    model: GPT,
    token_ids: Sequence[int],
    rows: Sequence[Collection[ModelPart]],
    *,
    replacement: Replacement = "zero",
) -> Tensor:
    """Logits after a text, with parts of the model ablated for this pass only.

    Args:
        model: not changed; concurrent passes are unaffected.
        token_ids: int [T], at most the window.
        rows: the ablated parts of each of B variants, computed as one batch; an empty set is the
            intact model.
        replacement: "zero", or "mean" over the text.

    Returns:
        float32 [B, V].

    Raises:
        ConfigError: a part that this model does not have. TokenIdError, ContextLengthError: as the
        model does.
    """
    for part in {part for parts in rows for part in parts}:
        check_part(model, part)
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)
    with evaluating(model):
        hidden = model.hidden_states(
            ids.expand(len(rows), -1), probe=SwitchedOff(rows, replacement)
        )
        return model.lm_head(hidden[:, -1]).float().cpu()


def effects(
    model: GPT, token_ids: Sequence[int], *, replacement: Replacement = "zero"
) -> Iterator[tuple[int, dict[ModelPart, Effect]]]:
    """Measures how much ablating each single part changes the next-token distribution.

    Yields:
        (layer, {part: its effect}), layer by layer.
    """
    whole = logits_without(model, token_ids, [[]]).log_softmax(-1)  # [1, V]
    guess = int(whole[0].argmax())
    for layer in range(model.config.n_layer):
        parts = [ModelPart(layer, "head", head) for head in range(model.config.n_head)]
        parts += [
            ModelPart(layer, "attention"),
            *([ModelPart(layer, "mlp")] if model.config.use_mlp else []),
        ]
        without = logits_without(
            model, token_ids, [[part] for part in parts], replacement=replacement
        ).log_softmax(-1)
        changes = without[:, guess].exp() - whole[0, guess].exp()
        pairs = zip(divergence(whole, without).tolist(), changes.tolist(), strict=True)
        yield layer, {part: Effect(*effect) for part, effect in zip(parts, pairs, strict=True)}


def divergence(before: Tensor, after: Tensor) -> Tensor:
    """Kullback-Leibler divergence in bits of `after` from `before`, log-probabilities float [...,
    V] -> [...].
    """
    return ((before.exp() * (before - after)).sum(-1) / torch.log(torch.tensor(2.0))).clamp(min=0)


def check_part(model: GPT, part: ModelPart) -> None:
    """Raises ConfigError for a part that a model does not have."""
    config = model.config
    if not 0 <= part.layer < config.n_layer:
        raise ConfigError(
            f"There is no layer {part.layer}; this model has layers 0 to {config.n_layer - 1}."
        )
    if part.kind == "head" and (part.head is None or not 0 <= part.head < config.n_head):
        raise ConfigError(
            f"There is no head {part.head}; every layer has heads 0 to {config.n_head - 1}."
        )
    if part.kind == "mlp" and not config.use_mlp:
        raise ConfigError("This model has attention only; there is no MLP to switch off.")
