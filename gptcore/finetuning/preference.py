"""Preference tuning by DPO: makes the better of two answers likelier, relative to the initial model
(reference).

Source: Rafailov et al. 2023, "Direct Preference Optimization", equation 7:

    loss = -log sigmoid(beta * [(log p(w|x) - log p_ref(w|x)) - (log p(l|x) - log p_ref(l|x))])

with w the preferred and l the rejected answer. The preferred answer's own loss is added (Pang et
al. 2024, "Iterative Reasoning Preference Optimization"), since DPO alone may make both answers less
likely. Plain texts beside the pairs keep what the model knew before (PPO-ptx in Ouyang et al. 2022,
section 3.5); their targets are what other models expect of them (Li and Hoiem 2016, "Learning
without Forgetting").
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.errors import TrainingError
from gptcore.finetuning.answering import Answer, answering, judge
from gptcore.finetuning.instruction import USER, Instruction, Message, chat_prompt
from gptcore.finetuning.supervised import AnswerExample, chosen_of_epoch, padded_answers
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, IGNORED_TARGET, evaluating
from gptcore.training import Sum, TrainingConfig, generator_for

BETA = 0.2  # pull towards the reference model: the smaller, the farther it may move
_LEAST_APART = 0.3  # in score, of the answers of a pair
OWN_WEIGHT = 1.0  # of the preferred answer's own loss


@dataclass(frozen=True)
class PreferencePair:
    """The same prompt with the better and the worse answer."""

    better: AnswerExample
    worse: AnswerExample


def pairs_of(
    lm: LanguageModel, instruction: Instruction, written: Sequence[Answer], *, most: int = 1
) -> list[PreferencePair]:
    """Up to `most` pairs of answers by the rule: the best with the worst, the second best with the
    second worst, ...

    Answers of about one score make none. If words are requested, the better one must use more of
    them; otherwise the model would learn only what is easier, such as ending early.
    """
    judged = [
        (judge(answer.text, instruction.words, ended=answer.ended), answer) for answer in written
    ]
    judged.sort(key=lambda both: both[0].score)
    pairs = list[PreferencePair | None]()
    for (worst, worse), (best, better) in zip(
        judged[: min(most, len(judged) // 2)], judged[::-1], strict=False
    ):
        if best.score - worst.score >= _LEAST_APART and (
            not instruction.words or best.used > worst.used
        ):
            pairs.append(preference_pair(lm, instruction.prompt, better, worse))
    return [pair for pair in pairs if pair is not None]


def preference_pair(
    lm: LanguageModel, prompt: str, better: Answer, worse: Answer
) -> PreferencePair | None:
    """Two answers to a user's prompt as tokens, with the end of text where they ended; None where
    one is empty.
    """
    ids = tuple(lm.tokenizer.encode(chat_prompt([Message(USER, prompt)])))
    room = lm.model.config.n_positions + 1 - len(ids)
    if room < 2 or not better.ids or not worse.ids:
        return None

    def example(answer: Answer) -> AnswerExample:
        end = lm.tokenizer.end_id
        told = (
            answer.ids
            if end is None or not answer.ended or answer.ids[-1] == end
            else (*answer.ids, end)
        )
        return AnswerExample(ids, told[:room])

    return PreferencePair(example(better), example(worse))


def write_pairs(
    lm: LanguageModel,
    instructions: Sequence[Instruction],
    *,
    n_each: int = 4,
    n_pairs: int = 1,
    max_new_tokens: int = 160,
    seed: int = 1,
) -> Iterator[tuple[int, list[PreferencePair]]]:
    """Samples n_each answers to every instruction, and makes up to n_pairs of them by the rule, see
    `pairs_of`.

    Yields:
        after every step of the batch, how many instructions are answered, and the pairs so far;
        instructions with similar answers give none.
    """
    pairs = list[PreferencePair]()
    done = 0
    prompts = [instruction.prompt for instruction in instructions]
    for found in answering(lm, prompts, n_each=n_each, max_new_tokens=max_new_tokens, seed=seed):
        if found is None:
            yield done, pairs
            continue
        index, written = found
        done += 1
        pairs += pairs_of(lm, instructions[index], written, most=n_pairs)


def answer_logprobs(logits: Tensor, targets: Tensor) -> Tensor:
    """log p(answer | prompt) in nats, float [B].

    Args:
        logits: float [B, T, V].
        targets: int64 [B, T], IGNORED_TARGET outside the answers.
    """
    within = targets != IGNORED_TARGET
    # [B, T]
    picked = logits.float().log_softmax(-1).gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return (picked * within).sum(-1)


def dpo_loss(
    better: Tensor,
    worse: Tensor,
    better_before: Tensor,
    worse_before: Tensor,
    *,
    beta: float = BETA,
) -> Tensor:
    """Equation 7, the mean over pairs, in nats.

    Args:
        better, worse: log p of both answers under the model in training, float [B].
        better_before, worse_before: under the reference model, float [B].
        beta: strength of the pull towards the reference model.
    """
    return -F.logsigmoid(beta * ((better - better_before) - (worse - worse_before))).mean()


class PreferenceBatches:
    """Batches of pairs for `DirectPreference`: the better answers' rows, the worse ones', then
    plain texts.

    Args:
        pairs: the training pairs.
        batch_size: B pairs; a batch has 2 B rows of them.
        plain: texts to keep in mind.
        n_plain: P, how many of them are drawn for every batch.

    Raises:
        TrainingError: no pair, or no text to draw from, or fewer than 0 of them.
    """

    def __init__(
        self,
        pairs: Sequence[PreferencePair],
        *,
        batch_size: int,
        plain: Sequence[AnswerExample] = (),
        n_plain: int = 0,
    ) -> None:
        if not pairs:
            why = "the answers are too similar. Let it write more of them."
            raise TrainingError(f"There is no pair to learn from: {why}")
        if n_plain < 0:
            raise TrainingError(
                f"{n_plain} rows of plain text beside the pairs; it must be 0 or more."
            )
        if n_plain and not plain:
            raise TrainingError(
                "There is no plain text to keep in mind: the model has no token that ends a text."
            )
        self.pairs: list[PreferencePair] = list(pairs)
        self.batch_size = batch_size
        self.plain: list[AnswerExample] = list(plain)
        self.n_plain = n_plain
        lengths = [
            len(item.prompt) + len(item.answer) - 1
            for pair in pairs
            for item in (pair.better, pair.worse)
        ]
        self.window: int = 2 * round(sum(lengths) / len(lengths))
        self.updates_per_epoch: int = math.ceil(len(pairs) / batch_size)

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        chosen = chosen_of_epoch(self.pairs, self.batch_size, index, seed)
        rows = [*(pair.better for pair in chosen), *(pair.worse for pair in chosen)]
        if self.n_plain:
            drawn = torch.randint(
                len(self.plain), (self.n_plain,), generator=generator_for(seed, "plain", index)
            )
            rows += [self.plain[row] for row in drawn.tolist()]
        return padded_answers(rows)


class DirectPreference:
    """DPO as an objective for `Trainer`, on batches of `PreferenceBatches`.

    Args:
        before: the frozen reference model.
        beta: see dpo_loss.
        own_weight: of the better answer's own loss per token.
        n_plain: P, rows of plain text at the end of every batch.
        teachers: models whose mean probabilities are the targets on these rows; none for `before`.
        plain_weight: of the loss on them.

    Raises:
        TrainingError: a weight or beta that is negative or not finite.
    """

    def __init__(
        self,
        before: GPT,
        *,
        beta: float = BETA,
        own_weight: float = OWN_WEIGHT,
        n_plain: int = 0,
        teachers: Sequence[GPT] = (),
        plain_weight: float = 1.0,
    ) -> None:
        if not all(0 <= number < math.inf for number in (beta, own_weight, plain_weight)):
            given = f"beta is {beta}, the weights are {own_weight} and {plain_weight}"
            raise TrainingError(f"{given}; they must be 0 or more, and finite.")
        self._before = before
        self.beta = beta
        self.own_weight = own_weight
        self.n_plain = n_plain
        self.plain_weight = plain_weight
        self._teachers = [*teachers] or [before]

    def __call__(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> Sum:
        """The loss with its terms: DPO's, the better answers' own per token, that on plain texts if
        there are some.

        Args:
            model: in training.
            inputs, targets: int64 [2 B + P, T].
        """
        n_pairs = len(inputs) - self.n_plain
        rows, told = _trimmed(inputs[:n_pairs], targets[:n_pairs])
        better, *others = self._logprobs(model, rows, told)
        of_pairs = dpo_loss(better, *others, beta=self.beta)
        own = -better.sum() / (told[: len(better)] != IGNORED_TARGET).sum()
        loss = of_pairs + self.own_weight * own
        if not self.n_plain:
            return Sum(loss, (of_pairs, own))
        plain = self._of_plain(model, *_trimmed(inputs[n_pairs:], targets[n_pairs:]))
        return Sum(loss + self.plain_weight * plain, (of_pairs, own, plain))

    def loss_count(self, inputs: Tensor, targets: Tensor) -> int:
        """Pairs, over which DPO's loss is a mean."""
        return (len(inputs) - self.n_plain) // 2

    def score(self, model: GPT, pairs: Sequence[PreferencePair]) -> tuple[float, float]:
        """(DPO's loss, share of the pairs whose better answer became likelier than the worse one;
        half where neither moved), without dropout.
        """
        inputs, targets = padded_answers(
            [*(pair.better for pair in pairs), *(pair.worse for pair in pairs)]
        )
        device = model.wte.weight.device
        with torch.inference_mode(), evaluating(model):
            better, worse, *before = self._logprobs(model, inputs.to(device), targets.to(device))
        margins = (better - before[0]) - (worse - before[1])
        return float(dpo_loss(better, worse, *before, beta=self.beta)), float(
            (margins.sign() + 1).mean() / 2
        )

    def _logprobs(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> tuple[Tensor, ...]:
        """The four arguments of dpo_loss."""
        with torch.no_grad(), evaluating(self._before):
            before = answer_logprobs(self._before(inputs).logits, targets).chunk(2)
        return *answer_logprobs(model(inputs).logits, targets).chunk(2), *before

    def _of_plain(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy to the teachers' mean probabilities, in nats per token."""
        within = targets != IGNORED_TARGET
        chances = list[Tensor]()
        for teacher in self._teachers:
            with torch.no_grad(), evaluating(teacher):
                chances.append(teacher(inputs).logits[within].float().softmax(-1))
        return F.cross_entropy(model(inputs).logits[within].float(), torch.stack(chances).mean(0))


def _trimmed(inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Rows int64 [B, T] without the padding that is behind all of them."""
    length = int((targets != IGNORED_TARGET).any(0).nonzero().max()) + 1
    return inputs[:, :length], targets[:, :length]


def preference_config(**changes: object) -> TrainingConfig:
    """Settings that suit a small model; `changes` are fields of TrainingConfig."""
    own = TrainingConfig(
        batch_size=8, learning_rate=1e-4, warmup_steps=10, weight_decay=0.0, schedule="linear"
    )
    return replace(own, **{"max_steps": 1_000_000, **changes})  # type: ignore[arg-type]
