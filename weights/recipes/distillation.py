"""Learning from models that have learned already: their probabilities as targets, and text that
they write.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.errors import TrainingError
from gptcore.kv_cache import KVCache
from gptcore.model import GPT, evaluating


class Distillation:
    """A loss against the mean of what teachers expect (Hinton et al. 2015, "Distilling the
    Knowledge in a Neural Network", at temperature 1), mixed with the loss on the text itself.

    Args:
        teachers: models with the student's vocabulary, on its device; only read.
        text_share: weight of the text's own next tokens, in [0, 1]; the rest is the teachers'.
        compiled: run the teachers through torch.compile, all in one.

    Raises:
        TrainingError: no teachers, or a share outside its range.
    """

    def __init__(
        self, teachers: Sequence[GPT], *, text_share: float = 0.0, compiled: bool = False
    ) -> None:
        if not teachers or not 0 <= text_share <= 1:
            raise TrainingError(
                f"{len(teachers)} teachers and a text share of {text_share}: give at least one "
                "teacher and a share from 0 to 1."
            )
        self.teachers = [teacher.eval() for teacher in teachers]
        self.text_share = text_share
        self._mean = torch.compile(self._expected) if compiled else self._expected

    def __call__(self, student: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy in nats per token; inputs and targets int64 [B, T]."""
        with torch.no_grad():
            expected = self._mean(inputs)
        output = student(inputs, targets)
        soft = F.cross_entropy(output.logits.flatten(0, 1).float(), expected.flatten(0, 1))
        return self.text_share * output.loss + (1 - self.text_share) * soft

    def _expected(self, inputs: Tensor) -> Tensor:
        """The teachers' mean probabilities, float32 [B, T, V]."""
        total = self.teachers[0](inputs).logits.float().softmax(-1)
        for teacher in self.teachers[1:]:
            total = total + teacher(inputs).logits.float().softmax(-1)
        return total / len(self.teachers)


@torch.inference_mode()
def written_tokens(
    model: GPT, *, start_id: int, n_tokens: int, batch_size: int = 64, seed: int = 0
) -> Iterator[np.ndarray]:
    """Text as a model writes it freely at temperature 1, as endless documents one after the other.

    Args:
        model: on any device; computes in its own precision.
        start_id: the token between documents; every piece begins with it.
        n_tokens: about so many in all.
        batch_size: pieces written together.
        seed: of the draws.

    Yields:
        integers [N]: whole documents, each behind its start token. What is unfinished at the
        window's end is left out.
    """
    window = model.config.n_positions
    device = model.wte.weight.device
    generator = torch.Generator(device).manual_seed(seed)
    cache = KVCache(
        model.config, batch_size=batch_size, device=device, dtype=model.wte.weight.dtype
    )
    made = 0
    with evaluating(model):
        while made < n_tokens:
            cache.clear()
            ids = torch.full((batch_size, window), start_id, device=device)  # [B, T]
            for index in range(1, window):
                hidden = model.hidden_states(ids[:, index - 1 : index], cache=cache)  # [B, 1, C]
                chances = model.lm_head(hidden)[:, 0].float().softmax(-1)  # [B, V]
                ids[:, index] = torch.multinomial(chances, 1, generator=generator)[:, 0]
            for row in ids.cpu().numpy():
                ends = np.flatnonzero(row == start_id)
                if ends[-1] > 0:
                    made += int(ends[-1])
                    yield row[: ends[-1]]
            if made == 0:
                raise TrainingError(
                    "This model ends no document within its window; it cannot write texts to "
                    "learn from."
                )
