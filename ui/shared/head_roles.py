"""What every head does, for the page."""

from gptcore.analysis import HeadScores, QueriesAndKeys, uniform_scores
from ui.payloads import Role


def roles_of(scores: HeadScores, reading: QueriesAndKeys) -> list[list[Role]]:
    """Finds the role of every head on a text, or the role that it leans towards."""
    chance = uniform_scores(reading.token_ids, causal=reading.causal)

    def of(layer: int, head: int) -> Role:
        here = scores.role(layer, head, chance)
        return (here, False) if here != "mixed" else (scores.leaning(layer, head, chance), True)

    return [[of(layer, head) for head in range(reading.n_head)] for layer in range(reading.n_layer)]


def where_tokens_repeat(profile: HeadScores) -> list[list[str]]:
    """The role of every head on repeated random tokens, [layer][head]; "" for none but resting."""
    n_layer, n_head = profile.first.shape
    roles = [[profile.role(layer, head) for head in range(n_head)] for layer in range(n_layer)]
    return [["" if role in ("mixed", "first") else role for role in row] for row in roles]
