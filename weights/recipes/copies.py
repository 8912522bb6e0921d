"""Batches in which some rows repeat themselves."""

import torch
from torch import Tensor

from gptcore.errors import TrainingError
from gptcore.training import Batches, generator_for


class WithCopies:
    """Batches in which some rows repeat themselves, so that heads learn to look up what came next
    last time.

    Half of those rows repeat tokens drawn at random, half a passage of the row's own text.

    Args:
        data: where the rows come from.
        share: of the rows that repeat, in [0, 1].
        vocab_size: V, tokens to draw from.

    Raises:
        TrainingError: a share outside its range, or a window too short to repeat anything.
    """

    _SHORTEST = 4

    def __init__(self, data: Batches, *, share: float, vocab_size: int) -> None:
        if not 0 <= share <= 1 or data.window < 2 * self._SHORTEST:
            given = f"A share of {share} copies in windows of {data.window} tokens"
            raise TrainingError(
                f"{given}: give a share from 0 to 1 and windows of at least {2 * self._SHORTEST}."
            )
        self.data = data
        self.share = share
        self.vocab_size = vocab_size
        self.window = data.window
        self.batch_size = data.batch_size

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        inputs, targets = self.data.draw(index, seed)
        batch = torch.cat([inputs, targets[:, -1:]], dim=1)  # [B, T + 1]
        generator = generator_for(seed, "copies", index)
        longest = max(self._SHORTEST + 1, min(96, self.window // 2 + 1))
        for row, chance in enumerate(torch.rand(self.batch_size, generator=generator).tolist()):
            if chance < self.share:
                period = int(torch.randint(self._SHORTEST, longest, (), generator=generator))
                passage = batch[row, :period]
                if chance < self.share / 2:
                    passage = torch.randint(self.vocab_size, (period,), generator=generator)
                batch[row] = passage[torch.arange(self.window + 1) % period]
        return batch[:, :-1], batch[:, 1:]
