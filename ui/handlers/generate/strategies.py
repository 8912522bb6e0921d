"""Named settings of the sampling controls: the usual ways to choose the next token."""

from __future__ import annotations

from gptcore.sampling import SamplingSettings

STRATEGIES: dict[str, SamplingSettings] = {
    "Greedy": SamplingSettings(temperature=0.0),
    "T = 0.7": SamplingSettings(temperature=0.7),
    "Top-k = 50": SamplingSettings(top_k=50),
    "Top-p = 0.9": SamplingSettings(top_p=0.9),
    "Combined": SamplingSettings(temperature=0.8, top_k=50, top_p=0.95),
    "Neutral": SamplingSettings(),
}

# In the compare view: whatever the sliders of the write view say.
FROM_SLIDERS = "The sliders"
OFF = "(empty)"


def of_strategy(name: str, sliders: SamplingSettings, vocab_size: int) -> SamplingSettings:
    """The settings of a strategy; a top-k that exceeds a small vocabulary becomes all of it."""
    return STRATEGIES[name].within(vocab_size) if name in STRATEGIES else sliders
