"""Named settings of the sampling controls: the usual ways to choose the next token."""

from __future__ import annotations

from typing import Any

NEUTRAL: dict[str, Any] = {
    "temperature": 1.0,
    "top_k": 0,
    "top_p": 1.0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "min_new_tokens": 0,
}

STRATEGIES: dict[str, dict[str, Any]] = {
    "Greedy": {**NEUTRAL, "temperature": 0.0},
    "T = 0.7": {**NEUTRAL, "temperature": 0.7},
    "Top-k = 50": {**NEUTRAL, "top_k": 50},
    "Top-p = 0.9": {**NEUTRAL, "top_p": 0.9},
    "Combined": {**NEUTRAL, "temperature": 0.8, "top_k": 50, "top_p": 0.95},
    "Neutral": NEUTRAL,
}

# In the compare view: whatever the sliders of the write view say.
FROM_SLIDERS = "The sliders"
OFF = "(empty)"


def of_strategy(name: str, sliders: dict[str, Any], vocab_size: int) -> dict[str, Any]:
    """The controls of a strategy; a top-k that exceeds a small vocabulary becomes "all of them"."""
    values = {**sliders, **STRATEGIES.get(name, {})}
    if name in STRATEGIES and values["top_k"] > vocab_size:
        values["top_k"] = 0
    return values
