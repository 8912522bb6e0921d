"""Steering vectors: a direction between two sets of texts, as a difference of means.

Sources: Turner et al. 2023, "Steering Language Models With Activation Engineering"; the means over
several pairs as in Rimsky et al. 2024, "Steering Llama 2 via Contrastive Activation Addition".
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from gptcore.analysis.reading import record_activations
from gptcore.errors import ConfigError, TokenIdError
from gptcore.inference.generation import prompt_ids
from gptcore.inference.steering import Steering
from gptcore.language_model import LanguageModel
from gptcore.model import GPT


def steering_vector(
    lm: LanguageModel, towards: Sequence[str], away: Sequence[str], depth: int
) -> Steering:
    """The mean residual stream of some texts minus that of others, after `depth` blocks.

    Args:
        lm: the model.
        towards, away: texts of the two kinds, at least one each.
        depth: 1 to n_layer; the middle works best in most models.

    Raises:
        ConfigError: an impossible depth. TokenIdError: no texts. TokenizerError,
        ContextLengthError: as the model does.
    """
    n_layer = lm.model.config.n_layer
    if not 1 <= depth <= n_layer:
        raise ConfigError(f"The depth is {depth}; this model has 1 to {n_layer}.")
    if not towards or not away:
        raise TokenIdError("A steering vector needs at least one text of each kind.")
    means = [
        torch.stack([_mean(lm.model, prompt_ids(lm, text), depth) for text in side])
        for side in (towards, away)
    ]
    return Steering(depth, (means[0].mean(0) - means[1].mean(0)).float().cpu())


@torch.inference_mode()
def _mean(model: GPT, token_ids: Sequence[int], depth: int) -> Tensor:
    """The mean residual stream at a depth, float [C], over all positions but the first (the
    attention sink).
    """
    stream = record_activations(model, token_ids, "residual")["residual"][depth][0]
    return stream[1 if len(stream) > 1 else 0 :].mean(0)
