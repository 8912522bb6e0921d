"""Fine-tunes a classifier as the GPT-1 paper does (section 3.2), with the language-model loss
beside its own.

`python -m gptcore.examples.finetune_classifier [MODEL]`
"""

import sys

import torch

import gptcore
from gptcore.finetuning import LabelledBatches, TaskClassifier, classification, evaluate_classifier
from gptcore.training import Trainer, TrainingConfig

# outside, inside
PLACES = {0: ["park", "garden", "forest", "lake"], 1: ["kitchen", "bedroom", "shop", "school"]}
SENTENCES = [
    "Tom was in the {}.",
    "Lily ran to the {}.",
    "They all met at the {}.",
    "The {} was big and quiet.",
]

lm = gptcore.load(*sys.argv[1:2])
model = TaskClassifier(lm.model, n_classes=2, generator=torch.Generator().manual_seed(1))
examples = [
    classification(
        lm.tokenizer.encode(sentence.format(place)), label, tokens=model.tokens, window=32
    )
    for label, places in PLACES.items()
    for place in places
    for sentence in SENTENCES
]
batches = LabelledBatches(examples, batch_size=8)
config = TrainingConfig(max_steps=20, batch_size=8, learning_rate=3e-4, warmup_steps=2)
print("before:", evaluate_classifier(model, examples))
for _ in Trainer(model, config, batches).events():
    pass
print("after: ", evaluate_classifier(model, examples))
