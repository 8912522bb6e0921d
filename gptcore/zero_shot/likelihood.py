"""Likelihood of given continuations: answers, the labels of a closed question, what the parts of a
prompt do to it.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from gptcore.errors import PromptError
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.threads import adapted
from gptcore.zero_shot.templates import Item, PartKind, Prompt, Template, fit

_MOST_LOGITS = 40_000_000  # at once
_MOST_TOKENS = 8_192
MOST_WORDS = 300  # of a prompt that are left out one by one


@dataclass(frozen=True)
class Likelihood:
    """A model's likelihood of one continuation of one prompt: the natural log-probability of each
    of its tokens, and the model's first choice in place of each, and after the last.
    """

    logprobs: list[float]
    favourites: list[int]


@adapted()
@torch.inference_mode()
def read_continuations(
    model: GPT, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> list[Likelihood]:
    """Scores many continuations in batches, each after its own prompt.

    Args:
        model: of any kind; dropout is off while it reads.
        pairs: (token ids of a prompt, at least one; token ids of its continuation, perhaps none)
            each.

    Raises:
        ContextLengthError, TokenIdError: as the model does.
    """
    likelihoods: dict[int, Likelihood] = {}
    with evaluating(model):
        for indices in _batches(pairs, model.config.vocab_size):
            rows = [[*pairs[index][0], *pairs[index][1]] for index in indices]
            longest = max(map(len, rows))
            # Right padding: a causal model does not see it.
            ids = torch.tensor(
                [row + [0] * (longest - len(row)) for row in rows], device=model.wte.weight.device
            )
            hidden = model.hidden_states(ids)  # [B, T, C]
            # Where the model predicts each continuation, and what comes after it.
            wanted = [
                (n, t)
                for n, row in enumerate(rows)
                for t in range(len(pairs[indices[n]][0]) - 1, len(row))
            ]
            logits = model.lm_head(
                hidden[[n for n, _ in wanted], [t for _, t in wanted]]
            ).float()  # [wanted, V]
            for index, part in zip(
                indices, logits.split([len(pairs[index][1]) + 1 for index in indices]), strict=True
            ):
                chosen = torch.tensor(list(pairs[index][1]), dtype=torch.long, device=logits.device)
                picked = part[:-1].gather(1, chosen[:, None])[:, 0] - part[:-1].logsumexp(-1)
                likelihoods[index] = Likelihood(picked.tolist(), part.argmax(-1).tolist())
    return [likelihoods[index] for index in range(len(pairs))]


def _batches(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], vocab_size: int
) -> Iterator[list[int]]:
    """Batches of pairs of similar length, as indices, within a memory limit."""
    order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][0]) + len(pairs[index][1]))
    batch: list[int] = []
    for index in order:
        # of the batch, for they come by length
        longest = len(pairs[index][0]) + len(pairs[index][1])
        n_logits = sum(len(pairs[other][1]) + 1 for other in (*batch, index)) * vocab_size
        if batch and ((len(batch) + 1) * longest > _MOST_TOKENS or n_logits > _MOST_LOGITS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@dataclass(frozen=True)
class LabelScore:
    """A label of a closed question as it is written behind the prompt, its number of tokens, the
    natural log-probability of the whole label, and its probability normalised over all labels.
    """

    label: str
    n_tokens: int
    logprob: float
    share: float

    @property
    def per_token(self) -> float:
        """The mean log-probability of its tokens, which does not penalise long labels."""
        return self.logprob / self.n_tokens


def score_labels(
    lm: LanguageModel, prompt: Sequence[int], labels: Sequence[str], *, lead: str = " "
) -> list[LabelScore]:
    """The likelihood of each of two or more labels after a prompt's token ids and `lead`.

    Raises:
        PromptError: fewer than two labels, the same twice, or one that encodes to no tokens.
        TokenizerError: characters that the model does not know. ContextLengthError: a prompt that
        is too long.
    """
    cleaned = [label.strip() for label in labels]
    twice = next((label for label in cleaned if cleaned.count(label) > 1), None)
    if twice is not None:
        raise PromptError(f"The label {twice!r} is listed twice. List each label once.")
    if len(cleaned) < 2:
        given = "is one label" if cleaned else "are no labels"
        raise PromptError(f"There {given}; at least two different ones are needed to compare.")
    made = [lm.tokenizer.encode(f"{lead}{label}") if label else [] for label in cleaned]
    for label, ids in zip(labels, made, strict=True):
        if not ids:
            raise PromptError(f"The label {label!r} gives no tokens. Write at least one letter.")
    sums = [
        math.fsum(reading.logprobs)
        for reading in read_continuations(lm.model, [(prompt, ids) for ids in made])
    ]
    shares = torch.tensor(sums, dtype=torch.float64).softmax(0).tolist()
    rows = zip(cleaned, made, sums, shares, strict=True)
    return [LabelScore(label, len(ids), *values) for label, ids, *values in rows]


class Change(NamedTuple):
    """A change of a prompt, the answer's natural log-probability after the changed prompt, and how
    much likelier the answer is after the unchanged one, in nats.
    """

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
        raise PromptError(
            "There is no answer whose probability could move. Let the model answer first."
        )
    limit = max(1, lm.model.config.n_positions // 2)
    pairs = [(fit(lm, prompt, len(ids)).ids, ids[:limit]) for prompt in prompts]
    return [math.fsum(reading.logprobs) for reading in read_continuations(lm.model, pairs)]


def part_effects(
    lm: LanguageModel, template: Template, item: Item, examples: Sequence[Item], answer: str
) -> tuple[float, list[Change]]:
    """The log-probability of an answer, with its leading space, after the template's prompt for an
    item behind solved examples; and what it becomes when a part of the prompt is dropped or
    changed.
    """
    whole = template.prompt(item, examples)
    changed: list[tuple[str, Prompt]] = []
    kinds: tuple[tuple[PartKind, str], ...] = (
        ("instruction", "without the instruction"),
        ("cue", "without the cue"),
    )
    for kind, name in kinds:
        if whole.of(kind) and len(whole.parts) > 1:
            changed.append((name, Prompt(tuple(part for part in whole.parts if part.kind != kind))))
    emptied = replace(item, fields=dict.fromkeys(item.fields, ""))
    changed.append(("with an empty input", template.prompt(emptied, examples)))
    if examples:
        changed.append(("without the examples", template.prompt(item)))
    if len(examples) > 1:
        changed.append(
            ("examples in reverse order", template.prompt(item, list(reversed(examples))))
        )
        answers = [example.answer for example in examples]
        moved = [*answers[1:], answers[0]]
        if moved != answers:
            mixed = [
                replace(example, answer=other)
                for example, other in zip(examples, moved, strict=True)
            ]
            changed.append(("examples with each other's answers", template.prompt(item, mixed)))
    changed = [(name, prompt) for name, prompt in changed if prompt.text.strip()]
    base, *values = answer_logprobs(lm, [whole, *(prompt for _, prompt in changed)], answer)
    return base, [
        Change(name, value, base - value) for (name, _), value in zip(changed, values, strict=True)
    ]


def word_effects(lm: LanguageModel, prompt: Prompt, answer: str) -> tuple[float, list[WordEffect]]:
    """The answer's log-probability, and each prompt word's effect on it, by leave-one-out.

    Only the last MOST_WORDS words of the prompt are tried; earlier ones get an effect of 0.
    """
    # Words with the white space before them; white space at the end belongs to the last.
    words = re.compile(r"\s*\S+(?:\s+$)?")
    pieces = [
        (index, part, item.span())
        for index, part in enumerate(prompt.parts)
        for item in words.finditer(part.text)
    ]
    tried = pieces[-MOST_WORDS:]
    variants = [
        prompt.changed(index, part.text[:a] + part.text[b:]) for index, part, (a, b) in tried
    ]
    kept = [
        number
        for number, variant in enumerate(variants, len(pieces) - len(tried))
        if variant.text.strip()
    ]
    base, *values = answer_logprobs(
        lm, [prompt, *(variant for variant in variants if variant.text.strip())], answer
    )
    effects = dict(zip(kept, (base - value for value in values), strict=True))
    return base, [
        WordEffect(part.kind, part.text[a:b], effects.get(number, 0.0))
        for number, (_, part, (a, b)) in enumerate(pieces)
    ]
