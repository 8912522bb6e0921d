"""The MLP as a key-value memory: each hidden neuron responds to a pattern and then adds its own
vector.

Source: Geva et al. 2021, "Transformer Feed-Forward Layers Are Key-Value Memories".
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gptcore.analysis.reading import record_activations
from gptcore.errors import ConfigError
from gptcore.model import GPT, Block, activation


@torch.inference_mode()
def neuron_activations(model: GPT, token_ids: Sequence[int], layer: int) -> Tensor:
    """Activations of a layer's hidden MLP neurons at each token, float32 [T, F], after the
    activation function.

    Raises:
        ConfigError: the model has no MLPs, or no such layer.
        TokenIdError, ContextLengthError: as the model does.
    """
    block = _block(model, layer)
    found = record_activations(model, token_ids, "residual", "attention")
    stream = found["residual"][layer][0] + found["attention"][layer][0]  # before any norm, [T, C]
    read = block.ln_2(stream) if block.pre_norm else block.ln_1(stream)
    return activation(block.mlp.activation, block.mlp.c_fc(read)).float().cpu()


def outstanding_neurons(activations: Tensor, n: int) -> list[int]:
    """At most n neurons, those first whose largest activation is furthest above their mean over the
    text.

    Args:
        activations: float32 [T, F]; the first token, which is unlike all others, counts only where
            it is alone. Of a single token that counts, the activations themselves are compared:
            there is no mean to stand out from.
        n: at least 1.
    """
    seen = activations[1:] if len(activations) > 1 else activations
    usual = seen.mean(dim=0) if len(seen) > 1 else torch.zeros_like(seen[0])
    return (seen.amax(dim=0) - usual).topk(min(n, activations.shape[1])).indices.tolist()


@torch.inference_mode()
def neuron_writes(model: GPT, layer: int, neuron: int) -> Tensor:
    """The direct effect of a neuron with activation 1 on each token's logit, float32 [V], centred
    on the mean.

    Its output vector goes through the output head with the final norm's gains but without its
    division, so the direction is right and the scale is not. Raises ConfigError as above, and for
    an unknown neuron.
    """
    block = _block(model, layer)
    weight = block.mlp.c_proj.weight  # [C, F]
    if not 0 <= neuron < weight.shape[1]:
        raise ConfigError(
            f"There is no neuron {neuron}; a layer of this model has 0 to {weight.shape[1] - 1}."
        )
    written = weight[:, neuron] - weight[:, neuron].mean()
    if isinstance(model.ln_f, nn.LayerNorm):
        written = written * model.ln_f.weight
    logits = model.lm_head(written).float().cpu()
    return logits - logits.mean()


def _block(model: GPT, layer: int) -> Block:
    if not model.config.use_mlp:
        raise ConfigError(
            "This model has no MLPs, so it has no neurons to look at. Pick another one."
        )
    if not 0 <= layer < model.config.n_layer:
        raise ConfigError(
            f"There is no layer {layer}; this model has 0 to {model.config.n_layer - 1}."
        )
    return model.blocks[layer]
