"""Trains a small model on your text with a tokenizer of your own, and saves both.

`python -m gptcore.examples.train_on_text FILE FOLDER`; the folder opens with `gptcore.load`, and with transformers.
"""

import sys
from pathlib import Path

import torch

import gptcore
from gptcore.inference.scoring import score_documents
from gptcore.tokenizers import CharTokenizer
from gptcore.training import RandomWindows, Source, StepEvent, Trainer, TrainingConfig, encoded, split, tokenize

if len(sys.argv) < 3:
    sys.exit("Give a text file and a folder: python -m gptcore.examples.train_on_text FILE FOLDER")
documents = Path(sys.argv[1]).read_text(encoding="utf-8").split("\n\n")
tokenizer = CharTokenizer.train("".join(documents))  # ByteBPE.train(documents, vocab_size=1000) learns word pieces
train, valid = split(documents)
config = TrainingConfig(max_steps=50, batch_size=8, warmup_steps=5, eval_every=25)
shape = gptcore.GPTConfig(vocab_size=tokenizer.vocab_size, n_positions=64, n_embd=64, n_layer=2, n_head=2)
torch.manual_seed(config.seed)
model = gptcore.GPT(shape)
windows = RandomWindows([Source(tokenize(train, tokenizer))], window=shape.n_positions, batch_size=config.batch_size)
held_out = encoded(valid, tokenizer)
start_id = 0 if tokenizer.end_id is None else tokenizer.end_id  # stands in front of each document
trainer = Trainer(model, config, windows, evaluate=lambda: score_documents(model, held_out, start_id=start_id))
for event in trainer.events():
    if not isinstance(event, StepEvent):
        print(event)
    elif event.step % 10 == 0:
        print(f"{event.step}: loss {event.loss:.3f}, learning rate {event.learning_rate:.1e}")
gptcore.save_folder(sys.argv[2], model, tokenizer)
