"""Scoring: the surprisal of every token of a text, and its perplexity."""

import math
from collections.abc import Iterable

from gptcore.formatting import percent
from ui.conclusions import UNSURE, concludes, counted, quoted
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.state import token_stream


def score(services: Services, model: object, text: object) -> str:
    """The text as a token stream, each token with the probability the model gave it; figures last.

    Raises:
        InputError: no text, or fewer than two tokens of it.
    """
    written = inputs.text(text, "The text", most=services.limits.max_score_chars, least=1)
    lm = services.models.get(inputs.model_name(model))
    unscored, tokens, total = services.score(lm, written)
    if not tokens:
        raise InputError(
            "The text is a single token, with nothing before it to predict it from. Write more."
        )
    lines = [
        token_stream.scored_token(lm.tokenizer, t.id, t.text, t.logprob, t.rank, t.alternatives)
        for t in tokens
    ]
    figures = token_stream.stats(
        said=conclusion(map(_seen, lines), from_end=not unscored),
        n=len(tokens),
        perplexity=float(f"{total.perplexity:.4g}"),
        bits_per_byte=round(total.bits_per_byte, 3),
        bits_per_token=round(total.nats / total.n_tokens / math.log(2), 3),
    )
    return token_stream.serialise(
        [*([token_stream.prompt(unscored)] if unscored else []), *lines, figures]
    )


def _seen(line: token_stream.Line) -> tuple[str, float, int, str, float]:
    """A scored token as `conclusion` takes it."""
    label = line.values["label"]
    chance = line.values["p"]
    instead, expected, _ = max(
        line.values["others"], key=lambda other: other[1], default=(label, chance, 0)
    )
    return label, chance, line.values["rank"], instead, expected


@concludes("surprise")
def conclusion(
    tokens: Iterable[tuple[str, float, int, str, float]], *, from_end: bool = False
) -> str:
    """Which token of a text a model expected least.

    Args:
        tokens: label, probability and rank of each, and label and probability of what was expected
            instead.
        from_end: whether the first token of the text is among them, predicted from an end-of-text
            token.
    """
    seen = list(tokens)
    label, chance, _, instead, expected = min(seen, key=lambda token: token[1])
    n_first = sum(rank == 1 for _, _, rank, _, _ in seen)
    first = ", the first one from the end-of-text token" if from_end else ""
    told = (
        f"{n_first} of {counted(len(seen), 'token')} {'was' if n_first == 1 else 'were'} its first "
        f"guess{first}."
    )
    if chance >= UNSURE:
        return f"Nothing surprises it: every token had {percent(chance)} or more. {told}"
    best = (
        f" where it expected {quoted(instead)} ({percent(expected)})" if expected > chance else ""
    )
    return f"{quoted(label)} surprises it most: it had {percent(chance)}{best}. {told}"
