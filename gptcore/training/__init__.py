"""Training: configuration, data, optimiser and schedule, and the loop that yields events."""

from gptcore.training.config import TrainingConfig
from gptcore.training.data import (
    Batches,
    OneBatch,
    RandomWindows,
    RepeatedSequences,
    Rows,
    Source,
    UnigramNoise,
    encoded,
    generator_for,
    ngram_losses,
    split,
    token_file,
    tokenize,
)
from gptcore.training.distributed import Workers, leave, workers_from_environment
from gptcore.training.loop import (
    EndEvent,
    EvalEvent,
    Objective,
    StepEvent,
    Sum,
    Trainer,
    TrainingEvent,
)
from gptcore.training.optimizer import learning_rate, make_optimizers
