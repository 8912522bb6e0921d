"""Truncates prompts to the model's window: what is left out, in which order, and a note that says so."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from gptcore.errors import PromptError
from gptcore.language_model import LanguageModel
from gptcore.zero_shot.templates import Part, Prompt


@dataclass(frozen=True)
class Fitted:
    """A prompt that fits.

    Attributes:
        prompt: what is left of it.
        ids: its tokens.
        note: what was left out, as a sentence, or "".
    """

    prompt: Prompt
    ids: list[int]
    note: str = ""


def fit(lm: LanguageModel, prompt: Prompt, n_answer: int) -> Fitted:
    """Leaves out solved examples, the first ones first, then the beginning of the input, until there is room.

    The instruction and the cue stay whole, since the task is unclear without them.

    Args:
        lm: whose window counts.
        prompt: in its parts.
        n_answer: tokens reserved for the answer; at most half of the window is kept free for it.

    Raises:
        PromptError: nothing to read, or instruction and cue alone fill the window.
        TokenizerError: characters that the model does not know.
    """
    window = lm.model.config.n_positions
    room = window - min(n_answer, window // 2)
    ids = _ids(lm, prompt)
    if len(ids) <= room:
        return Fitted(prompt, ids)
    n_before, n_left_out, notes = len(ids), 0, []
    n_examples = sum(part.kind == "example" for part in prompt.parts)
    while len(ids) > room and (place := _first(prompt, "example")) is not None:
        prompt, n_left_out = prompt.without(place), n_left_out + 1
        ids = _ids(lm, prompt)
    if n_left_out:
        notes.append(f"{n_left_out} of {n_examples} examples {'is' if n_left_out == 1 else 'are'} left out")
    if len(ids) > room:
        prompt, cut = _cut(lm, prompt, room)
        ids = _ids(lm, prompt)
        notes.append(f"the first {cut} of the input {'is' if cut.startswith('1 ') else 'are'} left out")
    why = f"{n_before:,} tokens and {window - room} for the answer do not fit the window of {window:,}"
    left_out = " and ".join(notes)
    return Fitted(prompt, ids, f"{left_out[0].upper()}{left_out[1:]}: {why}. The cue is kept.")


def fit_text(lm: LanguageModel, text: str, n_answer: int) -> Fitted:
    """As `fit`, for a prompt that was edited by hand: its beginning is left out, token by token.

    Raises:
        PromptError: an empty prompt.
        TokenizerError: characters that the model does not know.
    """
    prompt = Prompt((Part("input", text),))
    ids, window = _ids(lm, prompt), lm.model.config.n_positions
    room = window - min(n_answer, window // 2)
    if len(ids) <= room:
        return Fitted(prompt, ids)
    n_cut = len(ids) - room
    why = f"{len(ids):,} and {window - room} for the answer do not fit the window of {window:,}"
    kept = Prompt((Part("input", lm.tokenizer.decode(ids[n_cut:])),))
    return Fitted(kept, ids[n_cut:], f"The first {n_cut:,} tokens of the prompt are left out: {why}. Its end is kept.")


def _ids(lm: LanguageModel, prompt: Prompt) -> list[int]:
    ids = lm.tokenizer.encode(prompt.text)
    if not ids:
        raise PromptError("The prompt is empty. Write an input, or choose one of the examples.")
    return ids


def _first(prompt: Prompt, kind: str) -> int | None:
    return next((place for place, part in enumerate(prompt.parts) if part.kind == kind), None)


def _cut(lm: LanguageModel, prompt: Prompt, room: int) -> tuple[Prompt, str]:
    """Drops the beginning of the input until the prompt fits; returns the prompt, and how much was dropped in words.

    Whole words, or characters where no word at all would be left, as of a text without spaces.
    """
    place = _first(prompt, "input")
    whole = "" if place is None else prompt.parts[place].text

    def less(start: int) -> Prompt:
        return prompt if place is None else prompt.changed(place, whole[start:])

    def fewest(starts: Sequence[int]) -> int:
        """The first place in `starts` behind which the rest fits; their number if none does."""
        return bisect_left(starts, True, key=lambda start: len(lm.tokenizer.encode(less(start).text)) <= room)

    n_rest = len(lm.tokenizer.encode(less(len(whole)).text))
    if place is None or n_rest > room:
        raise PromptError(
            f"The prompt has {n_rest:,} tokens even without examples and input, and {room:,} fit beside the answer. "
            "Shorten the instruction, or choose a model with a longer window."
        )
    words = [match.start() for match in re.finditer(r"\S+", whole)]
    for starts, unit in ((words, "word"), (range(len(whole)), "character")):
        n_cut = fewest(starts)
        if n_cut < len(starts):
            return less(starts[n_cut]), f"{n_cut:,} {unit}{'' if n_cut == 1 else 's'}"
    return less(len(whole)), f"{len(words):,} word{'' if len(words) == 1 else 's'}"
