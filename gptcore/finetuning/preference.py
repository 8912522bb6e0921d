"""Preference tuning by DPO: makes the better of two answers likelier, relative to the initial model (reference).

Source: Rafailov et al. 2023, "Direct Preference Optimization", equation 7:

    loss = -log sigmoid(beta * [(log p(w|x) - log p_ref(w|x)) - (log p(l|x) - log p_ref(l|x))])

with w the preferred and l the rejected answer. The preferred answer's own loss is added (Pang et al.
2024, "Iterative Reasoning Preference Optimization"), since DPO alone may make both answers less likely.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.errors import TrainingError
from gptcore.finetuning.instruction import (
    STOP,
    USER,
    AnswerExample,
    Instruction,
    Message,
    chat_prompt,
    chosen_of_epoch,
    padded_answers,
)
from gptcore.inference.batch import RunningBatch
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, IGNORED_TARGET, evaluating
from gptcore.training import TrainingConfig

BETA = 0.2  # pull towards the reference model: the smaller, the farther it may move
OWN_WEIGHT = 1.0  # of the preferred answer's own loss
WRITING = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)
_REPEATED_RUN = 4  # words; a repeated n-gram of this length counts as repetition
_LEAST_WORDS = 25  # of a story
_LEAST_ROOM = 8  # minimum tokens of the window left for an answer
_TOKEN = re.compile(r"\w+(?:'\w+)?")


@dataclass(frozen=True)
class Verdict:
    """Rule-based judgement of an answer.

    Attributes:
        used: share of the requested words that it contains; 1.0 if none are requested.
        ends: it ended by itself, at the end of a sentence.
        repeated: share of its word 4-grams that occurred earlier in it.
        n_words: words in it.
    """

    used: float
    ends: bool
    repeated: float
    n_words: int

    @property
    def score(self) -> float:
        """Words first, then an end, then no repetition, then a story's length: larger is better."""
        return 6 * self.used + self.ends - 4 * self.repeated - (self.n_words < _LEAST_WORDS)


def holds(text: str, word: str) -> bool:
    """Whether a text has a word, also with a regular ending: ball in "two balls"."""
    return re.search(rf"\b{re.escape(word)}(?:s|es|d|ed|ing|ly)?\b", text, re.IGNORECASE) is not None


def judge(text: str, words: Sequence[str], *, ended: bool) -> Verdict:
    """The rule: requested words used, a proper end, no repetition, a story's length.

    Args:
        text: the answer.
        words: that were asked for.
        ended: it ended by itself, not at a limit.
    """
    used = sum(holds(text, word) for word in words) / len(words) if words else 1.0
    found = [word.lower() for word in _TOKEN.findall(text)]
    runs = [tuple(found[i : i + _REPEATED_RUN]) for i in range(len(found) - _REPEATED_RUN + 1)]
    repeated = 1 - len(set(runs)) / len(runs) if runs else 0.0
    return Verdict(used, ended and text.rstrip().endswith((".", "!", "?", '"')), repeated, len(found))


@dataclass(frozen=True)
class Answer:
    """An answer that a model has written: its text, its token ids, and whether it ended by itself."""

    text: str
    ids: tuple[int, ...]
    ended: bool


def answers(
    lm: LanguageModel, prompts: Sequence[str], *, n_each: int = 1, **settings: Any
) -> Iterator[tuple[int, Answer]]:
    """Answers every prompt n_each times; yields (prompt index, answer) in order of completion.

    Arguments and errors as `answering`.
    """
    return (found for found in answering(lm, prompts, n_each=n_each, **settings) if found is not None)


def answering(
    lm: LanguageModel,
    prompts: Sequence[str],
    *,
    n_each: int = 1,
    max_new_tokens: int = 200,
    settings: SamplingSettings = WRITING,
    seed: int = 1,
    batch_size: int = 16,
) -> Iterator[tuple[int, Answer] | None]:
    """As `answers`, but also yields None after every step of the batch, so that other work can run in between.

    Args:
        lm: answers in the chat format.
        prompts: user turns; only the end of one longer than the window is read.
        n_each: answers per prompt.
        max_new_tokens: per answer, limited by the room left in the window.
        settings: sampling settings.
        seed: of the first answer; each further answer adds 1.
        batch_size: answers written at once.

    Raises:
        TokenizerError: characters that the model does not know, before anything is written.
    """
    window, waiting = lm.model.config.n_positions, []
    for place, prompt in enumerate(prompts):
        ids = lm.tokenizer.encode(chat_prompt([Message(USER, prompt)]))[-max(1, window - _LEAST_ROOM) :]
        for number in range(n_each):
            sequence = TokenSequence(
                ids,
                settings,
                seed=seed + place * n_each + number,
                tokenizer=lm.tokenizer,
                stop=[STOP],
                n_alternatives=0,
            )
            waiting.append((place, sequence, max(1, min(max_new_tokens, window - len(ids)))))
    waiting.reverse()
    batch, writing, pieces = RunningBatch(lm.model), dict[TokenSequence, int](), dict[TokenSequence, list[str]]()
    while waiting or writing:
        while waiting and len(writing) < batch_size:
            place, sequence, room = waiting.pop()
            batch.join(sequence, room)
            writing[sequence], pieces[sequence] = place, []
        for sequence, token in batch.step():
            pieces[sequence].append(token.text)
        for sequence in [one for one in writing if one.done]:
            text = "".join(pieces.pop(sequence)).strip()
            yield (
                writing.pop(sequence),
                Answer(text, tuple(sequence.ids[sequence.n_prompt :]), sequence.end != "length"),
            )
        yield None


@dataclass(frozen=True)
class PreferencePair:
    """The same prompt with the better and the worse answer."""

    better: AnswerExample
    worse: AnswerExample


def pair_of(
    lm: LanguageModel, one: Instruction, written: Sequence[Answer], *, least: float = 0.3
) -> PreferencePair | None:
    """The best and the worst of some answers by the rule; None where they differ by less than `least`.

    If words are requested, the better one must use more of them; otherwise the model would learn only what is easier,
    such as ending early.
    """
    ranked = sorted(written, key=lambda answer: judge(answer.text, one.words, ended=answer.ended).score)
    if len(ranked) < 2:
        return None
    worst, best = (judge(answer.text, one.words, ended=answer.ended) for answer in (ranked[0], ranked[-1]))
    if best.score - worst.score < least or (one.words and best.used <= worst.used):
        return None
    return preference_pair(lm, one.prompt, ranked[-1], ranked[0])


def preference_pair(lm: LanguageModel, prompt: str, better: Answer, worse: Answer) -> PreferencePair | None:
    """Two answers to a user's prompt as tokens, with the end of text where they ended; None where one is empty."""
    ids = tuple(lm.tokenizer.encode(chat_prompt([Message(USER, prompt)])))
    room = lm.model.config.n_positions + 1 - len(ids)
    if room < 2 or not better.ids or not worse.ids:
        return None

    def example(answer: Answer) -> AnswerExample:
        end = lm.tokenizer.end_id
        told = answer.ids if end is None or not answer.ended or answer.ids[-1] == end else (*answer.ids, end)
        return AnswerExample(ids, told[:room])

    return PreferencePair(example(better), example(worse))


def write_pairs(
    lm: LanguageModel, asked: Sequence[Instruction], *, n_each: int = 4, max_new_tokens: int = 160, seed: int = 1
) -> Iterator[tuple[int, list[PreferencePair]]]:
    """Samples n_each answers to every instruction, and pairs the best with the worst by the rule.

    Yields:
        after every step of the batch, how many instructions are answered, and the pairs so far; instructions with
        similar answers give none.
    """
    written: dict[int, list[Answer]] = {}
    pairs, done = list[PreferencePair](), 0
    prompts = [one.prompt for one in asked]
    for found in answering(lm, prompts, n_each=n_each, max_new_tokens=max_new_tokens, seed=seed):
        if found is None:
            yield done, pairs
            continue
        place, answer = found
        written.setdefault(place, []).append(answer)
        if len(written[place]) == n_each:
            done += 1
            pair = pair_of(lm, asked[place], written.pop(place))
            pairs += [] if pair is None else [pair]


def answer_logprobs(logits: Tensor, targets: Tensor) -> Tensor:
    """log p(answer | prompt) in nats, float [B].

    Args:
        logits: float [B, T, V].
        targets: int64 [B, T], IGNORED_TARGET outside the answers.
    """
    within = targets != IGNORED_TARGET
    picked = logits.float().log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]  # [B, T]
    return (picked * within).sum(-1)


def dpo_loss(
    better: Tensor, worse: Tensor, better_before: Tensor, worse_before: Tensor, *, beta: float = BETA
) -> Tensor:
    """Equation 7, the mean over pairs, in nats.

    Args:
        better, worse: log p of both answers under the model in training, float [B].
        better_before, worse_before: under the reference model, float [B].
        beta: strength of the pull towards the reference model.
    """
    return -F.logsigmoid(beta * ((better - better_before) - (worse - worse_before))).mean()


class PreferenceBatches:
    """Batches of pairs for `DirectPreference`: the better answers' rows, then the worse ones'.

    Args:
        pairs: the training pairs.
        batch_size: B pairs; a batch has 2 B rows.

    Raises:
        TrainingError: no pair.
    """

    def __init__(self, pairs: Sequence[PreferencePair], *, batch_size: int) -> None:
        if not pairs:
            raise TrainingError(
                "There is no pair to learn from: the answers are too similar. Let it write more of them."
            )
        self.pairs, self.batch_size = list(pairs), batch_size
        lengths = [len(one.prompt) + len(one.answer) - 1 for pair in pairs for one in (pair.better, pair.worse)]
        self.window = 2 * round(sum(lengths) / len(lengths))
        self.updates_per_epoch = math.ceil(len(pairs) / batch_size)

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        chosen = chosen_of_epoch(self.pairs, self.batch_size, index, seed)
        return padded_answers([*(pair.better for pair in chosen), *(pair.worse for pair in chosen)])


class DirectPreference:
    """DPO as an objective for `Trainer`, on batches of `PreferenceBatches`.

    Args:
        before: the frozen reference model.
        beta: see dpo_loss.
        own_weight: of the better answer's own loss per token.
    """

    def __init__(self, before: GPT, *, beta: float = BETA, own_weight: float = OWN_WEIGHT) -> None:
        self._before, self.beta, self.own_weight = before, beta, own_weight

    def __call__(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
        """The loss in nats. inputs, targets: int64 [2 B, T]."""
        better, worse = answer_logprobs(model(inputs).logits, targets).chunk(2)
        with torch.no_grad(), evaluating(self._before):
            better_before, worse_before = answer_logprobs(self._before(inputs).logits, targets).chunk(2)
        loss = dpo_loss(better, worse, better_before, worse_before, beta=self.beta)
        n_tokens = (targets[: len(better)] != IGNORED_TARGET).sum()
        return loss - self.own_weight * better.sum() / n_tokens


def preference_config(**changes: object) -> TrainingConfig:
    """Settings that suit a small model; `changes` are fields of TrainingConfig."""
    fields: dict[str, object] = {
        "batch_size": 8, "learning_rate": 1e-4, "warmup_steps": 10, "weight_decay": 0.0, "max_steps": 1_000_000,
        "schedule": "linear",
    }  # fmt: skip
    return TrainingConfig(**{**fields, **changes})  # type: ignore[arg-type]


@dataclass(frozen=True)
class InstructionScore:
    """How well a model follows instructions that request words, over n answers.

    Attributes:
        all_words: share of the answers that contain all requested words.
        words: share of all requested words that are used.
        ends: share of the answers that end by themselves, at the end of a sentence.
        repeated: mean share of repeated runs of four words.
        n_words: mean length.
        n: answers.
    """

    all_words: float
    words: float
    ends: float
    repeated: float
    n_words: float
    n: int


def score_of(verdicts: Sequence[Verdict]) -> InstructionScore:
    """The mean of some verdicts. Raises ZeroDivisionError for none."""
    n = len(verdicts)
    return InstructionScore(
        sum(one.used == 1.0 for one in verdicts) / n,
        sum(one.used for one in verdicts) / n,
        sum(one.ends for one in verdicts) / n,
        sum(one.repeated for one in verdicts) / n,
        sum(one.n_words for one in verdicts) / n,
        n,
    )


def evaluate_instructions(lm: LanguageModel, asked: Sequence[Instruction], *, seed: int = 1) -> InstructionScore:
    """Answers each instruction once, with the `WRITING` settings, and judges the answers by the rule."""
    prompts = [one.prompt for one in asked]
    found = [judge(a.text, asked[place].words, ended=a.ended) for place, a in answers(lm, prompts, seed=seed)]
    return score_of(found)
