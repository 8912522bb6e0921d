"""Head circuits, read from the weights alone: which tokens a head copies or suppresses.

Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits": the OV circuit W_U
W_O W_V W_E, and its eigenvalues as a copying score. Norm gains are folded into the weights that
follow; positions are left out. After the first block, W_E includes the first MLP's output, as in
Wang et al. 2022 (appendix on name movers): a tied embedding alone reads as its own opposite, since
a model rarely predicts the token that it has just read.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gptcore.analysis.attribution import check_head, final_norm
from gptcore.model import GPT, activation

_MOST_TOKENS = 8192  # the first of a vocabulary: byte-pair encoding learns frequent tokens first


@dataclass(frozen=True)
class HeadCircuits:
    """The evidence in a head's weights on its function: the tokens that it copies and suppresses,
    and its copying score.
    """

    # (token, logit) of the tokens whose own logit rises most when the head attends to them, largest
    # first
    copied: tuple[tuple[int, float], ...]
    suppressed: tuple[tuple[int, float], ...]  # the same for those whose own logit falls most
    # copying score, -1 to 1: the sum of the OV circuit's eigenvalues (real parts) over that of
    # their moduli; 1 where attending to a token makes just that token likelier
    copying: float


@torch.inference_mode()
def head_circuits(model: GPT, layer: int, head: int, *, n: int = 10) -> HeadCircuits:
    """Reads what a head copies or suppresses.

    Logits are those of the head's output alone, for embeddings at the norm's output scale; compare
    them only within a head. Of a larger vocabulary, only the first 8,192 tokens are used.

    Args:
        model: pre-norm.
        layer, head: which head.
        n: entries of each list, at most.

    Raises:
        ConfigError: a post-norm model, or no such head.
    """
    norm = final_norm(model, "its norms stand between what heads write and what others read.")
    check_head(model.config, layer, head)
    block = model.blocks[layer]
    D = model.config.head_dim
    # [D, C]
    value = _centred(block.attn.c_attn.weight.unflatten(0, (3, -1, D))[2, head] * block.ln_1.weight)
    output = block.attn.c_proj.weight.unflatten(1, (-1, D))[:, head]  # [C, D]
    reads = _read(model, layer, model.wte.weight[:_MOST_TOKENS]) @ value.T  # [v, D]
    centred = model.lm_head.weight - model.lm_head.weight.mean(0)  # on the mean of its rows
    written = _centred(centred * norm.weight)[:_MOST_TOKENS] @ output  # [v, D]
    of_itself = (reads * written).sum(-1).float().cpu()
    n = min(n, len(of_itself))
    most = of_itself.topk(n)
    least = (-of_itself).topk(n)
    eigenvalues = torch.linalg.eigvals((reads.T @ written).double().cpu())
    return HeadCircuits(
        tuple(zip(most.indices.tolist(), most.values.tolist(), strict=True)),
        tuple(
            (token, -logit)
            for token, logit in zip(least.indices.tolist(), least.values.tolist(), strict=True)
        ),
        float(eigenvalues.real.sum() / eigenvalues.abs().sum().clamp_min(1e-12)),
    )


def _read(model: GPT, layer: int, embedded: Tensor) -> Tensor:
    """Normalised embeddings (no gain or bias), with the first MLP's output added for later
    layers.
    """
    block = model.blocks[0]
    if layer and block.use_mlp:
        embedded = embedded + block.mlp.c_proj(
            activation(block.mlp.activation, block.mlp.c_fc(block.ln_2(embedded)))
        )
    return nn.functional.layer_norm(embedded, embedded.shape[-1:])


def _centred(rows: Tensor) -> Tensor:
    return rows - rows.mean(-1, keepdim=True)
