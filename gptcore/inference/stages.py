"""The distribution after every step of the sampling pipeline."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gptcore.inference.sampling import candidates, cooled
from gptcore.inference.sampling_settings import CONTROLS, CUT_OFFS, SamplingSettings


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
    limits = SamplingSettings(temperature=settings.temperature)
    for name in ("top_k", "top_p", "min_p", *CUT_OFFS):
        value = getattr(settings, name)
        if value in (None, (CONTROLS | CUT_OFFS)[name].neutral):
            continue
        limits = replace(limits, **{name: value})
        left, before = candidates(adjusted, limits), result[-1].probabilities
        after = torch.zeros_like(before).index_put((left.ids,), left.probabilities)
        removed = max(0.0, 1.0 - float(before[left.ids].double().sum()))
        result.append(_stage(name.removesuffix("_cutoff").replace("_", "-"), after, removed))
    return result


def _stage(name: str, probabilities: Tensor, mass_removed: float) -> Stage:
    positive = probabilities[probabilities > 0].double()
    entropy = max(0.0, -float((positive * positive.log2()).sum()))
    return Stage(name, probabilities, len(positive), entropy, mass_removed)
