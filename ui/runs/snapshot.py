"""Curve of a training run, and snapshots of its model."""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
import torch

from gptcore.analysis import HeadScores, attention_patterns, repeated_token_scores
from gptcore.inference.generation import generate, last_logits
from gptcore.language_model import LanguageModel
from gptcore.training.loop import StepEvent
from gptcore.zero_shot.evaluation import Trial, quick_accuracies

_MOST_ROWS = 1600  # of a curve; then they are merged


class Curve:
    """The curve of a run, downsampled for a plot: [step, loss, rate, gradient norm, seconds,
    terms].

    When there are too many rows, neighbours are merged in pairs: losses, norms and terms are
    averaged, the rest comes from the later one. For the terms see StepEvent.

    Attributes:
        rows: what is kept.
        version: incremented when rows are merged, so that a reader knows to start over.
    """

    def __init__(self) -> None:
        self.rows: list[list[float]] = []
        self.version = 0
        self._stride, self._open = 1, list[StepEvent]()

    def add(self, event: StepEvent) -> None:
        """Takes one update."""
        self._open.append(event)
        if len(self._open) < self._stride:
            return
        loss, norm = (
            fmean(getattr(item, name) for item in self._open) for name in ("loss", "grad_norm")
        )
        terms = map(fmean, zip(*(item.terms for item in self._open), strict=True))
        self.rows.append([event.step, loss, event.learning_rate, norm, event.elapsed, *terms])
        self._open = []
        if len(self.rows) >= _MOST_ROWS:
            merged = list[list[float]]()
            for a, b in zip(self.rows[::2], self.rows[1::2], strict=False):
                mean = [(left + right) / 2 for left, right in zip(a, b, strict=True)]
                merged.append([b[0], mean[1], b[2], mean[3], b[4], *mean[5:]])
            self.rows, self._stride, self.version = merged, 2 * self._stride, self.version + 1


@dataclass(frozen=True)
class Snapshot:
    """The model at one point in its training."""

    step: int  # updates made
    elapsed: float  # seconds of training
    valid_loss: float  # nats per token, or per label, on held-out data, or NaN without any
    text: str  # what it writes after the fixed prompt, with the fixed seed
    probabilities: np.ndarray  # of every token after the prompt, float16 [V]
    scores: HeadScores  # what its heads do on repeated random tokens
    # where they look on the fixed tokens, uint8 [n_layer, n_head, T, T], 255 for all attention
    maps: np.ndarray
    accuracy: float = math.nan  # on held-out labels, or NaN without any
    # zero-shot accuracy by task; empty if no task is watched
    tasks: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SnapshotPlan:
    """The inputs of a run's snapshots, the same at every one."""

    prompt: Sequence[int]  # token ids that are continued; at least one
    seed: int  # of the continuation
    n_new: int  # tokens to write
    looked_at: Sequence[int]  # token ids whose attention maps are kept
    trials: Sequence[Trial] = ()  # tasks to evaluate


def take_snapshot(
    lm: LanguageModel,
    watched: SnapshotPlan,
    *,
    step: int,
    elapsed: float,
    valid_loss: float,
    accuracy: float,
) -> Generator[None, None, Snapshot]:
    """Observes a model in small steps; it must not change meanwhile, see
    `gptcore.weights.hf_format.clone`.
    """
    text = ""
    n = watched.n_new
    seed = watched.seed
    for token in generate(
        lm, watched.prompt, max_new_tokens=n, temperature=0.8, seed=seed, n_alternatives=0
    ):
        text += token.text
        yield
    probabilities = last_logits(lm.model, watched.prompt).softmax(-1).numpy().astype(np.float16)
    maps = (
        (attention_patterns(lm.model, watched.looked_at) * 255)
        .round()
        .to(torch.uint8)
        .cpu()
        .numpy()
    )
    yield
    tasks = quick_accuracies(lm, watched.trials) if watched.trials else {}
    yield
    scores = repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id, n_texts=2)
    return Snapshot(step, elapsed, valid_loss, text, probabilities, scores, maps, accuracy, tasks)
