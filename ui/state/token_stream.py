"""Token stream: append-only JSON Lines of a text that a model writes.

Kinds: "prompt" is what the visitor wrote, "token" a token with its probability and
alternatives, "note" a remark between tokens, "stats" the figures so far.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from gptcore.inference.token import GeneratedToken
from gptcore.tokenizers import Tokenizer, describe_token
from ui.payloads import probability

LineKind = Literal["prompt", "token", "note", "stats"]


@dataclass(frozen=True)
class Line:
    """A line of a token stream."""

    kind: LineKind  # what it is
    # what it says, by the names that the page knows; "text" of all but figures
    values: dict[str, Any]

    @cached_property
    def json(self) -> str:
        """The line as it is sent, newline included."""
        return (
            json.dumps(
                {"kind": self.kind, **self.values}, ensure_ascii=False, separators=(",", ":")
            )
            + "\n"
        )

    @property
    def text(self) -> str:
        """The prompt, the token's text or the remark; "" of figures."""
        return self.values.get("text", "")


def serialise(lines: Iterable[Line]) -> str:
    """A whole stream, as it is sent."""
    return "".join(line.json for line in lines)


def parse(stream: str) -> tuple[Line, ...]:
    """The lines of a stream that was serialised. Raises ValueError or KeyError for anything
    else.
    """
    messages = [json.loads(line) for line in stream.removesuffix("\n").split("\n") if stream]
    return tuple(Line(message.pop("kind"), message) for message in messages)


def prompt(text: str) -> Line:
    """The prompt."""
    return Line("prompt", {"text": text})


def note(text: str) -> Line:
    """A remark for the reader, not part of the text."""
    return Line("note", {"text": text})


def token(tokenizer: Tokenizer, made: GeneratedToken) -> Line:
    """A generated token: its text, what it is, and what else the model thought of."""
    others = ((a.id, a.logprob) for a in made.alternatives)
    sampled = {"chance": probability(made.sampling_probability, 4), "candidates": made.n_candidates}
    return scored_token(tokenizer, made.id, made.text, made.logprob, made.rank, others, **sampled)


def scored_token(
    tokenizer: Tokenizer,
    token_id: int,
    text: str,
    logprob: float,
    rank: int,
    alternatives: Iterable[tuple[int, float]] = (),
    **more: Any,
) -> Line:
    """A token with the model's own probability for it, its rank, and alternatives as (label,
    probability, id).
    """
    values = {
        "text": text,
        "label": label(tokenizer, token_id),
        "id": token_id,
        "p": probability(math.exp(logprob), 4),
        "rank": rank,
        "others": [[label(tokenizer, i), probability(math.exp(v), 4), i] for i, v in alternatives],
    }
    return Line("token", {**values, **more})


def stats(**values: object) -> Line:
    """Figures so far, such as tokens per second; the page shows the last ones."""
    return Line("stats", values)


def waiting(place: object) -> Line:
    """Queue status of a text that has not begun, in place of its figures."""
    return stats(waiting=str(place))


# Describing a token is the slowest part of a line, and the same few hundred recur.
@lru_cache(maxsize=20_000)
def label(tokenizer: Tokenizer, token_id: int) -> str:
    """`describe_token`, remembered."""
    return describe_token(tokenizer, token_id)
