"""Activation patching: which activations carry the difference between two texts.

One activation in a target text's run is replaced with its value from a source text's run; how much
of the source's answer is restored shows what that activation carries.

Sources: Meng et al. 2022, "Locating and Editing Factual Associations in GPT" (causal tracing); Wang
et al. 2022.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from gptcore.analysis.attribution import logit_direction
from gptcore.analysis.reading import Kind as PatchKind
from gptcore.analysis.reading import PartKind, PartProbe, Recorder, record_activations
from gptcore.errors import ConfigError, TokenIdError
from gptcore.model import GPT, evaluating

Ids = Sequence[int]  # token ids, [T]
PATCH_KINDS: tuple[PatchKind, ...] = ("residual", "attention", "mlp", "head")
_LEAST = 1e-3  # smallest logit difference distinguishable from rounding


class _Patch(PartProbe):
    """Row i of the batch gets the source's value at place i: a position, or a head."""

    def __init__(self, layer: int, kind: PatchKind, source: Tensor) -> None:
        self._layer = layer
        self._kind = kind
        self._source = source

    def part(self, kind: PartKind, layer: int, value: Tensor) -> Tensor:
        return (
            _with_diagonal(value, self._source)
            if (layer, kind) == (self._layer, self._kind)
            else value
        )


def patching_grid(
    model: GPT,
    source_ids: Ids,
    target_ids: Ids,
    token: int,
    against: int,
    kind: PatchKind = "residual",
) -> Tensor:
    """Share of a logit difference that is restored when one activation of the target run is patched
    from the source.

    1: patching this place makes the target text answer as the source does; 0: nothing changes.

    Args:
        model: of any shape.
        source_ids, target_ids: int [T] each, of equal length.
        token, against: the difference is the logit of the one minus that of the other, after the
            last position.
        kind: "residual" patches the stream before each block and after the last; "attention" and
            "mlp" a layer's output; "head" a head's output at all positions.

    Returns:
        float32 [n_layer + 1, T] for "residual", [n_layer, T] for "attention" and "mlp", [n_layer,
        n_head] for "head".

    Raises:
        TokenIdError: texts of different lengths or with equal differences, and as the model does.
            ConfigError: an invalid kind, or one that this shape lacks. ContextLengthError: as the
            model does.
    """
    return torch.stack(
        [row for _, row in patching_rows(model, source_ids, target_ids, token, against, kind)]
    )


def patching_rows(
    model: GPT,
    source_ids: Ids,
    target_ids: Ids,
    token: int,
    against: int,
    kind: PatchKind = "residual",
) -> Iterator[tuple[int, Tensor]]:
    """`patching_grid`, a row at a time: (depth or layer, float32 [T] or [n_head])."""
    _check(model, source_ids, target_ids, kind)
    with torch.no_grad():
        runs = [
            record_activations(model, ids, "residual", kind) for ids in (source_ids, target_ids)
        ]
        end, start = (
            float(_answers(model, model.ln_f(run["residual"][-1]), token, against)[0])
            for run in runs
        )
    if abs(end - start) < _LEAST:
        raise TokenIdError(
            f"Both texts give the same logit difference ({end:.3f}), so there is nothing to "
            "restore. Choose two texts that the model answers differently, and these two "
            "answers as the tokens."
        )
    for depth, (value, stream) in enumerate(zip(runs[0][kind], runs[1]["residual"], strict=False)):
        value = value[0]
        with torch.no_grad(), evaluating(model):
            stream = stream.expand(len(value), -1, -1)
            if kind == "residual":
                hidden = model.resumed(_with_diagonal(stream, value), depth)
            else:
                hidden = model.resumed(stream, depth, probe=_Patch(depth, kind, value))
            answers = _answers(model, hidden, token, against)
        yield depth, ((answers - start) / (end - start)).float().cpu()


@torch.no_grad()
def patched_logits(
    model: GPT, source_ids: Ids, target_ids: Ids, cells: Sequence[tuple[int, int]]
) -> Tensor:
    """Logits of the target text, float32 [V], after its last position, with the source run's stream
    in some cells.

    Args:
        model: of any shape.
        source_ids, target_ids: int [T] each, of equal length.
        cells: (depth, position) each; depth n_layer is after the last block. No cells give the
            target's own logits.

    Raises:
        TokenIdError: texts of different lengths, or an impossible cell. ContextLengthError: as the
        model does.
    """
    _check(model, source_ids, target_ids, "residual")
    n_layer = model.config.n_layer
    for depth, position in cells:
        if not (0 <= depth <= n_layer and 0 <= position < len(target_ids)):
            raise TokenIdError(
                f"There is no cell ({depth}, {position}): depths are 0 to {n_layer}, positions 0 "
                f"to {len(target_ids) - 1}."
            )
    source, streams = (
        record_activations(model, ids, "residual")["residual"] for ids in (source_ids, target_ids)
    )
    for depth in sorted({depth for depth, _ in cells}):
        stream = streams[depth].clone()
        positions = [position for at, position in cells if at == depth]
        stream[0, positions] = source[depth][0, positions]
        rest = Recorder("residual")
        with evaluating(model):
            model.resumed(stream, depth, probe=rest)
        streams = [*streams[:depth], *rest.found["residual"]]
    return model.lm_head(model.ln_f(streams[-1][0, -1])).float().cpu()


def _answers(model: GPT, hidden: Tensor, token: int, against: int) -> Tensor:
    """The difference of both logits after the last position, float [B]."""
    return hidden[:, -1] @ logit_direction(model, token, against)


def _with_diagonal(value: Tensor, source: Tensor) -> Tensor:
    """Copies value [N, N, ...], with entry [i, i] replaced by entry i of source [N, ...]."""
    patched = value.clone()
    positions = torch.arange(len(value), device=value.device)
    patched[positions, positions] = source
    return patched


def _check(model: GPT, source_ids: Ids, target_ids: Ids, kind: PatchKind) -> None:
    if kind not in PATCH_KINDS:
        raise ConfigError(f"The kind is {str(kind)[:40]!r}; choose {', '.join(PATCH_KINDS)}.")
    if kind == "mlp" and not model.config.use_mlp:
        raise ConfigError("This model has attention only; there is no MLP to patch.")
    if len(source_ids) != len(target_ids):
        raise TokenIdError(
            f"The texts have {len(source_ids)} and {len(target_ids)} tokens; values are "
            "patched place by place, so both need the same number. Replace a word with one "
            "that has as many tokens."
        )
