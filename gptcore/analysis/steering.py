"""Steering vectors: a direction between two sets of texts, as a difference of means.

Sources: Turner et al. 2023, "Steering Language Models With Activation Engineering"; the means over several pairs as in
Rimsky et al. 2024, "Steering Llama 2 via Contrastive Activation Addition".
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from gptcore.errors import ConfigError, TokenIdError
from gptcore.inference.generation import prompt_ids
from gptcore.inference.steering import Steering
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.probe import Probe


class _MeanStream(Probe):
    """Mean residual stream at a depth, over all positions but the first (the attention sink)."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self.mean = torch.empty(0)

    def residual(self, depth: int, stream: Tensor) -> None:
        if depth == self._depth:
            self.mean = stream[0, 1 if stream.shape[1] > 1 else 0 :].mean(0)


def steering_vector(lm: LanguageModel, towards: Sequence[str], away: Sequence[str], depth: int) -> Steering:
    """The mean residual stream of some texts minus that of others, after `depth` blocks.

    Args:
        lm: the model.
        towards, away: texts of the two kinds, at least one each.
        depth: 1 to n_layer; the middle works best in most models.

    Raises:
        ConfigError: an impossible depth. TokenIdError: no texts. TokenizerError, ContextLengthError: as the model does.
    """
    n_layer = lm.model.config.n_layer
    if not 1 <= depth <= n_layer:
        raise ConfigError(f"The depth is {depth}; this model has 1 to {n_layer}.")
    if not towards or not away:
        raise TokenIdError("A steering vector needs at least one text of each kind.")
    means = [torch.stack([_mean(lm.model, prompt_ids(lm, text), depth) for text in side]) for side in (towards, away)]
    return Steering(depth, (means[0].mean(0) - means[1].mean(0)).float().cpu())


@torch.inference_mode()
def _mean(model: GPT, token_ids: Sequence[int], depth: int) -> Tensor:
    probe = _MeanStream(depth)
    with evaluating(model):
        model.hidden_states(torch.tensor([list(token_ids)], device=model.wte.weight.device), probe=probe)
    return probe.mean.clone()
