"""What a training run follows: a plan, or a preparation that makes one before the first update."""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from gptcore.finetuning import TaskClassifier
from gptcore.model import GPT
from gptcore.tokenizers import Tokenizer
from gptcore.training import Batches, Objective
from ui.runs.run_state import RunFacts
from ui.runs.snapshot import SnapshotPlan

Scoring = Generator[None, None, tuple[float, float]]  # in parts: (loss in nats, accuracy or NaN)


@dataclass(frozen=True)
class Plan:
    """Everything that a run needs, checked."""

    facts: RunFacts  # what is known of it
    # makes what is trained, with its initial weights: a GPT, or a classifier around one
    model: Callable[[], GPT | TaskClassifier]
    tokenizer: Tokenizer  # of the text
    data: Batches  # batches
    # scores what is trained on held-out data, quickly or on all of it
    evaluate: Callable[[Any, bool], Scoring]
    watched: SnapshotPlan  # what the snapshots record
    objective: Callable[[Any], Objective] | None = (
        None  # builds the loss from the model; None for the model's own
    )
    # the loss on held-out plain stories, which a run must not forget; None where there are none
    on_plain: Callable[[GPT], Generator[None, None, float]] | None = None
    # whether it ends with the weights that did best on what is held out, where that is measured as
    # it learns
    keeps_best: bool = False


@dataclass(frozen=True)
class Preparation:
    """A plan that the run makes itself, before its first update."""

    facts: RunFacts  # what is known of the run until then
    prepare: Callable[[], Generator[str, None, Plan]]  # makes it, with sentences on how far it is
    apart: bool = (
        False  # whether in a thread of its own, because it calls libraries for seconds at a time
    )
    seconds: float = math.inf  # that it may take
