"""How many parameters a model has, by component, from its shape alone."""

from __future__ import annotations

from dataclasses import dataclass

from gptcore.config import GPTConfig


@dataclass(frozen=True)
class ParameterCount:
    """Numbers of parameters. All blocks are counted together; a tied head counts nothing.

    Attributes:
        token_embedding: V * C.
        position_embedding: n_positions * C.
        attention: the query/key/value and output projections of all blocks.
        mlp: both projections of all blocks.
        block_norms: the LayerNorms inside the blocks.
        final_norm: ln_f.
        head: V * C when it is not tied.
    """

    token_embedding: int
    position_embedding: int
    attention: int
    mlp: int
    block_norms: int
    final_norm: int
    head: int

    @property
    def total(self) -> int:
        """All of them, which is what the real model has."""
        embeddings = self.token_embedding + self.position_embedding
        return embeddings + self.attention + self.mlp + self.block_norms + self.final_norm + self.head


def count_parameters(config: GPTConfig) -> ParameterCount:
    """The count of a model of this shape, without building it."""
    C, inner, L = config.n_embd, config.inner_dim, config.n_layer
    norms_in_block = 2 if config.use_mlp else 1
    return ParameterCount(
        token_embedding=config.vocab_size * C,
        position_embedding=config.n_positions * C if config.use_positions else 0,
        attention=L * (4 * C * C + (4 * C if config.attention_bias else 0)),
        mlp=L * (2 * C * inner + inner + C) if config.use_mlp else 0,
        block_norms=L * norms_in_block * 2 * C,
        final_norm=2 * C if config.final_norm else 0,
        head=0 if config.tie_word_embeddings else config.vocab_size * C,
    )
