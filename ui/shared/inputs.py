"""Input validation, shared by the page and the API: either can send any value."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from gptcore.errors import GPTCoreError
from gptcore.inference.generation import text_ids
from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings
from gptcore.inference.sequence import MAX_SEED
from gptcore.language_model import LanguageModel
from gptcore.tokenizers.base import check_text
from ui.state.limits import Limits

_MOST_STOPS = 8
_MOST_TOKENS = 10_000_000  # of any vocabulary; a model's own is checked when it is known


class InputError(GPTCoreError):
    """Invalid value of a field; the message is meant for the visitor."""


def text(value: object, name: str, *, most: int, least: int = 0, needs_words: bool = False) -> str:
    """A string of allowed length; a blank or a newline alone is a text, unless it needs words."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, not {_kind(value)}.")
    if len(value) > most:
        raise InputError(f"{name} has {len(value):,} characters; {most:,} are allowed. Shorten it.")
    check_text(value)
    if len(value) < least or (needs_words and not value.strip()):
        raise InputError(f"{name} is empty. Write something for the model to read.")
    return value


def first_read(lm: LanguageModel, n_tokens: int) -> int:
    """The place of the first token that a model reads of a text: of one beyond its window, the last
    window.
    """
    return max(0, n_tokens - lm.model.config.n_positions)


def cut_note(lm: LanguageModel, n_tokens: int) -> str:
    """A sentence if a text has more tokens than the model reads; else ""."""
    window = lm.model.config.n_positions
    return (
        f"It reads the last {window:,} of the text's {n_tokens:,} tokens."
        if n_tokens > window
        else ""
    )


def last_window(lm: LanguageModel, written: str) -> tuple[list[int], str]:
    """The last tokens of a text, as many as the model reads, and a sentence if these are not all;
    else "".
    """
    ids = text_ids(lm, written)
    return ids[first_read(lm, len(ids)) :], cut_note(lm, len(ids))


def named(value: object) -> str:
    """A value as a refusal names it: its beginning; "missing" for none, as an empty field sends."""
    if value is None:
        return "missing"
    return repr(value[:60]) if isinstance(value, str) else repr(value)[:60]


def number(value: object, name: str, *, low: float, high: float) -> float:
    """A finite number in a range."""
    if not _is_number(value):
        raise InputError(f"{name} is {named(value)}; it must be a number from {low:g} to {high:g}.")
    if not low <= value <= high:
        raise InputError(f"{name} is {value:g}; it must lie between {low:g} and {high:g}.")
    return float(value)


def whole(value: object, name: str, *, low: int, high: int) -> int:
    """An integer in a range; 5.0 is accepted, because JSON does not distinguish it from 5."""
    if not _is_number(value) or value != int(value):
        raise InputError(
            f"{name} is {named(value)}; it must be a whole number from {low:,} to {high:,}."
        )
    if not low <= value <= high:
        raise InputError(f"{name} is {value:,g}; it must lie between {low:,} and {high:,}.")
    return int(value)


def flag(value: object, name: str) -> bool:
    """Strictly True or False; truthy values are refused."""
    if not isinstance(value, bool):
        raise InputError(f"{name} is {named(value)}; it must be true or false.")
    return value


def model_name(value: object) -> str:
    """A name for the model store."""
    name = text(value, "The model's name", most=300).strip()
    if not name:
        raise InputError("No model is chosen. Pick one from the list.")
    return name


def seed(value: object) -> int | None:
    """A seed, or None for a fresh one."""
    return (
        None
        if value is None or value == ""
        else whole(value, "The seed", low=0, high=min(MAX_SEED, 2**53))
    )


def stops(value: object) -> tuple[str, ...]:
    r"""Stop strings: a list of them, or a text with one a line, in which \n and \t stand for
    newline and tab.
    """
    if isinstance(value, list):
        texts = tuple(
            text(item, "A stop string", most=500, least=1) for item in value[: _MOST_STOPS + 1]
        )
    else:
        lines = text(value, "The list of stop strings", most=500).split("\n")
        texts = tuple(line.replace("\\n", "\n").replace("\\t", "\t") for line in lines if line)
    if len(texts) > _MOST_STOPS:
        raise InputError(
            f"There are more than {_MOST_STOPS} stop strings; {_MOST_STOPS} are allowed."
        )
    return texts


def sampling(values: Mapping[str, object]) -> SamplingSettings:
    """Sampling controls by the names of CONTROLS; a neutral value switches them off.

    Raises:
        InputError: with the value and the range.
    """
    settings: dict[str, Any] = {}
    for name, control in CONTROLS.items():
        low, most = control.allowed
        high = _MOST_TOKENS if most is None else most
        if control.is_whole:
            settings[name] = whole(values[name], control.title, low=int(low), high=int(high))
        else:
            settings[name] = number(values[name], control.title, low=low, high=high)
    if settings["top_p"] == 0:
        raise InputError("Top-p is 0; it must be more than 0 and at most 1. 1 switches it off.")
    for name in ("top_k", "top_p", "min_p"):
        settings[name] = None if settings[name] == CONTROLS[name].neutral else settings[name]
    return SamplingSettings(**settings)


@dataclass(frozen=True)
class WritingForm:
    """The checked settings for writing a text."""

    sampling: SamplingSettings  # how a token is chosen
    max_new_tokens: int  # at most so many
    stop: tuple[str, ...]  # strings that end the text
    seed: int | None  # None draws one
    use_cache: bool  # keep keys and values between tokens
    tokens_per_second: float  # no faster than this; 0 is no limit

    def within(self, vocab_size: int, most: int) -> "WritingForm":
        """The same for a smaller vocabulary and a shorter text."""
        sampling = self.sampling.within(vocab_size)
        return replace(self, sampling=sampling, max_new_tokens=min(self.max_new_tokens, most))

    def on_controls(self) -> dict[str, Any]:
        """The values by the names of the page's controls."""
        return {
            **self.sampling.on_controls(),
            "max_new_tokens": self.max_new_tokens,
            "stop": "\n".join(text.replace("\n", "\\n").replace("\t", "\\t") for text in self.stop),
            "seed": self.seed,
            "use_cache": self.use_cache,
            "tokens_per_second": self.tokens_per_second,
        }


def writing_form(values: Mapping[str, object], limits: Limits) -> WritingForm:
    """Checks the controls of the Generate tab, by name; a speed limit under one token a second is
    none.

    Raises:
        InputError: with the value and the range.
    """
    speed = number(values["tokens_per_second"], "The speed limit", low=0, high=10_000)
    return WritingForm(
        sampling=sampling(values),
        max_new_tokens=whole(
            values["max_new_tokens"], "New tokens", low=1, high=limits.max_new_tokens
        ),
        stop=stops(values["stop"]),
        seed=seed(values["seed"]),
        use_cache=flag(values["use_cache"], "KV cache"),
        tokens_per_second=speed if speed >= 1 else 0,
    )


def _is_number(value: object) -> TypeGuard[int | float]:
    """A finite number of a size that arithmetic can handle; JSON allows whole numbers of any
    length.
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__
