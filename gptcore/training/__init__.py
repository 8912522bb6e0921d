"""Training: configuration, data, optimiser and schedule, and the loop that yields events."""

from gptcore.training.config import TrainingConfig
from gptcore.training.data import (
    Batches,
    RandomWindows,
    RepeatedSequences,
    Source,
    encoded_documents,
    read_documents,
    token_file,
    tokenize,
)
from gptcore.training.loop import EndEvent, EvalEvent, StepEvent, Trainer, TrainingEvent
from gptcore.training.optimizer import learning_rate, make_optimizer

__all__ = [
    "Batches",
    "EndEvent",
    "EvalEvent",
    "RandomWindows",
    "RepeatedSequences",
    "Source",
    "StepEvent",
    "Trainer",
    "TrainingConfig",
    "TrainingEvent",
    "encoded_documents",
    "learning_rate",
    "make_optimizer",
    "read_documents",
    "token_file",
    "tokenize",
]
