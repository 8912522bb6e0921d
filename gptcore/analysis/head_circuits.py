"""What a head does whatever the text, read from its weights: what it copies or suppresses, and whom it builds on.

Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits": the OV circuit W_U W_O W_V W_E, its
eigenvalues as a copying score, and composition as a ratio of Frobenius norms. Norms' gains are folded into the weights
that they stand before; positions are left out. Behind the first block W_E is taken with the first MLP's answer to it,
as in Wang et al. 2022 (appendix on name movers): a tied embedding alone reads as its own opposite, since what a model
says next is rarely what it has just read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from gptcore.errors import ConfigError, TokenIdError
from gptcore.model import GPT, Block, activation

CompositionKind = Literal["Q", "K", "V"]
_TOKENS_AT_ONCE = 4096
_MOST_TOKENS = 8192  # of a vocabulary, its first: byte-pair encoding learns the most frequent first


@dataclass(frozen=True)
class Composition:
    """How much of what an earlier head writes a head reads, 0 to 1: in its queries, keys or values."""

    layer: int
    head: int
    kind: CompositionKind
    score: float


@dataclass(frozen=True)
class HeadCircuits:
    """A head's weights, read.

    Attributes:
        copied: (token, logit): those whose own logit rises most when the head looks at them, the first the most.
        suppressed: those whose own logit falls most.
        copying: -1 to 1: the sum of the OV circuit's eigenvalues (their real parts) over that of their sizes; 1 where
            looking at a token makes just that token likelier.
        compositions: with earlier heads, the strongest first.
    """

    copied: tuple[tuple[int, float], ...]
    suppressed: tuple[tuple[int, float], ...]
    copying: float
    compositions: tuple[Composition, ...]


@torch.inference_mode()
def head_circuits(model: GPT, layer: int, head: int, *, n: int = 10) -> HeadCircuits:
    """Reads what a head copies or suppresses, and with which earlier heads it composes.

    Logits are those of the head's output alone, at the size that an embedding has behind the norm; they compare tokens
    within a head. Of a larger vocabulary the first 8,192 tokens are read.

    Args:
        model: pre-norm.
        layer, head: which head.
        n: entries of each list, at most.

    Raises:
        ConfigError: a post-norm model, or no such head.
    """
    _check(model, layer, head)
    value, output = _value(model.blocks[layer], head), _output(model.blocks[layer], head)  # [D, C], [C, D]
    own, square = [], torch.zeros(len(value), len(value), device=value.device)
    for read, unembedded in _chunks(model, layer, _MOST_TOKENS):
        found, written = read @ value.T, unembedded @ output  # [v, D] each
        own.append((found * written).sum(-1))
        square += found.T @ written
    of_itself = torch.cat(own).float().cpu()
    n = min(n, len(of_itself))
    most, least = of_itself.topk(n), (-of_itself).topk(n)
    eigenvalues = torch.linalg.eigvals(square.double().cpu())
    return HeadCircuits(
        tuple(zip(most.indices.tolist(), most.values.tolist(), strict=True)),
        tuple((token, -logit) for token, logit in zip(least.indices.tolist(), least.values.tolist(), strict=True)),
        float(eigenvalues.real.sum() / eigenvalues.abs().sum().clamp_min(1e-12)),
        tuple(sorted(_compositions(model, layer, head), key=lambda one: -one.score)[:n]),
    )


@torch.inference_mode()
def head_writes(model: GPT, layer: int, head: int, token: int) -> Tensor:
    """What a head adds to every token's logit when it looks at one token, float32 [V], compared with their mean."""
    _check(model, layer, head)
    if not 0 <= token < model.config.vocab_size:
        raise TokenIdError(
            f"The token id {token} is outside this model's vocabulary, 0 to {model.config.vocab_size - 1}."
        )
    block = model.blocks[layer]
    written = _output(block, head) @ (_value(block, head) @ _read(model, layer, model.wte.weight[token : token + 1])[0])
    logits = torch.cat([rows @ written for rows in _unembedded(model).split(_TOKENS_AT_ONCE)])
    return (logits - logits.mean()).float().cpu()


def _check(model: GPT, layer: int, head: int) -> None:
    config = model.config
    if config.norm_position != "pre":
        raise ConfigError("This model is post-norm: its norms stand between what heads write and what others read.")
    if not (0 <= layer < config.n_layer and 0 <= head < config.n_head):
        raise ConfigError(
            f"There is no head {layer}.{head}; this model has layers 0 to {config.n_layer - 1} with heads 0 to "
            f"{config.n_head - 1}."
        )


def _chunks(model: GPT, layer: int, most: int) -> Iterator[tuple[Tensor, Tensor]]:
    """What a layer reads of each token, and the token's row of the output head; [v, C] each."""
    pairs = zip(
        model.wte.weight[:most].split(_TOKENS_AT_ONCE), _unembedded(model)[:most].split(_TOKENS_AT_ONCE), strict=True
    )
    for embedded, unembedded in pairs:
        yield _read(model, layer, embedded), unembedded


def _unembedded(model: GPT) -> Tensor:
    """Rows of the output head, compared with their mean, with the final norm's gain, [V, C]."""
    rows = model.lm_head.weight - model.lm_head.weight.mean(0)
    return _centred(rows * model.ln_f.weight) if isinstance(model.ln_f, nn.LayerNorm) else rows


def _read(model: GPT, layer: int, embedded: Tensor) -> Tensor:
    """Embeddings, behind the first block with its MLP's answer, as a norm without gain and bias gives them."""
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


def _value(block: Block, head: int) -> Tensor:
    return _part(block, head, 2)


def _output(block: Block, head: int) -> Tensor:
    """[C, D]."""
    return block.attn.c_proj.weight.unflatten(1, (block.attn.n_head, -1))[:, head]


def _compositions(model: GPT, layer: int, head: int) -> Iterator[Composition]:
    """With every head of the layers before."""
    query, key, value = (_part(model.blocks[layer], head, which) for which in range(3))
    output = _output(model.blocks[layer], head)
    for before, block in enumerate(model.blocks[:layer]):
        for other in range(block.attn.n_head):
            write, read = _output(block, other), _value(block, other)
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
