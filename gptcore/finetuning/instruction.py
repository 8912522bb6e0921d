"""Instruction tuning: a chat format, instructions synthesised from stories, and a loss on the answers alone.

Sources: Ouyang et al. 2022, "Training language models to follow instructions with human feedback", section 3.5
(supervised fine-tuning, the first of three steps); Eldan and Li 2023, "TinyStories" (stories with given words);
PROMETHEUS (Bertin 2025, repository), which makes the instructions from the corpus's own stories, as here.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.errors import PromptError, TrainingError
from gptcore.model import IGNORED_TARGET
from gptcore.native import elementwise
from gptcore.tokenizers import Tokenizer
from gptcore.training import TrainingConfig, generator_for

Role = Literal["System", "User", "Assistant"]
Kind = Literal["words", "sentence", "about", "continue", "ending", "question", "talk"]
USER: Role = "User"
ASSISTANT: Role = "Assistant"
SYSTEM: Role = "System"
STOP = f"\n{USER}:"  # where a model would continue with the user's next turn
N_WORDS = 3  # words requested by an instruction

_WORD = re.compile(r"\b[a-z]{3,12}\b")
_NOUN = re.compile(r"\b(?:a|the|his|her) ([a-z]{3,12})[.,!?]")
_SENTENCE_END = re.compile(r'(?<=[.!?])(?<!Mr\.)(?<!Mrs\.)["”]?\s+')
_NAMED = re.compile(r"\b(?:a|an) ((?:[a-z]+ ){0,2}[a-z]+) (?:named|called) ([A-Z][a-z]+)")
REQUESTED_WEIGHT = 15.0  # loss weight of requested words, of which a story has few
_COMMON_SHARE = 2e-3  # share of all answer tokens above which a token is common
_COMMONEST = 160  # most frequent words, which are not specific to a story
_OPEN_ROWS = 32  # rows that examples are packed into at once
_RAREST = 4  # minimum number of stories that contain a word
SHARES: Mapping[Kind, float] = {
    "words": 0.50, "about": 0.20, "continue": 0.07, "ending": 0.05, "question": 0.06, "talk": 0.12,
}  # fmt: skip
# A story has few of its requested words among many others; in a sentence nearly every word counts, so that a short
# training learns from these to use the words of a prompt. Replies are short, and so need a large share.
TEACHING_SHARES: Mapping[Kind, float] = {
    "sentence": 0.39, "words": 0.22, "about": 0.09, "continue": 0.03, "ending": 0.02, "question": 0.03, "talk": 0.22,
}  # fmt: skip
_ASKS_WORDS = (
    "Write a story with the words: {words}.", "Write a story with the words: {words}.",
    "Write a story with the words {words}.", "Tell me a story with the words {words}.",
    "Write a short story with these words: {words}.", "Can you write a story with {words}?",
    "Please use these words in a story: {words}.", "Write a story. Words: {words}.",
)  # fmt: skip
_ASKS_ABOUT = (
    "Write a story about {about}.", "Tell me a story about {about}.", "Can you tell me a story about {about}?",
    "Write a short story about {about}.", "Please write a story about {about}.", "I want a story about {about}.",
)  # fmt: skip
_ASKS_SENTENCE = (
    "Write a sentence with the words: {words}.", "Write a sentence with the words {words}.",
    "Can you write a sentence with {words}?", "Please use these words in a sentence: {words}.",
    "Write a sentence. Words: {words}.",
)  # fmt: skip
_ASKS_BOTH = (
    "Write a story about {about}, with the words: {words}.", "Tell me a story about {about}, with the words {words}.",
)  # fmt: skip


@dataclass(frozen=True)
class Message:
    """A turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True)
class Instruction:
    """A user's request and its answer.

    Attributes:
        prompt: the user's turn.
        answer: the assistant's.
        kind: what is asked for.
        words: those that the answer must contain, if the prompt requests any.
    """

    prompt: str
    answer: str
    kind: Kind
    words: tuple[str, ...] = ()


def chat_prompt(messages: Sequence[Message]) -> str:
    """A conversation as plain text, up to where the assistant's next turn begins.

    Plain labels and no special tokens, so that any model and any vocabulary can read it.

    Raises:
        PromptError: the last message is not the user's.
    """
    if not messages or messages[-1].role != USER or not messages[-1].text.strip():
        raise PromptError("There is nothing to answer: write a message first.")
    return "".join(f"{one.role}: {one.text.strip()}\n" for one in messages) + f"{ASSISTANT}:"


def instructions(
    stories: Sequence[str], n: int, *, seed: int = 1, shares: Mapping[Kind, float] = SHARES
) -> list[Instruction]:
    """Instructions whose answers are stories, or parts of them.

    Args:
        stories: plain texts of some sentences each.
        n: how many to make.
        seed: of the choices.
        shares: how often each kind is made, relative to the others.

    Raises:
        TrainingError: no story has words to ask for.
    """
    stories = [story.strip() for story in stories if len(sentences(story)) >= 3]
    frequency = Counter(word for story in stories for word in set(_WORD.findall(story)))
    commonest = {word for word, _ in frequency.most_common(min(_COMMONEST, len(frequency) // 4))}
    least = _RAREST if len(stories) >= 200 else 1
    telling = {word for word, count in frequency.items() if count >= least and word not in commonest}
    nouns = {word for story in stories for word in _NOUN.findall(story)} & telling
    draw, made = random.Random(seed), list[Instruction]()
    kinds, weights = list(shares), list(shares.values())
    tries = 0
    while len(made) < n:
        tries += 1
        if not stories or tries > 20 * n + 1000:
            raise TrainingError(
                f"{len(stories)} stories gave {len(made)} of {n} instructions; give more texts of at least three "
                "sentences with different words."
            )
        one = _make(draw, draw.choices(kinds, weights)[0], draw.choice(stories), telling, nouns)
        if one is not None:
            made.append(one)
    return made


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [one for one in _SENTENCE_END.split(text.strip()) if one]


@cache
def _small_talk() -> list[tuple[list[str], list[str]]]:
    """(user messages, replies) pairs, with several variants of each."""
    lines = Path(__file__).with_name("small_talk.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" => ") for line in lines if not line.startswith("#"))
    return [(said.split(" | "), answered.split(" | ")) for said, answered in pairs]


def _make(draw: random.Random, kind: Kind, story: str, telling: set[str], nouns: set[str]) -> Instruction | None:
    """An instruction of a kind, or None where the story does not lend itself to it."""
    if kind == "talk":
        said, answers = draw.choice(_small_talk())
        return Instruction(draw.choice(said), draw.choice(answers), kind)
    if kind in ("words", "about"):
        return _of_story(draw, kind, story, telling, nouns)
    parts = sentences(story)
    if kind == "sentence":
        return _of_sentence(draw, draw.choice(parts), telling)
    if kind == "question":
        named = _NAMED.search(story)
        if named is None:
            return None
        being, name = named.groups()
        text = " ".join(parts[:4])
        if name not in text:
            return None
        asked, answer = draw.choice(
            (
                (f"What is the {being} called?", name),
                (f"Who is {name}?", f"a {being}"),
                (f"What is {name}?", f"a {being}"),
            )
        )
        return Instruction(f"{text}\n{asked}", f"{answer[0].upper()}{answer[1:]}.", kind)
    if len(parts) < 5:
        return None
    cut = draw.randint(1, 2) if kind == "continue" else len(parts) - draw.randint(1, 2)
    begun, rest = " ".join(parts[:cut]), " ".join(parts[cut:])
    asked = draw.choice(("Continue: ", "Continue this story: ", "Go on: ")) if kind == "continue" else ""
    end = (
        draw.choice(("\nHow does it end?", "\nHow does the story end?", "\nWrite the end.")) if kind == "ending" else ""
    )
    return Instruction(f"{asked}{begun}{end}", rest, kind)


def _of_story(draw: random.Random, kind: Kind, story: str, telling: set[str], nouns: set[str]) -> Instruction | None:
    """An instruction whose answer is the whole story: with words of it, about somebody in it, or both."""
    found = list(dict.fromkeys(word for word in _WORD.findall(story) if word in telling))
    if len(found) < N_WORDS:
        return None
    words = tuple(draw.sample(found, N_WORDS))
    if kind == "words":
        return Instruction(draw.choice(_ASKS_WORDS).format(words=_listed(draw, words)), story, kind, words)
    named = _NAMED.search(story)
    things = [word for word in found if word in nouns]
    if named is None and not things:
        return None
    about = f"a {named[1] if named is not None else draw.choice(things)}"
    if draw.random() < 0.3 and named is not None:
        about = f"a {named[1]} named {named[2]}"
    if draw.random() < 0.4:
        return Instruction(draw.choice(_ASKS_BOTH).format(about=about, words=_listed(draw, words)), story, kind, words)
    return Instruction(draw.choice(_ASKS_ABOUT).format(about=about), story, kind)


def _of_sentence(draw: random.Random, sentence: str, telling: set[str]) -> Instruction | None:
    """A request for a sentence with words of this one, which is the answer."""
    found = list(dict.fromkeys(word for word in _WORD.findall(sentence) if word in telling))
    if len(found) < N_WORDS - 1:
        return None
    words = tuple(draw.sample(found, min(N_WORDS, len(found))))
    asked = draw.choice(_ASKS_SENTENCE).format(words=_listed(draw, words))
    return Instruction(asked, sentence, "sentence", words)


def _listed(draw: random.Random, words: Sequence[str]) -> str:
    *front, last = words
    return ", ".join(words) if draw.random() < 0.6 else f"{', '.join(front)} and {last}"


@dataclass(frozen=True)
class AnswerExample:
    """A prompt and its answer as token ids; the end of text belongs to the answer where it fits."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]


def encode_example(tokenizer: Tokenizer, one: Instruction, window: int) -> AnswerExample | None:
    """An instruction's tokens, cut at the window; None where its prompt leaves no room for an answer.

    Raises:
        TokenizerError: characters that the tokenizer does not have.
    """
    prompt = tuple(tokenizer.encode(chat_prompt([Message(USER, one.prompt)])))
    answer = tokenizer.encode(f" {one.answer}")
    if tokenizer.end_id is not None:
        answer.append(tokenizer.end_id)
    room = window + 1 - len(prompt)
    return None if room < min(8, len(answer)) else AnswerExample(prompt, tuple(answer[:room]))


def plain_example(tokenizer: Tokenizer, story: str, window: int) -> AnswerExample | None:
    """A story without a prompt, so that the model does not forget how to write one; None without an end token."""
    if tokenizer.end_id is None:
        return None
    return AnswerExample((tokenizer.end_id,), (*tokenizer.encode(story), tokenizer.end_id)[:window])


def answer_examples(
    tokenizer: Tokenizer, made: Sequence[Instruction], stories: Sequence[str], window: int, *, plain_share: float = 0.08
) -> list[AnswerExample]:
    """What an assistant learns from: instructions, and behind them plain stories.

    Answers that the window cuts off are left out if at least half are whole: from those a model learns not to end.

    Args:
        tokenizer: the model's.
        made: the instructions; those without room for an answer are left out.
        stories: to draw plain ones from, in turn.
        window: T of the model.
        plain_share: plain stories, as a share of the instructions.

    Raises:
        TokenizerError: characters that the tokenizer does not have.
    """
    found = [one for one in (encode_example(tokenizer, each, window) for each in made) if one is not None]
    whole = [one for one in found if one.answer[-1] == tokenizer.end_id]
    if 2 * len(whole) >= len(found):
        found = whole
    count = round(plain_share * len(found))
    plain = (plain_example(tokenizer, stories[place % len(stories)], window) for place in range(count))
    return found + [one for one in plain if one is not None]


def padded_answers(examples: Sequence[AnswerExample]) -> tuple[Tensor, Tensor]:
    """Inputs and targets int64 [B, T], padded on the right; only targets within the answers carry a loss."""
    return padded_rows([(one,) for one in examples])


def padded_rows(rows: Sequence[Sequence[AnswerExample]]) -> tuple[Tensor, Tensor]:
    """As `padded_answers`, of rows that hold several examples, one behind the other as in a conversation."""
    ids = [[token for one in row for token in (*one.prompt, *one.answer)] for row in rows]
    inputs = torch.zeros(len(rows), max(map(len, ids)) - 1, dtype=torch.long)
    targets = torch.full_like(inputs, IGNORED_TARGET)
    for place, row in enumerate(rows):
        inputs[place, : len(ids[place]) - 1] = torch.tensor(ids[place][:-1])
        begin = -1
        for one in row:
            begin += len(one.prompt)
            targets[place, begin : begin + len(one.answer)] = torch.tensor(one.answer)
            begin += len(one.answer)
    return inputs, targets


def packed(examples: Sequence[AnswerExample], window: int) -> list[tuple[AnswerExample, ...]]:
    """Examples in rows of at most window + 1 tokens, each in the first open row with room; longer ones alone."""
    rows, waiting = list[tuple[AnswerExample, ...]](), list[tuple[int, list[AnswerExample]]]()
    for one in examples:
        length = len(one.prompt) + len(one.answer)
        place = next((k for k, (taken, _) in enumerate(waiting) if taken + length <= window + 1), len(waiting))
        taken, row = waiting.pop(place) if place < len(waiting) else (0, [])
        row.append(one)
        waiting.insert(place, (taken + length, row))
        if len(waiting) > _OPEN_ROWS:
            fullest = max(range(len(waiting)), key=lambda k: waiting[k][0])
            rows.append(tuple(waiting.pop(fullest)[1]))
    return rows + [tuple(row) for _, row in waiting]


class AnswerBatches:
    """Batches of answers, each used once per epoch, reshuffled every epoch; see `gptcore.training.Batches`.

    Args:
        examples: the training examples.
        batch_size: B, rows in a batch; a row holds as many examples as its window has room for.
        window: T, tokens of a row at most.

    Raises:
        TrainingError: no example.
    """

    def __init__(self, examples: Sequence[AnswerExample], *, batch_size: int, window: int) -> None:
        if not examples:
            raise TrainingError("There is no example with room for an answer; give shorter prompts.")
        draw = random.Random(0)
        mixed = draw.sample(examples, len(examples))  # of all kinds
        # Packing puts short ones last; but a conversation may begin with any of them.
        self.rows = [tuple(draw.sample(row, len(row))) for row in packed(mixed, window)]
        self.batch_size = batch_size
        self.window = round(sum(len(one.prompt) + len(one.answer) for one in examples) / len(self.rows)) - 1
        self.updates_per_epoch = math.ceil(len(self.rows) / batch_size)

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        return padded_rows(chosen_of_epoch(self.rows, self.batch_size, index, seed))


def chosen_of_epoch(examples: Sequence, batch_size: int, index: int, seed: int) -> list:
    """The examples of batch number `index`, reshuffled every epoch."""
    epoch, within = divmod(index, math.ceil(len(examples) / batch_size))
    order = torch.randperm(len(examples), generator=generator_for(seed, "epoch", epoch)).tolist()
    return [examples[place] for place in order[within * batch_size : (within + 1) * batch_size]]


class AnswerLoss:
    """`Trainer` objective: the loss on answers, with a higher weight on words that the prompt requests.

    Requested words are few among the tokens of a story, but they are what a short training has to learn. Rare answer
    tokens that also occur in the prompt count as requested, at their first use alone: otherwise it would repeat them.

    Args:
        examples: the corpus that determines which tokens are rare.
        vocab_size: V.
        weight: of a requested token; 1 gives the model's own loss.
    """

    def __init__(self, examples: Sequence[AnswerExample], vocab_size: int, *, weight: float = REQUESTED_WEIGHT) -> None:
        counts = torch.bincount(torch.tensor([token for one in examples for token in one.answer]), minlength=vocab_size)
        self._is_rare = counts < _COMMON_SHARE * counts.sum()  # [V]
        self.weight = weight

    def __call__(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
        """Nats per token. inputs, targets: int64 [B, T], as `padded_answers` makes them."""
        logits, within = model(inputs).logits, targets != IGNORED_TARGET
        weights = 1.0 + (self.weight - 1.0) * self.requested(inputs, targets)  # [B, T]
        if elementwise.computes(logits):
            return elementwise.cross_entropy(logits.flatten(0, 1), targets.flatten(), weights.flatten())
        losses = F.cross_entropy(logits[within].float(), targets[within], reduction="none")
        return (losses * weights[within]).sum() / weights[within].sum()

    def requested(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Mask of the targets that are rare tokens from the prompt of their own example, bool [B, T]: at first use."""
        answers, vocab_size = targets != IGNORED_TARGET, len(self._is_rare)
        before = F.pad(answers, (1, 0))[:, :-1]  # whether the position before predicts an answer
        begins = before & ~answers  # an example ends where its last answer token stands
        example = begins.flatten().cumsum(0).view_as(begins)
        example = (example + torch.arange(len(begins), device=inputs.device)[:, None]) * vocab_size  # rows apart
        of_prompts = (example + inputs)[~before]  # the first answer token is predicted by the last of the prompt
        of_answers = torch.where(answers, example + targets, -1).flatten()
        found = torch.isin(of_answers, of_prompts) & self._is_rare.to(inputs.device)[targets.clamp(min=0)].flatten()
        ordered, places = of_answers.sort(stable=True)
        again = torch.zeros_like(found)
        again[places[1:]] = ordered[1:] == ordered[:-1]
        return (found & ~again).view_as(answers)


def instruction_config(**changes: object) -> TrainingConfig:
    """Settings that suit a small model: a short warm-up, a cosine to 0; `changes` are fields of TrainingConfig."""
    fields: dict[str, object] = {
        "batch_size": 8, "learning_rate": 1e-3, "warmup_steps": 20, "weight_decay": 0.05, "max_steps": 1_000_000,
    }  # fmt: skip
    return TrainingConfig(**{**fields, **changes})  # type: ignore[arg-type]
