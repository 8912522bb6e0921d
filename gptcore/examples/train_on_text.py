"""Trains a small model on your text with a tokenizer of your own, and saves both.

`python -m gptcore.examples.train_on_text FILE FOLDER`; the folder opens with `gptcore.load`, and
with transformers.
"""

import sys
from pathlib import Path

import torch

import gptcore
from gptcore import training
from gptcore.inference.scoring import TextScore, score_documents
from gptcore.tokenizers import CharTokenizer

if len(sys.argv) < 3:
    sys.exit("Give a text file and a folder: python -m gptcore.examples.train_on_text FILE FOLDER")
documents = Path(sys.argv[1]).read_text(encoding="utf-8").split("\n\n")
# ByteBPE.train(documents, vocab_size=1000) learns word pieces instead.
tokenizer = CharTokenizer.train("".join(documents))
train, valid = training.split(documents)
held_out = training.encoded(valid, tokenizer)
start_id = 0 if tokenizer.end_id is None else tokenizer.end_id  # stands in front of each document

torch.manual_seed(1)
V = tokenizer.vocab_size
shape = gptcore.GPTConfig(vocab_size=V, n_positions=64, n_embd=64, n_layer=2, n_head=2)
model = gptcore.GPT(shape)
source = training.Source(training.tokenize(train, tokenizer))
batches = training.RandomWindows([source], window=64, batch_size=8)
config = training.TrainingConfig(max_steps=50, batch_size=8, warmup_steps=5, eval_every=25)


def evaluate() -> TextScore:
    """The model's score on the documents that are held out."""
    return score_documents(model, held_out, start_id=start_id)


for event in training.Trainer(model, config, batches, evaluate=evaluate).events():
    if not isinstance(event, training.StepEvent):
        print(event)
    elif event.step % 10 == 0:
        print(f"{event.step}: loss {event.loss:.3f}, learning rate {event.learning_rate:.1e}")
gptcore.save_folder(sys.argv[2], model, tokenizer)
