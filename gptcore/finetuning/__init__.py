"""Fine-tuning as the GPT-1 paper describes it: inputs for tasks, a classifier, and its training."""

from gptcore.finetuning.bag_of_words import BagOfWords, best_bag_of_words
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
    "BagOfWords",
    "ClassScore",
    "EncodedExample",
    "LabelledBatches",
    "SpecialTokens",
    "TaskClassifier",
    "best_bag_of_words",
    "classification",
    "classification_config",
    "entailment",
    "evaluate_classifier",
    "multiple_choice",
    "similarity",
]
