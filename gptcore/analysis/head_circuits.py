"""Head circuits, read from the weights alone: which tokens a head copies or suppresses, and its composition scores.

Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits": the OV circuit W_U W_O W_V W_E, its
eigenvalues as a copying score, and composition as a ratio of Frobenius norms. Norm gains are folded into the weights
that follow; positions are left out. After the first block, W_E includes the first MLP's output, as in Wang et al. 2022
(appendix on name movers): a tied embedding alone reads as its own opposite, since a model rarely predicts the token
that it has just read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from gptcore.analysis.attribution import check_head, final_norm
from gptcore.model import GPT, Block, activation

CompositionKind = Literal["Q", "K", "V"]
_MOST_TOKENS = 8192  # the first of a vocabulary: byte-pair encoding learns frequent tokens first


@dataclass(frozen=True)
class Composition:
    """Composition score, 0 to 1: how strongly a head's queries, keys or values read an earlier head's output."""

    layer: int
    head: int
    kind: CompositionKind
    score: float


@dataclass(frozen=True)
class HeadCircuits:
    """What a head's weights say about its function."""

    # (token, logit) of the tokens whose own logit rises most when the head attends to them, largest first
    copied: tuple[tuple[int, float], ...]
    suppressed: tuple[tuple[int, float], ...]  # the same for those whose own logit falls most
    # copying score, -1 to 1: the sum of the OV circuit's eigenvalues (real parts) over that of their moduli; 1 where
    # attending to a token makes just that token likelier
    copying: float
    compositions: tuple[Composition, ...]  # with earlier heads, the strongest first


@torch.inference_mode()
def head_circuits(model: GPT, layer: int, head: int, *, n: int = 10) -> HeadCircuits:
    """Reads what a head copies or suppresses, and with which earlier heads it composes.

    Logits are those of the head's output alone, for embeddings at the norm's output scale; compare them only within a
    head. Of a larger vocabulary, only the first 8,192 tokens are used.

    Args:
        model: pre-norm.
        layer, head: which head.
        n: entries of each list, at most.

    Raises:
        ConfigError: a post-norm model, or no such head.
    """
    norm = final_norm(model, "its norms stand between what heads write and what others read.")
    check_head(model.config, layer, head)
    value, output = _part(model.blocks[layer], head, 2), _output(model.blocks[layer], head)  # [D, C], [C, D]
    reads = _read(model, layer, model.wte.weight[:_MOST_TOKENS]) @ value.T  # [v, D]
    centred = model.lm_head.weight - model.lm_head.weight.mean(0)  # on the mean of its rows
    written = _centred(centred * norm.weight)[:_MOST_TOKENS] @ output  # [v, D]
    of_itself = (reads * written).sum(-1).float().cpu()
    n = min(n, len(of_itself))
    most, least = of_itself.topk(n), (-of_itself).topk(n)
    eigenvalues = torch.linalg.eigvals((reads.T @ written).double().cpu())
    return HeadCircuits(
        tuple(zip(most.indices.tolist(), most.values.tolist(), strict=True)),
        tuple((token, -logit) for token, logit in zip(least.indices.tolist(), least.values.tolist(), strict=True)),
        float(eigenvalues.real.sum() / eigenvalues.abs().sum().clamp_min(1e-12)),
        tuple(sorted(_compositions(model, layer, head), key=lambda one: -one.score)[:n]),
    )


def _read(model: GPT, layer: int, embedded: Tensor) -> Tensor:
    """Normalised embeddings (no gain or bias), with the first MLP's output added for later layers."""
    block = model.blocks[0]
    if layer and block.use_mlp:
        embedded = embedded + block.mlp.c_proj(activation(block.mlp.activation, block.mlp.c_fc(block.ln_2(embedded))))
    return nn.functional.layer_norm(embedded, embedded.shape[-1:])


def _centred(rows: Tensor) -> Tensor:
    return rows - rows.mean(-1, keepdim=True)


def _part(block: Block, head: int, which: int) -> Tensor:
    """Queries, keys or values of a head with the norm's gain folded in, [D, C]."""
    weight = block.attn.c_attn.weight.unflatten(0, (3, block.attn.n_head, -1))[which, head]
    return _centred(weight * block.ln_1.weight)


def _output(block: Block, head: int) -> Tensor:
    """[C, D]."""
    return block.attn.c_proj.weight.unflatten(1, (block.attn.n_head, -1))[:, head]


def _compositions(model: GPT, layer: int, head: int) -> Iterator[Composition]:
    """Composition scores with every head of the earlier layers."""
    query, key, value = (_part(model.blocks[layer], head, which) for which in range(3))
    output = _output(model.blocks[layer], head)
    for before, block in enumerate(model.blocks[:layer]):
        for other in range(block.attn.n_head):
            write, read = _output(block, other), _part(block, other, 2)
            ways: tuple[tuple[CompositionKind, Tensor, Tensor], ...]
            ways = ("Q", key.T, query), ("K", query.T, key), ("V", output, value)
            for kind, outer, inner in ways:
                # ||outer inner write read|| / (||outer inner|| ||write read||), through matrices of the head's width
                whole = _norm(outer, inner @ write, read)
                identity = torch.eye(len(inner), device=inner.device)
                alone = _norm(outer, identity, inner) * _norm(write, identity, read)
                yield Composition(before, other, kind, float(whole / alone.clamp_min(1e-12)))


def _norm(left: Tensor, middle: Tensor, right: Tensor) -> Tensor:
    """The Frobenius norm of left middle right, [C, D] [D, D] [D, C]."""
    return ((left.T @ left @ middle) * (middle @ right @ right.T)).sum().clamp_min(0).sqrt()
