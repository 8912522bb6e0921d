"""Attribution: which part of a model a logit comes from, as an exact sum.

The residual stream is a sum of what the embeddings, every head and every MLP wrote; with the norm
that reads it frozen at its own scale, a logit is a linear function of those parts.

Sources: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; direct logit
attribution and its contrast form as in Wang et al. 2022, "Interpretability in the Wild".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gptcore.analysis.reading import record_activations
from gptcore.config import GPTConfig
from gptcore.errors import ConfigError, TokenIdError
from gptcore.model import GPT

TOKEN = "token"
POSITION = "position"
CONSTANTS = "constants"
_NO_SUM = (
    "every block's norm rescales the whole stream, so that no sum of parts is left to split. "
    "Pick a pre-norm model, such as a GPT-2."
)


@dataclass(frozen=True)
class Attribution:
    """A logit, or the difference of two, as a sum over the parts of a model."""

    # of the N parts: "token" and "position" for the embeddings, "L0H0" for a head, "L0 MLP" for an
    # MLP, "constants" for biases behind heads and in the final norm; those inside a head or an MLP
    # are its own
    names: tuple[str, ...]
    values: Tensor  # float32 [N], what each part adds
    total: float  # their sum, which is the logit or the difference itself


@torch.inference_mode()
def logit_attribution(
    model: GPT, token_ids: Sequence[int], token: int, against: int | None = None
) -> Attribution:
    """Splits the logit of a token after the last position, minus that of another, over the parts of
    the model.

    The final norm is frozen at the scale that it has in this pass; the parts then add up exactly.

    Args:
        model: pre-norm.
        token_ids: int [T], at most the window.
        token: the token whose logit is split.
        against: the token whose logit is subtracted; None for none, in which case any constant part
            is arbitrary: softmax ignores it.

    Raises:
        ConfigError: a post-norm model. TokenIdError, ContextLengthError: as the model does, and for
            an invalid token.
    """
    norm = final_norm(model, _NO_SUM)
    # [N, 1, C]
    names, parts = _stream_parts(model, token_ids, [len(token_ids) - 1], model.config.n_layer)
    direction = logit_direction(model, token, against)
    # [N]
    values = (
        parts[:, 0] @ pull_back_through_norm(norm, direction) / norm_scale(norm, parts.sum(0))[0]
    )
    values[names.index(CONSTANTS)] += norm.bias @ direction
    values = values.float().cpu()
    return Attribution(tuple(names), values, float(values.double().sum()))


def _stream_parts(
    model: GPT, token_ids: Sequence[int], positions: Sequence[int], depth: int
) -> tuple[list[str], Tensor]:
    """Names, and what each part wrote at the positions before a depth, [N, P, C]; their sum is the
    stream.
    """
    found = record_activations(model, token_ids, "head", "mlp", at=positions)
    token = model.wte.weight[[token_ids[index] for index in positions]]
    position = (
        model.wpe.weight[list(positions)] if model.config.use_positions else torch.zeros_like(token)
    )
    names = [TOKEN, POSITION]
    values = [token, position]
    biases = torch.zeros_like(token)
    for layer, block in enumerate(model.blocks[:depth]):
        projection = block.attn.c_proj
        weight = projection.weight.unflatten(1, (model.config.n_head, -1))  # [C, H, D]
        values += list(torch.einsum("hpd,chd->hpc", found["head"][layer][0], weight))
        names += [f"L{layer}H{head}" for head in range(model.config.n_head)]
        if projection.bias is not None:
            biases += projection.bias
        if block.use_mlp:
            values.append(found["mlp"][layer][0])
            names.append(f"L{layer} MLP")
    return [*names, CONSTANTS], torch.stack([*values, biases])


def logit_direction(model: GPT, token: int, against: int | None) -> Tensor:
    """The output-head row of `token`, minus that of `against` if given, float [C]."""
    for item in (token, against):
        if item is not None and not 0 <= item < model.config.vocab_size:
            raise TokenIdError(
                f"The token id {item} is outside this model's vocabulary, 0 to "
                f"{model.config.vocab_size - 1}."
            )
    weight = model.lm_head.weight
    return weight[token] if against is None else weight[token] - weight[against]


def check_head(config: GPTConfig, layer: int, head: int) -> None:
    """Raises ConfigError for a head that a model of this shape does not have."""
    if not (0 <= layer < config.n_layer and 0 <= head < config.n_head):
        raise ConfigError(
            f"There is no layer {layer}, head {head}; this model has layers 0 to "
            f"{config.n_layer - 1} with heads 0 to {config.n_head - 1}."
        )


def final_norm(model: GPT, why: str) -> nn.LayerNorm:
    """The final norm of a pre-norm model; a post-norm one has none, and gives a ConfigError with
    this reason.
    """
    if not isinstance(model.ln_f, nn.LayerNorm):
        raise ConfigError(f"This model is post-norm: {why}")
    return model.ln_f


def pull_back_through_norm(norm: nn.LayerNorm, direction: Tensor) -> Tensor:
    """Pulls a direction back through a norm, without the norm's scale, [C]."""
    weighted = norm.weight * direction
    return weighted - weighted.mean()


def norm_scale(norm: nn.LayerNorm, stream: Tensor) -> Tensor:
    """The standard deviation that a norm divides a stream by, [P, 1]."""
    return (stream.var(-1, correction=0, keepdim=True) + norm.eps).sqrt()
