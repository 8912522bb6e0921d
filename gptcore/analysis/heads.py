"""What attention heads do: scores for the roles that the interpretability literature describes.

Sources: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits" (previous-token and induction
heads); Olsson et al. 2022, "In-context Learning and Induction Heads" (prefix matching on repeated random tokens: 25
tokens four times behind a start token there, up to 24 tokens twice here); Wang et al. 2022, "Interpretability in the
Wild" (duplicate-token heads); Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks" (the
attention sink).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from gptcore.analysis.attention import read_attention
from gptcore.model import GPT

# A head has a role when at least this share of its attention plays it.
ROLE_THRESHOLD = 0.4
# It leans to a role from here on.
LEANING_THRESHOLD = 0.15
# On ordinary text, so many times more than a head that looks everywhere alike.
STANDING_OUT = 2.0
ROLES = ("induction", "duplicate", "previous", "self", "first", "mixed")


@dataclass(frozen=True)
class HeadScores:
    """Scores of every head, float32 [n_layer, n_head], means over the reading tokens that a score is defined for.

    The first five are shares of attention in 0 to 1. The first token never counts as the target of
    "previous" or "duplicate": heads with nothing to do rest on it. NaN where a text gives no occasion.

    Attributes:
        previous: on the token just before; of the readers from the third token on.
        first: on the first token of the text (the sink); of all readers but that token.
        itself: on the reading token itself; of all readers but the first.
        duplicate: on earlier occurrences of the reading token.
        induction: on what came after earlier occurrences of the reading token.
        distance: how many tokens back it looks on average.
        entropy: of the weights, in bits: 0 looks at one token, log2(n) at n alike.
    """

    previous: Tensor
    first: Tensor
    itself: Tensor
    duplicate: Tensor
    induction: Tensor
    distance: Tensor
    entropy: Tensor

    def doing(self, layer: int, head: int) -> dict[str, float]:
        """A head's scores in the roles that are not resting; 0 where the text gives no occasion."""
        scores = {
            "induction": self.induction,
            "duplicate": self.duplicate,
            "previous": self.previous,
            "self": self.itself,
        }
        return {name: float(values[layer, head].nan_to_num(0)) for name, values in scores.items()}

    def role(self, layer: int, head: int, chance: HeadScores | None = None) -> str:
        """Which of ROLES a head plays: its highest score among those that are not resting, if it is high enough.

        Args:
            layer, head: which head.
            chance: `uniform_scores` of the text. Where a token is repeated often, even a head that looks everywhere
                alike scores high; a role must stand out from that.
        """
        doing = self._standing_out(layer, head, chance, ROLE_THRESHOLD)
        if doing:
            return max(doing, key=lambda name: doing[name])
        return "first" if float(self.first[layer, head].nan_to_num(0)) >= ROLE_THRESHOLD else "mixed"

    def leaning(self, layer: int, head: int, chance: HeadScores) -> str:
        """Which of ROLES a head without a clear one leans to, compared with one that looks everywhere alike."""
        doing = self._standing_out(layer, head, chance, LEANING_THRESHOLD)
        expected = chance.doing(0, 0)
        return max(doing, key=lambda name: doing[name] / max(expected[name], 1e-9), default="mixed")

    def _standing_out(self, layer: int, head: int, chance: HeadScores | None, least: float) -> dict[str, float]:
        expected = {} if chance is None else chance.doing(0, 0)
        return {
            name: value
            for name, value in self.doing(layer, head).items()
            if value >= max(least, STANDING_OUT * expected.get(name, 0.0))
        }


@torch.inference_mode()
def head_scores(maps: Iterable[Tensor], token_ids: Sequence[int]) -> HeadScores:
    """Scores every head on one text.

    Args:
        maps: for each layer float [n_head, T, T], such as `QueriesAndKeys.layers()` or `attention_patterns`.
        token_ids: int [T], which decides what is a repetition.
    """
    ids = torch.as_tensor(token_ids)
    places = torch.arange(len(ids))
    back = places[:, None] - places  # [T, T], how far key stands behind query
    same_before = (ids[:, None] == ids) & (back > 0)
    targets = {
        "previous": (back == 1) & (places > 0),
        "first": (places == 0) & (back > 0),
        "itself": (back == 0) & (places > 0),
        "duplicate": same_before & (places > 0),
        "induction": same_before.roll(1, dims=1) & (back > 0) & (places > 0),
    }
    n_readers = torch.tensor([*(int(cells.any(dim=-1).sum()) for cells in targets.values()), len(ids) - 1])
    # All shares are sums of weights over some cells: one product with the cells as columns, for all of them.
    cells = torch.stack([*(cells.float() for cells in targets.values()), back.clamp(min=0).float()]).flatten(1).T
    rows = []
    for weights in maps:
        sums = weights.flatten(1) @ cells / n_readers  # [n_head, 6]
        entropy = torch.special.entr(weights[:, 1:]).sum((1, 2)) / n_readers[-1] / math.log(2)
        rows.append(torch.cat([sums, entropy[:, None]], dim=1))
    names = [*targets, "distance", "entropy"]
    found = torch.stack(rows).where(torch.cat([n_readers, n_readers[-1:]]) > 0, torch.nan)  # [n_layer, n_head, 7]
    return HeadScores(**dict(zip(names, found.unbind(-1), strict=True)))


def uniform_scores(token_ids: Sequence[int], *, causal: bool = True) -> HeadScores:
    """The scores of a single head that looks at everything it may see alike: what chance gives on a text."""
    T = len(token_ids)
    allowed = torch.ones(1, T, T).tril() if causal else torch.ones(1, T, T)
    return head_scores([allowed / allowed.sum(-1, keepdim=True)], token_ids)


def repeated_token_scores(model: GPT, *, first_id: int | None = None, n_texts: int = 4, seed: int = 0) -> HeadScores:
    """Scores on random tokens that are repeated once, where only the repetition can be predicted.

    Nothing but copying helps there, and no word has a meaning. The idea is Olsson et al.'s; their sequence is another.

    Args:
        model: of any kind.
        first_id: token in front of the sequence for heads to rest on, such as the end of text; None for none.
        n_texts: random texts to average over. Each repeats up to 24 different tokens, fewer in small models.
        seed: of the random tokens.

    Returns:
        HeadScores; all NaN when the window is too short to repeat two tokens.
    """
    front = [] if first_id is None else [first_id]
    config = model.config
    period = min(24, (config.n_positions - len(front)) // 2, config.vocab_size - len(front))
    generator = torch.Generator().manual_seed(seed)
    if period < 2:
        nothing = torch.full((config.n_layer, config.n_head), torch.nan)
        return HeadScores(*[nothing for _ in fields(HeadScores)])
    found = []
    for _ in range(n_texts):
        drawn = [token for token in _some_ids(config.vocab_size, period + 1, generator) if token != first_id][:period]
        ids = front + drawn + drawn
        found.append(head_scores(read_attention(model, ids).layers(), ids))
    return HeadScores(
        **{field.name: torch.stack([getattr(s, field.name) for s in found]).mean(0) for field in fields(HeadScores)}
    )


def _some_ids(vocab_size: int, n: int, generator: torch.Generator) -> list[int]:
    """Up to n different token ids, drawn at random."""
    return torch.randperm(vocab_size, generator=generator)[:n].tolist()
