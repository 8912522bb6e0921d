"""Supervised fine-tuning on instructions: examples, rows that hold several of them, and a loss on
the answers alone.

Source: Ouyang et al. 2022, "Training language models to follow instructions with human feedback",
section 3.5.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from gptcore.errors import TrainingError
from gptcore.finetuning.instruction import Instruction, chat_prompt
from gptcore.model import IGNORED_TARGET
from gptcore.tokenizers import Tokenizer
from gptcore.training import TrainingConfig, generator_for

REQUESTED_WEIGHT = 15.0  # loss weight of requested words, of which a story has few
_COMMON_SHARE = 2e-3  # share of all answer tokens above which a token is common
_OPEN_ROWS = 32  # rows that examples are packed into at once


_Example = TypeVar("_Example")


@dataclass(frozen=True)
class AnswerExample:
    """A prompt and its answer as token ids; the end of text belongs to the answer where it fits."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]


def encode_example(
    tokenizer: Tokenizer, instruction: Instruction, window: int
) -> AnswerExample | None:
    """An instruction's tokens, cut at the window; None where its prompt leaves no room for an
    answer.

    Raises:
        TokenizerError: characters that the tokenizer does not have.
    """
    prompt = tuple(tokenizer.encode(chat_prompt(instruction.messages)))
    answer = tokenizer.encode(f" {instruction.answer}")
    if tokenizer.end_id is not None:
        answer.append(tokenizer.end_id)
    room = window + 1 - len(prompt)
    return None if room < min(8, len(answer)) else AnswerExample(prompt, tuple(answer[:room]))


def plain_example(tokenizer: Tokenizer, story: str, window: int) -> AnswerExample | None:
    """A story without a prompt, so that the model does not forget how to write one; None without an
    end token.
    """
    if tokenizer.end_id is None:
        return None
    return AnswerExample((tokenizer.end_id,), (*tokenizer.encode(story), tokenizer.end_id)[:window])


def answer_examples(
    tokenizer: Tokenizer,
    made: Sequence[Instruction],
    stories: Sequence[str],
    window: int,
    *,
    plain_share: float = 0.08,
) -> list[AnswerExample]:
    """Encodes the examples that train an assistant: instructions, and behind them plain stories.

    Answers that the window cuts off are left out if at least half are whole: from those a model
    learns not to end.

    Args:
        tokenizer: the model's.
        made: the instructions; those without room for an answer are left out.
        stories: to draw plain ones from, in turn; none are drawn from an empty list.
        window: T of the model.
        plain_share: plain stories, as a share of the instructions.

    Raises:
        TokenizerError: characters that the tokenizer does not have.
        TrainingError: a share that is negative or not finite.
    """
    if not 0 <= plain_share < math.inf:
        raise TrainingError(
            f"The share of plain stories is {plain_share}; it must be 0 or more, and finite."
        )
    examples = [
        item
        for item in (encode_example(tokenizer, each, window) for each in made)
        if item is not None
    ]
    whole = [example for example in examples if example.answer[-1] == tokenizer.end_id]
    if 2 * len(whole) >= len(examples):
        examples = whole
    count = round(plain_share * len(examples)) if stories else 0
    plain = (
        plain_example(tokenizer, stories[index % len(stories)], window) for index in range(count)
    )
    return examples + [item for item in plain if item is not None]


def padded_answers(examples: Sequence[AnswerExample]) -> tuple[Tensor, Tensor]:
    """Inputs and targets int64 [B, T], padded on the right; only targets within the answers carry a
    loss.
    """
    return padded_rows([(example,) for example in examples])


def padded_rows(rows: Sequence[Sequence[AnswerExample]]) -> tuple[Tensor, Tensor]:
    """Builds inputs and targets as `padded_answers` does, from rows that hold several examples, one
    behind the other as in a conversation.
    """
    inputs = list[Tensor]()
    targets = list[Tensor]()
    for row in rows:
        inputs.append(
            torch.tensor([token for item in row for token in (*item.prompt, *item.answer)])[:-1]
        )
        told = [
            token for item in row for token in (*[IGNORED_TARGET] * len(item.prompt), *item.answer)
        ]
        targets.append(torch.tensor(told)[1:])
    return pad_sequence(inputs, batch_first=True), pad_sequence(
        targets, batch_first=True, padding_value=IGNORED_TARGET
    )


def packed(examples: Sequence[AnswerExample], window: int) -> list[tuple[AnswerExample, ...]]:
    """Examples in rows of at most window + 1 tokens, each in the first open row with room; longer
    ones alone.
    """
    rows = list[tuple[AnswerExample, ...]]()
    waiting = list[tuple[int, list[AnswerExample]]]()
    for example in examples:
        length = len(example.prompt) + len(example.answer)
        index = next(
            (k for k, (taken, _) in enumerate(waiting) if taken + length <= window + 1),
            len(waiting),
        )
        taken, row = waiting.pop(index) if index < len(waiting) else (0, [])
        row.append(example)
        waiting.insert(index, (taken + length, row))
        if len(waiting) > _OPEN_ROWS:
            fullest = max(range(len(waiting)), key=lambda k: waiting[k][0])
            rows.append(tuple(waiting.pop(fullest)[1]))
    return rows + [tuple(row) for _, row in waiting]


class AnswerBatches:
    """Batches of answers, each used once per epoch, reshuffled every epoch; see
    `gptcore.training.Batches`.

    Args:
        examples: the training examples.
        batch_size: B, rows in a batch; a row holds as many examples as its window has room for.
        window: T, tokens of a row at most.

    Raises:
        TrainingError: no example.
    """

    def __init__(self, examples: Sequence[AnswerExample], *, batch_size: int, window: int) -> None:
        if not examples:
            raise TrainingError(
                "There is no example with room for an answer; give shorter prompts."
            )
        draw = random.Random(0)
        mixed = draw.sample(examples, len(examples))  # of all kinds
        # Packing puts short ones last; but a conversation may begin with any of them.
        self.rows: list[tuple[AnswerExample, ...]] = [
            tuple(draw.sample(row, len(row))) for row in packed(mixed, window)
        ]
        self.batch_size = batch_size
        # On average, as the token count of a run needs it.
        self.window: int = (
            round(
                sum(len(example.prompt) + len(example.answer) for example in examples)
                / len(self.rows)
            )
            - 1
        )
        self.updates_per_epoch: int = math.ceil(len(self.rows) / batch_size)

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        return padded_rows(chosen_of_epoch(self.rows, self.batch_size, index, seed))


def chosen_of_epoch(
    examples: Sequence[_Example], batch_size: int, index: int, seed: int
) -> list[_Example]:
    """The examples of batch number `index`, reshuffled every epoch."""
    epoch, within = divmod(index, math.ceil(len(examples) / batch_size))
    order = torch.randperm(len(examples), generator=generator_for(seed, "epoch", epoch)).tolist()
    return [examples[row] for row in order[within * batch_size : (within + 1) * batch_size]]


class AnswerLoss:
    """`Trainer` objective: the loss on answers, with a higher weight on words that the prompt
    requests.

    Requested words are few among the tokens of a story, but they are what a short training has to
    learn. Rare answer tokens that also occur in the prompt count as requested, at their first use
    alone: otherwise it would repeat them.

    Args:
        examples: the corpus that determines which tokens are rare.
        vocab_size: V.
        weight: of a requested token; 1 gives the model's own loss.
    """

    def __init__(
        self,
        examples: Sequence[AnswerExample],
        vocab_size: int,
        *,
        weight: float = REQUESTED_WEIGHT,
    ) -> None:
        counts = torch.bincount(
            torch.tensor([token for example in examples for token in example.answer]),
            minlength=vocab_size,
        )
        self._is_rare = counts < _COMMON_SHARE * counts.sum()  # [V]
        self.weight = weight

    def __call__(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
        """Nats per token. inputs, targets: int64 [B, T], as `padded_answers` makes them."""
        logits = model(inputs).logits
        within = targets != IGNORED_TARGET
        weights = 1.0 + (self.weight - 1.0) * self.requested(inputs, targets)  # [B, T]
        losses = F.cross_entropy(logits[within].float(), targets[within], reduction="none")
        return (losses * weights[within]).sum() / weights[within].sum()

    def loss_count(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The sum of the weights over which the loss is a mean."""
        weights = 1.0 + (self.weight - 1.0) * self.requested(inputs, targets)
        return weights[targets != IGNORED_TARGET].sum()

    def requested(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Mask of the targets that are rare tokens from the prompt of their own example, bool [B,
        T]: at first use.
        """
        answers = targets != IGNORED_TARGET
        vocab_size = len(self._is_rare)
        before = F.pad(answers, (1, 0))[:, :-1]  # whether the position before predicts an answer
        begins = before & ~answers  # an example ends where its last answer token stands
        example = begins.flatten().cumsum(0).view_as(begins)
        example = (
            example + torch.arange(len(begins), device=inputs.device)[:, None]
        ) * vocab_size  # rows apart
        # the first answer token is predicted by the last of the prompt
        of_prompts = (example + inputs)[~before]
        of_answers = torch.where(answers, example + targets, -1).flatten()
        is_rare = self._is_rare.to(inputs.device)[targets.clamp(min=0)].flatten()
        is_requested = torch.isin(of_answers, of_prompts) & is_rare
        ordered, indices = of_answers.sort(stable=True)
        again = torch.zeros_like(is_requested)
        again[indices[1:]] = ordered[1:] == ordered[:-1]
        return (is_requested & ~again).view_as(answers)


def instruction_config(**changes: object) -> TrainingConfig:
    """Settings that suit a small model: a short warm-up, a cosine to 0; `changes` are fields of
    TrainingConfig.
    """
    own = TrainingConfig(
        batch_size=8, learning_rate=1e-3, warmup_steps=20, weight_decay=0.05, max_steps=1_000_000
    )
    return replace(own, **changes)  # type: ignore[arg-type]
