"""The distribution after every step of the sampling pipeline."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.inference.sampling import candidates, cooled
from gptcore.inference.sampling_settings import SamplingSettings


@dataclass(frozen=True)
class Stage:
    """The distribution after one step of the pipeline.

    Attributes:
        name: "softmax", "penalties", "temperature", "top-k", "top-p", "min-p", "typical-p", "epsilon" or "eta".
        probabilities: float32 [V]; 0 where a token has been cut.
        n_candidates: tokens left.
        entropy: bits.
        mass_removed: probability mass of the previous stage that was cut here.
    """

    name: str
    probabilities: Tensor
    n_candidates: int
    entropy: float
    mass_removed: float


def stages(logits: Tensor, settings: SamplingSettings, penalised: Tensor | None = None) -> list[Stage]:
    """Every stage of the pipeline that `candidates` computes, over the full vocabulary.

    Args:
        logits: float [V], the model's own.
        settings: of the strategy.
        penalised: the logits after `penalise`; adds a stage when they differ.
    """
    result = [_stage("softmax", logits.float().softmax(dim=0), 0.0)]
    if penalised is not None and not torch.equal(penalised, logits):
        result.append(_stage("penalties", penalised.float().softmax(dim=0), 0.0))
    adjusted = logits if penalised is None else penalised
    if settings.temperature == 0:
        greedy = torch.zeros_like(result[0].probabilities)
        greedy[adjusted.argmax()] = 1.0
        removed = 1.0 - float(result[-1].probabilities[adjusted.argmax()])
        return [*result, _stage("temperature", greedy, removed)]
    result.append(_stage("temperature", cooled(adjusted, settings.temperature).softmax(dim=0), 0.0))
    limits = [
        ("top-k", {"top_k": settings.top_k}, bool(settings.top_k)),
        ("top-p", {"top_p": settings.top_p}, settings.top_p is not None and settings.top_p < 1),
        ("min-p", {"min_p": settings.min_p}, bool(settings.min_p)),
        ("typical-p", {"typical_p": settings.typical_p}, settings.typical_p not in (None, 1)),
        ("epsilon", {"epsilon_cutoff": settings.epsilon_cutoff}, bool(settings.epsilon_cutoff)),
        ("eta", {"eta_cutoff": settings.eta_cutoff}, bool(settings.eta_cutoff)),
    ]
    limit: dict[str, float | int | None] = {}
    for name, more, active in limits:
        if not active:
            continue
        limit |= more
        left = candidates(adjusted, SamplingSettings(temperature=settings.temperature, **limit))  # type: ignore[arg-type]
        before = result[-1].probabilities
        after = torch.zeros_like(before).index_put((left.ids,), left.probabilities)
        result.append(_stage(name, after, max(0.0, 1.0 - float(before[left.ids].double().sum()))))
    return result


def _stage(name: str, probabilities: Tensor, mass_removed: float) -> Stage:
    positive = probabilities[probabilities > 0].double()
    entropy = max(0.0, -float((positive * positive.log2()).sum()))
    return Stage(name, probabilities, len(positive), entropy, mass_removed)
