"""What can be set of a sampling strategy: one table of controls, one checked object."""

from dataclasses import dataclass, replace

from gptcore.errors import SamplingError


@dataclass(frozen=True)
class Control:
    """User-interface metadata of a sampling option.

    Attributes:
        title: what it is called.
        hint: what it does, in a few words.
        help: the same as a sentence, for programs.
        low, high, step: the slider's range and step; a step of 1 means whole numbers.
        neutral: the value that changes nothing.
        allowed: minimum and maximum accepted values; None means the size of the vocabulary.
    """

    title: str
    hint: str
    help: str
    low: float
    high: float
    step: float
    neutral: float
    allowed: tuple[float, float | None]

    @property
    def is_whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return self.step == 1


# By their names in SamplingSettings; sliders, links, strategies and endpoints are made from these.
CONTROLS: dict[str, Control] = {
    "temperature": Control(
        "Temperature",
        "0: greedy",
        "0 always takes the most likely token.",
        0,
        2,
        0.05,
        1.0,
        (0, 100),
    ),
    "top_k": Control(
        "Top-k",
        "k likeliest; 0: off",
        "keep the k most likely tokens; 0 is off.",
        0,
        200,
        1,
        0,
        (0, None),
    ),
    "top_p": Control(
        "Top-p",
        "smallest set reaching p; 1: off",
        "keep the smallest set of most likely tokens that reaches this probability; 1 is off.",
        0.01,
        1,
        0.01,
        1.0,
        (0, 1),
    ),
    "min_p": Control(
        "Min-p",
        "share of the top probability; 0: off",
        "drop tokens below this share of the most likely one; 0 is off.",
        0,
        1,
        0.01,
        0.0,
        (0, 1),
    ),
    "repetition_penalty": Control(
        "Repetition penalty", "penalty; 1: off", "1 is off.", 1, 2, 0.01, 1.0, (0.1, 10)
    ),
    "no_repeat_ngram_size": Control(
        "No-repeat n-grams",
        "0 is off",
        "no n tokens in a row twice; 0 is off.",
        0,
        6,
        1,
        0,
        (0, 20),
    ),
    "min_new_tokens": Control(
        "Minimum length",
        "minimum new tokens",
        "minimum new tokens before the text may end.",
        0,
        200,
        1,
        0,
        (0, 100_000),
    ),
}


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """The controls of one strategy, applied in this order. Raises SamplingError outside the stated
    ranges.

    Args:
        repetition_penalty: > 0; logits of tokens already present are divided by it when positive,
            multiplied when negative. 1 is off. Source: CTRL paper (Keskar et al., 2019), section
            4.1, as transformers does it.
        no_repeat_ngram_size: no n tokens in a row occur twice; 0 is off.
        min_new_tokens: the end-of-text token is impossible before this many new tokens, and no stop
            string counts.
        temperature: >= 0; logits are divided by it. 0 takes the most likely token.
        top_k: keep exactly this many of the most likely tokens; None or 0 is off.
        top_p: in (0, 1]; keep the smallest set of most likely tokens whose probabilities,
            renormalised after top_k, reach it; the token that crosses it stays. None or 1 is off.
        min_p: in [0, 1]; drop tokens less likely than this share of the most likely one. None or 0
            is off.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float = 1.0
    no_repeat_ngram_size: int = 0
    min_new_tokens: int = 0

    def __post_init__(self) -> None:
        _check_number("temperature", self.temperature, "0 or more", lambda v: v >= 0)
        _check_number("repetition_penalty", self.repetition_penalty, "more than 0", lambda v: v > 0)
        if self.top_p is not None:
            _check_number("top_p", self.top_p, "more than 0 and at most 1", lambda v: 0 < v <= 1)
        if self.min_p is not None:
            _check_number("min_p", self.min_p, "between 0 and 1", lambda v: 0 <= v <= 1)
        for name in ("top_k", "no_repeat_ngram_size", "min_new_tokens"):
            value = getattr(self, name)
            if value is None and name == "top_k":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise SamplingError(
                    f"{name} is {value!r}; it must be a whole number, 0 (off) or more."
                )

    def on_controls(self) -> dict[str, float]:
        """The values keyed by the names in CONTROLS, with disabled options at their neutral
        value.
        """
        given = {name: getattr(self, name) for name in CONTROLS}
        return {
            name: CONTROLS[name].neutral if value is None else value
            for name, value in given.items()
        }

    def within(self, vocab_size: int) -> "SamplingSettings":
        """The same settings for a smaller vocabulary: top-k is clamped to its size."""
        return (
            self
            if self.top_k is None or self.top_k <= vocab_size
            else replace(self, top_k=vocab_size)
        )

    def check_vocabulary(self, vocab_size: int) -> None:
        """Raises SamplingError when top_k exceeds the vocabulary."""
        if self.top_k is not None and self.top_k > vocab_size:
            least = f"Choose 1 to {vocab_size:,}, or 0 for all."
            raise SamplingError(
                f"Top-k is {self.top_k}; this model has {vocab_size:,} tokens. {least}"
            )


def _check_number(name: str, value: object, allowed: str, holds) -> None:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not abs(value) < 1e300
        or not holds(value)
    ):
        raise SamplingError(f"{name} is {value!r}; it must be a number, {allowed}.")
