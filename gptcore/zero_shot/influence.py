"""Prompt ablation: an answer's probability when parts or words of the prompt are left out or changed."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gptcore.errors import PromptError
from gptcore.language_model import LanguageModel
from gptcore.zero_shot.likelihood import read_continuations
from gptcore.zero_shot.templates import Item, PartKind, Prompt, Template
from gptcore.zero_shot.window import fit

MOST_WORDS = 300


class Change(NamedTuple):
    """What was changed in a prompt, the answer's natural log-probability after it, and how much likelier the answer is
    after the unchanged one, in nats."""

    name: str
    logprob: float
    effect: float


class WordEffect(NamedTuple):
    """A word of the prompt, with the space before it, and how much it helps the answer in nats."""

    kind: PartKind
    text: str
    effect: float


def answer_logprobs(lm: LanguageModel, prompts: Sequence[Prompt], answer: str) -> list[float]:
    """The log-probability of the same answer after each prompt.

    Raises:
        PromptError: an answer that encodes to no tokens.
    """
    ids = lm.tokenizer.encode(answer)
    if not answer.strip() or not ids:
        raise PromptError("There is no answer whose probability could move. Let the model answer first.")
    limit = max(1, lm.model.config.n_positions // 2)
    pairs = [(fit(lm, prompt, len(ids)).ids, ids[:limit]) for prompt in prompts]
    return [math.fsum(reading.logprobs) for reading in read_continuations(lm.model, pairs)]


def part_effects(
    lm: LanguageModel, template: Template, item: Item, examples: Sequence[Item], answer: str
) -> tuple[float, list[Change]]:
    """The answer's log-probability, and what it becomes when a part of the prompt is dropped or changed.

    Args:
        lm: of any kind.
        template: which made the prompt.
        item: the input.
        examples: the solved ones in front of it.
        answer: with its leading space.
    """
    whole = template.prompt(item, examples)
    changed: list[tuple[str, Prompt]] = []
    kinds: tuple[tuple[PartKind, str], ...] = (("instruction", "without the instruction"), ("cue", "without the cue"))
    for kind, name in kinds:
        if whole.of(kind) and len(whole.parts) > 1:
            changed.append((name, Prompt(tuple(part for part in whole.parts if part.kind != kind))))
    emptied = replace(item, fields=dict.fromkeys(item.fields, ""))
    changed.append(("with an empty input", template.prompt(emptied, examples)))
    if examples:
        changed.append(("without the examples", template.prompt(item)))
    if len(examples) > 1:
        changed.append(("examples in reverse order", template.prompt(item, list(reversed(examples)))))
        answers = [example.answer for example in examples]
        moved = [*answers[1:], answers[0]]
        if moved != answers:
            mixed = [replace(example, answer=other) for example, other in zip(examples, moved, strict=True)]
            changed.append(("examples with each other's answers", template.prompt(item, mixed)))
    changed = [(name, prompt) for name, prompt in changed if prompt.text.strip()]
    base, *values = answer_logprobs(lm, [whole, *(prompt for _, prompt in changed)], answer)
    return base, [Change(name, value, base - value) for (name, _), value in zip(changed, values, strict=True)]


def word_effects(lm: LanguageModel, prompt: Prompt, answer: str) -> tuple[float, list[WordEffect]]:
    """The answer's log-probability, and each prompt word's effect on it, by leave-one-out.

    Only the last MOST_WORDS words of the prompt are tried; earlier ones get an effect of 0.
    """
    pieces = [(place, match.span()) for place, part in enumerate(prompt.parts) for match in _words(part.text)]
    tried = pieces[-MOST_WORDS:]
    variants = [_without_span(prompt, place, span) for place, span in tried]
    kept = [number for number, variant in enumerate(variants) if variant.text.strip()]
    base, *values = answer_logprobs(lm, [prompt, *(variants[number] for number in kept)], answer)
    effects = dict(zip(kept, (base - value for value in values), strict=True))
    n_untried = len(pieces) - len(tried)
    return base, [
        WordEffect(prompt.parts[place].kind, prompt.parts[place].text[a:b], effects.get(number - n_untried, 0.0))
        for number, (place, (a, b)) in enumerate(pieces)
    ]


def _words(text: str) -> Sequence[re.Match[str]]:
    """Words with the white space before them; white space at the end belongs to the last."""
    return list(re.finditer(r"\s*\S+(?:\s+$)?", text))


def _without_span(prompt: Prompt, place: int, span: tuple[int, int]) -> Prompt:
    text = prompt.parts[place].text
    return prompt.changed(place, text[: span[0]] + text[span[1] :])
