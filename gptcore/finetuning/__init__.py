"""Fine-tuning as the GPT-1 paper describes it: inputs for tasks, a classifier, and its training."""

from gptcore.finetuning.classification import (
    ClassScore,
    LabelledBatches,
    TaskClassifier,
    classification_config,
    evaluate_classifier,
)
from gptcore.finetuning.inputs import (
    EncodedExample,
    SpecialTokens,
    classification,
    entailment,
    multiple_choice,
    similarity,
)

__all__ = [
    "ClassScore",
    "EncodedExample",
    "LabelledBatches",
    "SpecialTokens",
    "TaskClassifier",
    "classification",
    "classification_config",
    "entailment",
    "evaluate_classifier",
    "multiple_choice",
    "similarity",
]
