"""What every head does, for the page."""

from __future__ import annotations

from gptcore.analysis import HeadScores, QueriesAndKeys, uniform_scores
from ui.payloads import Role


def roles_of(scores: HeadScores, profile: HeadScores | None, reading: QueriesAndKeys) -> list[list[Role]]:
    """The role of every head: by repeated random tokens, else by this text, else its tendency on this text."""
    chance = uniform_scores(reading.token_ids, causal=reading.causal)

    def of(layer: int, head: int) -> Role:
        here = scores.role(layer, head, chance)
        for role in [here] if profile is None else [profile.role(layer, head), here]:
            if role not in ("mixed", "first"):
                return role, False
        return ("first", False) if here == "first" else (scores.leaning(layer, head, chance), True)

    return [[of(layer, head) for head in range(reading.n_head)] for layer in range(reading.n_layer)]
