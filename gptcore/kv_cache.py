"""KV cache: keys and values of the tokens read so far, so that a new token costs one row of
work.
"""

import torch
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.errors import ContextLengthError


class KVCache:
    """Preallocated keys and values for every layer.

    fp32 unless told otherwise, because one-query attention in 16 bits is several times slower on a
    CPU, and the cache is small beside the weights. Learned positions are tied to absolute places,
    so the cache never slides: when it is full, the caller starts again from a shorter context.

    Args:
        config: of the model.
        batch_size: rows, all of one length.
        device, dtype: of the memory.
        memory: float [L, 2, B, H, capacity, D] to use instead of allocating.
    """

    def __init__(
        self,
        config: GPTConfig,
        *,
        batch_size: int = 1,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
        memory: Tensor | None = None,
    ) -> None:
        shape = (config.n_layer, 2, batch_size, config.n_head, config.n_positions, config.head_dim)
        self.data: Tensor = (
            torch.empty(shape, dtype=dtype, device=device) if memory is None else memory
        )
        self.length: int = 0

    @property
    def capacity(self) -> int:
        """Tokens that fit."""
        return self.data.shape[4]

    def write(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Appends the new tokens' keys and values; `advance` then counts them as read.

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
            raise ContextLengthError(
                f"The cache holds {self.capacity} tokens and was asked to hold {end}."
            )
        self.data[layer, 0, :, :, self.length : end] = key
        self.data[layer, 1, :, :, self.length : end] = value
        # 16-bit memory is read back in the model's precision
        held = self.data[layer, :, :, :, :end].to(key.dtype)
        return held[0], held[1]

    def advance(self, n_tokens: int) -> None:
        """Counts n_tokens as read, once all layers have written them."""
        self.length += n_tokens

    def clear(self) -> None:
        """Empties the cache; the memory stays allocated."""
        self.length = 0


class RaggedKVCache:
    """KV cache for sequences of different lengths, one per row; rows can be added and removed.

    Args:
        config: of the model.
        capacity: tokens that fit in a row; the window when left out.
        device, dtype: of the memory.

    Attributes:
        lengths: tokens read so far, of every row.
    """

    def __init__(
        self,
        config: GPTConfig,
        *,
        capacity: int | None = None,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self._config = config
        self._dtype = dtype
        self.capacity: int = config.n_positions if capacity is None else capacity
        self.lengths: list[int] = []
        self.data = self._room(0, device)  # [L, 2, at least B, H, capacity, D]

    def __len__(self) -> int:
        return len(self.lengths)

    def add(self) -> None:
        """Appends an empty row."""
        n = len(self.lengths)
        if n == self.data.shape[2]:
            self.move_to(self._room(max(1, 2 * n), self.data.device))
        self.lengths.append(0)

    def remove(self, row: int) -> None:
        """Removes a row; the last row takes its index."""
        last = len(self.lengths) - 1
        if row < last:
            self.copy(last, row)
        del self.lengths[last]

    def copy(self, source: int, row: int) -> None:
        """Gives a row what another one has read."""
        length = self.lengths[row] = self.lengths[source]
        self.data[:, :, row, :, :length] = self.data[:, :, source, :, :length]

    def move_to(self, memory: Tensor) -> None:
        """Moves what was read into other memory, float [L, 2, at least B, H, capacity, D]."""
        for row, length in enumerate(self.lengths):
            memory[:, :, row, :, :length] = self.data[:, :, row, :, :length]
        self.data: Tensor = memory

    def rows(self, first: int, n: int) -> KVCache:
        """Rows next to each other as an empty cache in the same memory, to read contexts into."""
        return KVCache(self._config, memory=self.data[:, :, first : first + n])

    def _room(self, n_rows: int, device: torch.device | str) -> Tensor:
        config = self._config
        shape = (config.n_layer, 2, n_rows, config.n_head, self.capacity, config.head_dim)
        # Zeros: masked positions get weight 0, and 0 * NaN is NaN.
        return torch.zeros(shape, dtype=self._dtype, device=device)
