"""Cost of a model shape: memory for weights, training and the KV cache, FLOPs, and work saved by
the cache.

Sources: Kaplan et al. 2020, "Scaling Laws for Neural Language Models" (6ND); Kingma and Ba 2015
(Adam's two moments).
"""

from typing import NamedTuple

from gptcore.analysis.parameters import count_parameters
from gptcore.config import GPTConfig

_FLOAT = 4  # bytes of fp32


def weight_bytes(config: GPTConfig, *, bits: int = 32) -> int:
    """Bytes of the weights alone, at 32, 16 or 8 bits each."""
    return count_parameters(config).total * bits // 8


def optimizer_bytes(config: GPTConfig) -> int:
    """Bytes of gradients and optimiser states in fp32 AdamW training: a gradient and two moments
    per parameter.
    """
    return 3 * _FLOAT * count_parameters(config).total


def kv_cache_bytes(config: GPTConfig, n_tokens: int = 1, *, bits: int = 32) -> int:
    """Bytes of the keys and values of n_tokens tokens in all layers: 2 * L * C numbers a token."""
    return 2 * config.n_layer * config.n_embd * n_tokens * bits // 8


def activation_bytes(
    config: GPTConfig, *, batch_size: int, n_tokens: int, attention_maps: bool = False
) -> int:
    """Activation memory: bytes that a training step keeps for the backward pass, in fp32 without
    dropout.

    A block keeps, for each token: its input and that of the MLP (before and after their norms, 4C),
    queries, keys and values (3C), what the heads found (C), the MLP's inner values (before and
    after the activation, 2F, or F for ReLU), two numbers a norm, and one a head, the fused
    attention's normaliser.

    Args:
        config: the shape.
        batch_size: B, sequences.
        n_tokens: T, tokens in each.
        attention_maps: the explicit path stores T weights for every token and head; the fused
            kernel recomputes them.
    """
    C = config.n_embd
    F = config.inner_dim
    H = config.n_head
    inner = (
        0 if not config.use_mlp else 2 * C + (F if config.activation_function == "relu" else 2 * F)
    )
    norms = 4 if config.use_mlp else 2
    block = 6 * C + inner + norms + (H * n_tokens if attention_maps else H)
    outside = (2 * C + 2 if config.final_norm else C) + config.vocab_size  # final norm, log-softmax
    ids = 2 * batch_size * n_tokens * _FLOAT + (8 * n_tokens if config.use_positions else 0)
    return _FLOAT * batch_size * n_tokens * (config.n_layer * block + outside) + ids


def forward_flops(config: GPTConfig, n_tokens: int) -> int:
    """Floating-point operations of one token's share of a forward pass over n_tokens tokens.

    Two for each weight of a matrix, and four for each pair of tokens and channel in attention (q.k
    and the weighted sum). Masked pairs count too, as in torch's FLOP counter and in kernels that do
    not skip them.
    """
    C = config.n_embd
    L = config.n_layer
    matrices = (
        L * (4 * C * C + (2 * C * config.inner_dim if config.use_mlp else 0))
        + config.vocab_size * C
    )
    return 2 * matrices + 4 * L * C * n_tokens


def training_flops(config: GPTConfig, n_tokens: int) -> int:
    """Forward and backward of one token in sequences of n_tokens; the backward pass costs twice the
    forward.
    """
    return 3 * forward_flops(config, n_tokens)


class CacheArithmetic(NamedTuple):
    """Key/value pairs computed during generation, one for one token in one layer: where every step
    reads the whole text again, and where every token is read once. The last one written is never
    read.
    """

    without: int
    with_cache: int


def cache_arithmetic(n_layer: int, n_prompt: int, n_new: int) -> CacheArithmetic:
    """Counts the keys and values that are computed for n_new tokens after a prompt, with and
    without a cache.
    """
    reads = n_new * n_prompt + n_new * (n_new - 1) // 2
    return CacheArithmetic(n_layer * reads, n_layer * (n_prompt + n_new - 1) if n_new else 0)
