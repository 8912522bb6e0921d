"""Keys and values of the tokens read so far, kept so that a new token costs one row of work."""

from __future__ import annotations

import torch
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.errors import ContextLengthError


class KVCache:
    """Preallocated keys and values for every layer.

    fp32 unless told otherwise, because one-query attention in 16 bits is several times slower on a CPU, and the
    cache is small beside the weights. Learned positions are tied to absolute places, so the cache never slides:
    when it is full, the caller starts again from a shorter context.
    """

    def __init__(
        self,
        config: GPTConfig,
        *,
        batch_size: int = 1,
        capacity: int | None = None,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        length = config.n_positions if capacity is None else capacity
        shape = (config.n_layer, 2, batch_size, config.n_head, length, config.head_dim)
        self.data = torch.empty(shape, dtype=dtype, device=device)  # [L, 2, B, H, n_positions, D]
        self.length = 0

    @property
    def capacity(self) -> int:
        """Tokens that fit."""
        return self.data.shape[4]

    def write(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Stores the new tokens' keys and values behind those already there; `advance` makes it count.

        Args:
            layer: which block.
            key, value: float [B, H, T, D].

        Returns:
            All keys and values up to and including the new ones, [B, H, length + T, D].

        Raises:
            ContextLengthError: the new tokens do not fit.
        """
        end = self.length + key.shape[2]
        if end > self.capacity:
            raise ContextLengthError(f"The cache holds {self.capacity} tokens and was asked to hold {end}.")
        self.data[layer, 0, :, :, self.length : end] = key
        self.data[layer, 1, :, :, self.length : end] = value
        return self.data[layer, 0, :, :, :end], self.data[layer, 1, :, :, :end]

    def advance(self, n_tokens: int) -> None:
        """Counts n_tokens as read, once all layers have written them."""
        self.length += n_tokens

    def clear(self) -> None:
        """Forgets everything; the memory stays."""
        self.length = 0
