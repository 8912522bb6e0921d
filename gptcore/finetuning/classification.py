"""The GPT-1 paper's fine-tuning: structured inputs as token sequences (figure 1), and a classifier,
which is a linear layer on the extract token, with language modelling as an auxiliary objective.

Source: Radford et al. 2018, sections 3.2, 3.3 and 4.1: L3 = L2 + lambda * L1, lambda 0.5, learning
rate 6.25e-5, batch 32, 3 epochs, linear decay with a warm-up over 0.2 % of the training.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from gptcore.errors import ContextLengthError, TrainingError
from gptcore.finetuning.supervised import chosen_of_epoch
from gptcore.model import GPT, IGNORED_TARGET
from gptcore.weights.hf_format import model_from_tensors

AUXILIARY_WEIGHT = 0.5


@dataclass(frozen=True)
class SpecialTokens:
    """The ids of the three tokens that fine-tuning adds behind a vocabulary of V: V, V + 1 and V +
    2.
    """

    start: int
    delimiter: int
    extract: int

    @classmethod
    def after(cls, vocab_size: int) -> "SpecialTokens":
        """The special tokens for a model with this vocabulary size."""
        return cls(vocab_size, vocab_size + 1, vocab_size + 2)


@dataclass(frozen=True)
class EncodedExample:
    """One labelled input."""

    # token ids. One for classification and entailment; both orders for similarity, whose
    # representations are added; one for each answer of a multiple choice.
    sequences: tuple[tuple[int, ...], ...]
    label: int  # which class or answer, from 0


def classification(
    text: Sequence[int], label: int, *, tokens: SpecialTokens, window: int
) -> EncodedExample:
    """start, text, extract. A text that is too long is truncated at the end."""
    return EncodedExample((_joined([text], tokens, window),), label)


def entailment(
    premise: Sequence[int],
    hypothesis: Sequence[int],
    label: int,
    *,
    tokens: SpecialTokens,
    window: int,
) -> EncodedExample:
    """start, premise, delimiter, hypothesis, extract."""
    return EncodedExample((_joined([premise, hypothesis], tokens, window),), label)


def similarity(
    first: Sequence[int], second: Sequence[int], label: int, *, tokens: SpecialTokens, window: int
) -> EncodedExample:
    """Both orders, since neither text comes first."""
    orders = ([first, second], [second, first])
    return EncodedExample(tuple(_joined(order, tokens, window) for order in orders), label)


def multiple_choice(
    context: Sequence[int],
    answers: Sequence[Sequence[int]],
    label: int,
    *,
    tokens: SpecialTokens,
    window: int,
) -> EncodedExample:
    """start, context (with the question), delimiter, answer, extract, for each answer; a softmax
    runs over answers.

    Raises:
        TrainingError: fewer than two answers, or a label out of range.
    """
    if len(answers) < 2 or not 0 <= label < len(answers):
        given = f"There are {len(answers)} answers and the label is {label}"
        raise TrainingError(f"{given}; it must be one of at least two.")
    return EncodedExample(
        tuple(_joined([context, answer], tokens, window) for answer in answers), label
    )


def _joined(parts: Sequence[Sequence[int]], tokens: SpecialTokens, window: int) -> tuple[int, ...]:
    """The parts with their special tokens; the first part is truncated if the whole is too long."""
    n_second = sum(len(part) for part in parts[1:])
    room = window - n_second - len(parts) - 1
    if room < 1:
        given = f"The second text has {n_second} tokens; in a window of {window}"
        raise ContextLengthError(f"{given} nothing is left for the first. Shorten it.")
    joined = [tokens.start, *parts[0][:room]]
    for part in parts[1:]:
        joined += [tokens.delimiter, *part]
    return (*joined, tokens.extract)


@dataclass(frozen=True)
class ClassifierOutput:
    """Classifier output: logits float [B, n_classes] (or [B, answers]), and the loss L3, or None
    without labels.
    """

    logits: Tensor
    loss: Tensor | None
    # L2, the label loss, and L1, the language-modelling loss, which is skipped if its weight is 0
    terms: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class ClassScore:
    """Classification score: mean loss in nats, and accuracy."""

    loss: float
    accuracy: float
    n_examples: int


class TaskClassifier(nn.Module):
    """A language model that is fine-tuned to label texts.

    Args:
        body: a language model; its weights are copied, with three rows added to the embedding.
        n_classes: labels to choose from; 1 for multiple choice, where answers compete.
        auxiliary_weight: lambda, the weight of the language model's own loss.
        dropout: on the classifier's input.
        generator: draws the new weights.
    """

    def __init__(
        self,
        body: GPT,
        n_classes: int,
        *,
        auxiliary_weight: float = AUXILIARY_WEIGHT,
        dropout: float = 0.1,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        config = body.config
        self.tokens: SpecialTokens = SpecialTokens.after(config.vocab_size)
        self.body: GPT = GPT(replace(config, vocab_size=config.vocab_size + 3))
        own = self.body.state_dict()
        fresh = torch.empty(3, config.n_embd)
        fresh.normal_(std=config.initializer_range, generator=generator)
        with torch.no_grad():
            for name, value in body.state_dict().items():
                own[name][: len(value)].copy_(value)
            for table in (self.body.wte, self.body.lm_head):  # one and the same where they are tied
                table.weight[config.vocab_size :].copy_(fresh)
        self.drop: nn.Dropout = nn.Dropout(dropout)
        self.head: nn.Linear = nn.Linear(config.n_embd, n_classes)
        nn.init.normal_(self.head.weight, std=config.initializer_range, generator=generator)
        nn.init.zeros_(self.head.bias)
        self.auxiliary_weight = auxiliary_weight

    def language_model(self) -> GPT:
        """A copy of the current body without the three new tokens, for generation with the old
        vocabulary.
        """
        V = self.body.config.vocab_size - 3
        weights = self.body.state_dict()
        for name in ("wte.weight", "lm_head.weight"):
            weights[name] = weights[name][:V]
        copied = {name: value.clone() for name, value in weights.items()}
        return model_from_tensors(replace(self.body.config, vocab_size=V), copied).requires_grad_(
            False
        )

    def forward(self, token_ids: Tensor, labels: Tensor | None = None) -> ClassifierOutput:
        """Runs the body once for both losses.

        Args:
            token_ids: int64 [B, S, T]: S sequences per example, right-padded with -1. The extract
                token is the last real one.
            labels: int64 [B].
        """
        B, S, T = token_ids.shape
        flat = token_ids.reshape(B * S, T)
        real = flat >= 0
        last = real.sum(dim=1) - 1  # [B * S]
        # causal: padding comes last and is never seen
        hidden = self.body.hidden_states(flat.clamp(min=0))
        # [B, S, C]
        extracted = hidden[torch.arange(B * S, device=flat.device), last].view(B, S, -1)
        if self.head.out_features == 1:
            logits = self.head(self.drop(extracted))[..., 0]  # [B, S], one score an answer
        else:
            logits = self.head(self.drop(extracted.sum(dim=1)))  # [B, n_classes]
        if labels is None:
            return ClassifierOutput(logits, None)
        loss = F.cross_entropy(logits.float(), labels)
        terms = (loss,)
        if self.auxiliary_weight:
            targets = flat[:, 1:].masked_fill(~real[:, 1:], IGNORED_TARGET)
            predicted = self.body.lm_head(hidden[:, :-1]).float()
            own = F.cross_entropy(
                predicted.flatten(0, 1), targets.flatten(), ignore_index=IGNORED_TARGET
            )
            terms = (loss, own)
            loss = loss + self.auxiliary_weight * own
        return ClassifierOutput(logits, loss, terms)

    def loss_count(self, token_ids: Tensor, labels: Tensor) -> int:
        """Examples, over which the loss is a mean."""
        return len(labels)


class LabelledBatches:
    """Batches of labelled examples, each used once per epoch, reshuffled every epoch.

    Args:
        examples: all with the same number of sequences.
        batch_size: B.

    Raises:
        TrainingError: no example, or examples of different kinds.
    """

    def __init__(self, examples: Sequence[EncodedExample], *, batch_size: int) -> None:
        if not examples or len({len(example.sequences) for example in examples}) != 1:
            raise TrainingError(
                f"There are {len(examples)} examples; give at least one, all of one kind."
            )
        self.examples: list[EncodedExample] = list(examples)
        self.batch_size = batch_size
        self.window: int = max(
            len(sequence) for example in examples for sequence in example.sequences
        )
        self.updates_per_epoch: int = math.ceil(len(examples) / batch_size)

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        """Token ids int64 [B, S, T], as long as the longest of the batch, and labels int64 [B]."""
        return padded(chosen_of_epoch(self.examples, self.batch_size, index, seed))


def padded(examples: Sequence[EncodedExample]) -> tuple[Tensor, Tensor]:
    """(token ids int64 [B, S, T] padded with -1, labels int64 [B])."""
    rows = [torch.tensor(sequence) for example in examples for sequence in example.sequences]
    ids = pad_sequence(rows, batch_first=True, padding_value=-1)  # [B * S, T]
    return ids.view(len(examples), -1, ids.shape[1]), torch.tensor(
        [example.label for example in examples]
    )


@torch.inference_mode()
def evaluate_classifier(
    model: TaskClassifier, examples: Sequence[EncodedExample], *, batch_size: int = 64
) -> ClassScore:
    """Loss and accuracy on labelled examples, without dropout.

    Raises:
        TrainingError: no examples, or a batch of none.
    """
    if not examples:
        raise TrainingError("There are no labelled examples to evaluate on.")
    if batch_size < 1:
        raise TrainingError(f"batch_size is {batch_size}; it must be 1 or more.")
    was_training = model.training
    loss = 0.0
    right = 0
    model.eval()
    for begin in range(0, len(examples), batch_size):
        ids, labels = padded(examples[begin : begin + batch_size])
        logits = model(ids.to(next(model.parameters()).device)).logits.float().cpu()
        loss += float(F.cross_entropy(logits, labels, reduction="sum"))
        right += int((logits.argmax(-1) == labels).sum())
    model.train(was_training)
    return ClassScore(loss / len(examples), right / len(examples), len(examples))
