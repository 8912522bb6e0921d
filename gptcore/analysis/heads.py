"""Attention head roles: scores for the roles described in the interpretability literature.

Sources: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits" (previous-token and
induction heads); Olsson et al. 2022, "In-context Learning and Induction Heads" (prefix matching on
repeated random tokens: 25 tokens four times behind a start token there, up to 24 tokens twice
here); Wang et al. 2022, "Interpretability in the Wild" (duplicate-token heads); Xiao et al. 2023,
"Efficient Streaming Language Models with Attention Sinks" (the attention sink).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from gptcore.analysis.attention import read_attention
from gptcore.model import GPT

# Minimum share of a head's attention for it to have a role.
ROLE_THRESHOLD = 0.4
# Minimum share for it to lean towards a role.
LEANING_THRESHOLD = 0.15
# On ordinary text, the required multiple of the score of uniform attention.
STANDING_OUT = 2.0
ROLES = ("induction", "duplicate", "previous", "self", "first", "mixed")


@dataclass(frozen=True)
class HeadScores:
    """Scores of every head, float32 [n_layer, n_head], averaged over the query tokens with a
    defined score.

    The first five are shares of attention, 0 to 1. The first token never counts as the target of
    "previous" or "duplicate", since idle heads attend to it. NaN where no token qualifies.
    """

    previous: Tensor  # on the previous token; for queries from the third token on
    first: Tensor  # on the first token of the text (the sink); for all queries but that token
    itself: Tensor  # on the query token itself; for all queries but the first
    duplicate: Tensor  # on earlier occurrences of the query token
    induction: Tensor  # on the tokens that followed earlier occurrences of the query token
    distance: Tensor  # mean attention distance, in tokens back
    entropy: Tensor  # of the weights, in bits: 0 for a single token, log2(n) for n tokens equally

    def lists(self) -> dict[str, list[list[float | None]]]:
        """The scores by name as plain lists [n_layer][n_head] to three digits, None where there is
        none.
        """
        rows = {field.name: getattr(self, field.name).tolist() for field in fields(self)}
        return {
            name: [[None if v != v else round(v, 3) for v in row] for row in of]
            for name, of in rows.items()
        }

    def doing(self, layer: int, head: int) -> dict[str, float]:
        """A head's scores in all roles but the attention sink; 0 where undefined."""
        scores = {role: getattr(self, "itself" if role == "self" else role) for role in ROLES[:4]}
        return {role: float(values[layer, head].nan_to_num(0)) for role, values in scores.items()}

    def role(self, layer: int, head: int, chance: "HeadScores | None" = None) -> str:
        """A head's role, one of ROLES: its highest score apart from the attention sink, if it is
        high enough.

        `chance` is `uniform_scores` of the text: where a token is repeated often, even uniform
        attention scores high; a role must stand out from that.
        """
        doing = self._standing_out(layer, head, chance, ROLE_THRESHOLD)
        if doing:
            return max(doing, key=lambda name: doing[name])
        return (
            "first" if float(self.first[layer, head].nan_to_num(0)) >= ROLE_THRESHOLD else "mixed"
        )

    def leaning(self, layer: int, head: int, chance: "HeadScores") -> str:
        """The role that a head without a clear one leans towards, relative to uniform attention."""
        doing = self._standing_out(layer, head, chance, LEANING_THRESHOLD)
        expected = chance.doing(0, 0)
        return max(doing, key=lambda name: doing[name] / max(expected[name], 1e-9), default="mixed")

    def _standing_out(
        self, layer: int, head: int, chance: "HeadScores | None", least: float
    ) -> dict[str, float]:
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
        maps: for each layer float [n_head, T, T], such as `QueriesAndKeys.layers()` or
            `attention_patterns`.
        token_ids: int [T], which decides what is a repetition.
    """
    ids = torch.as_tensor(token_ids)
    positions = torch.arange(len(ids))
    back = positions[:, None] - positions  # [T, T], how far key stands behind query
    same_before = (ids[:, None] == ids) & (back > 0)
    targets = {
        "previous": (back == 1) & (positions > 0),
        "first": (positions == 0) & (back > 0),
        "itself": (back == 0) & (positions > 0),
        "duplicate": same_before & (positions > 0),
        "induction": same_before.roll(1, dims=1) & (back > 0) & (positions > 0),
    }
    n_readers = torch.tensor(
        [*(int(cells.any(dim=-1).sum()) for cells in targets.values()), len(ids) - 1]
    )
    # Every share is a sum of weights over some cells, so one matrix product computes all of them.
    cells = (
        torch.stack([*(cells.float() for cells in targets.values()), back.clamp(min=0).float()])
        .flatten(1)
        .T
    )
    rows = []
    for weights in maps:
        sums = weights.flatten(1) @ cells / n_readers  # [n_head, 6]
        entropy = torch.special.entr(weights[:, 1:]).sum((1, 2)) / n_readers[-1] / math.log(2)
        rows.append(torch.cat([sums, entropy[:, None]], dim=1))
    names = [*targets, "distance", "entropy"]
    # [n_layer, n_head, 7]
    scores = torch.stack(rows).where(torch.cat([n_readers, n_readers[-1:]]) > 0, torch.nan)
    return HeadScores(**dict(zip(names, scores.unbind(-1), strict=True)))


def uniform_scores(token_ids: Sequence[int], *, causal: bool = True) -> HeadScores:
    """The scores of a single head with uniform attention over all visible tokens: the chance level
    for a text.
    """
    T = len(token_ids)
    allowed = torch.ones(1, T, T).tril() if causal else torch.ones(1, T, T)
    return head_scores([allowed / allowed.sum(-1, keepdim=True)], token_ids)


def repeated_token_scores(
    model: GPT, *, first_id: int | None = None, n_texts: int = 4, seed: int = 0
) -> HeadScores:
    """Scores on random tokens that are repeated once, where only copying helps: the mean over
    `n_texts` texts.

    Each repeats up to 24 different tokens, fewer in small models, behind `first_id` as an attention
    sink, such as end of text. The idea is from Olsson et al.; their sequence differs. All NaN when
    the window is too short to repeat two.
    """
    front = [] if first_id is None else [first_id]
    config = model.config
    period = min(24, (config.n_positions - len(front)) // 2, config.vocab_size - len(front))
    generator = torch.Generator().manual_seed(seed)
    if period < 2:
        nothing = torch.full((config.n_layer, config.n_head), torch.nan)
        return HeadScores(*[nothing for _ in fields(HeadScores)])
    scores = []
    for _ in range(n_texts):
        drawn = torch.randperm(config.vocab_size, generator=generator)[: period + 1].tolist()
        drawn = [token for token in drawn if token != first_id][:period]
        ids = front + drawn + drawn
        scores.append(head_scores(read_attention(model, ids).layers(), ids))
    columns = zip(*(vars(score).values() for score in scores), strict=True)
    return HeadScores(*(torch.stack(column).mean(0) for column in columns))
