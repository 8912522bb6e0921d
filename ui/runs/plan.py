"""What a training run needs, checked; or how it makes that itself."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from gptcore.finetuning import TaskClassifier
from gptcore.model import GPT
from gptcore.observation import ObservationPlan
from gptcore.tokenizers import Tokenizer
from gptcore.training import Batches, Objective
from ui.runs.run_state import RunFacts

Scoring = Generator[None, None, tuple[float, float]]  # in parts: (loss in nats, accuracy or NaN)


@dataclass(frozen=True)
class Plan:
    """Everything that a run needs, checked.

    Attributes:
        facts: what is known of it.
        model: makes what is trained, with its initial weights: a GPT, or a classifier around one.
        tokenizer: of the text.
        data: batches.
        evaluate: scores what is trained on held-out data, quickly or on all of it.
        watched: what the snapshots record.
        objective: builds the loss from the model; None for the model's own.
        on_plain: the loss on held-out plain stories, which a run must not forget; None where there are none.
        keeps_best: whether it ends with the weights that did best on what is held out, where that is measured as it
            learns.
    """

    facts: RunFacts
    model: Callable[[], GPT | TaskClassifier]
    tokenizer: Tokenizer
    data: Batches
    evaluate: Callable[[Any, bool], Scoring]
    watched: ObservationPlan
    objective: Callable[[Any], Objective] | None = None
    on_plain: Callable[[GPT], Generator[None, None, float]] | None = None
    keeps_best: bool = False


@dataclass(frozen=True)
class Preparation:
    """A plan that the run makes itself, before its first update.

    Attributes:
        facts: what is known of the run until then.
        prepare: makes it, with sentences on how far it is.
    """

    facts: RunFacts
    prepare: Callable[[], Generator[str, None, Plan]]
