"""The token stream's protocol: one JSON object a line, only ever appended to, so that little travels.

Kinds: "prompt" is what the visitor wrote, "token" a token with its probability and
alternatives, "note" a remark between tokens, "stats" the figures so far.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from gptcore.inference.token import GeneratedToken
from gptcore.tokenizers import Tokenizer, describe_token
from ui.compute.admission import Place


def line(kind: str, **values: object) -> str:
    """One record, newline included."""
    return json.dumps({"kind": kind, **values}, ensure_ascii=False, separators=(",", ":")) + "\n"


def prompt(text: str) -> str:
    """What was there before the model wrote."""
    return line("prompt", text=text)


def note(text: str) -> str:
    """A remark for the reader, not part of the text."""
    return line("note", text=text)


def token(tokenizer: Tokenizer, made: GeneratedToken) -> str:
    """A generated token: its text, what it is, and what else the model thought of."""
    return scored_token(
        tokenizer,
        made.id,
        made.text,
        made.logprob,
        made.rank,
        ((a.id, a.logprob) for a in made.alternatives),
        chance=_rounded(made.sampling_probability),
        candidates=made.n_candidates,
    )


def scored_token(
    tokenizer: Tokenizer,
    token_id: int,
    text: str,
    logprob: float,
    rank: int,
    alternatives: Iterable[tuple[int, float]] = (),
    **more: Any,
) -> str:
    """A token with the model's own probability for it, its rank, and alternatives as (label, probability, id)."""
    return line(
        "token",
        text=text,
        label=label(tokenizer, token_id),
        id=token_id,
        p=_rounded(math.exp(logprob)),
        rank=rank,
        others=[[label(tokenizer, i), _rounded(math.exp(v)), i] for i, v in alternatives],
        **more,
    )


def stats(**values: object) -> str:
    """Figures so far, such as tokens per second; the page shows the last ones."""
    return line("stats", **values)


def waiting(place: Place) -> str:
    """That a text has not begun, in the place of its figures."""
    return stats(waiting=str(place))


# Describing a token takes longer than anything else in a record, and the same few hundred come again and again.
@lru_cache(maxsize=20_000)
def label(tokenizer: Tokenizer, token_id: int) -> str:
    """`describe_token`, remembered."""
    return describe_token(tokenizer, token_id)


def _rounded(probability: float) -> float:
    return float(f"{probability:.4g}")
