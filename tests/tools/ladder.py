"""Measures the ancestors of a GPT on one text, and a GPT with MLPs of several sizes:

`python -m tests.tools.ladder ui/handlers/ladder.json` (40 minutes on one core; goes on where it stopped). With
`--norms ui/handlers/parameters/norms.json` instead, what becomes of a deep, narrow GPT with its norms before and after
each part, with a warm-up and without (three minutes).

All read the built-in anthology in characters, every tenth document held out, with the same batches, optimiser and
schedule. The loss is that of the held-out text in nats a character, where each has at least 32 characters before it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gptcore.config import GPTConfig
from gptcore.corpora import corpus
from gptcore.model import random_model
from gptcore.tokenizers import CharTokenizer
from gptcore.training import RandomWindows, Source, StepEvent, Trainer, TrainingConfig
from gptcore.training.ancestors import BATCH, WINDOW, ancestors, held_out, learn, lesson_shapes
from gptcore.training.baselines import ngram_losses
from gptcore.training.data import split, tokenize

_UPDATES, _SEED = 1_500, 1
# A shape and a rate at which the place of the norm decides whether a run without a warm-up learns anything.
_DEEP = GPTConfig(vocab_size=1, n_positions=32, n_layer=12, n_head=4, n_embd=64)
_DEEP_BATCH, _DEEP_RATE, _DEEP_UPDATES, _DEEP_WARMUP, _POINT = 16, 1e-3, 300, 100, 5
_WIDTHS = {"½": 64, "1": 128, "2": 256, "8": 1024}  # inner sizes, besides none and 4 times the 128 channels


def measure(updates: int, found: dict[str, Any], save: Callable[[], None]) -> None:
    """Adds what is missing to `found`: by name {"loss", "parameters"}."""
    documents = corpus("anthology")
    tokenizer = CharTokenizer.train("".join(documents))
    texts = [tokenize(part, tokenizer) for part in split(documents)]
    V = tokenizer.vocab_size
    shapes = lesson_shapes(V)
    shapes |= {f"inner {name}": replace(shapes["gpt"], n_inner=size) for name, size in _WIDTHS.items()}
    found |= {"vocabulary": V, "updates": updates, "characters": updates * BATCH * WINDOW}
    if "bigram" not in found:
        found["bigram"] = {"loss": ngram_losses(*texts, V)[1], "parameters": V * V}
    for name, make in ancestors(shapes, V).items():
        if name in found:
            continue
        model = make()
        torch.manual_seed(_SEED)  # dropout
        for _ in learn(model, texts[0], updates):
            pass
        count = sum(parameter.numel() for parameter in model.parameters())
        found[name] = {"loss": round(held_out(model, texts[1]), 4), "parameters": count}
        print(name, found[name], flush=True)
        save()


def measure_norms(updates: int, seeds: Sequence[int] = (1, 2, 3)) -> dict[str, Any]:
    """Training loss in nats a character: of the first seed as a curve, of every seed over the last 20 updates."""
    documents = corpus("anthology")
    tokenizer = CharTokenizer.train("".join(documents))
    text = Source(tokenize(split(documents)[0], tokenizer))
    shape = replace(_DEEP, vocab_size=tokenizer.vocab_size, embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0)
    found: dict[str, Any] = {
        "layers": shape.n_layer, "width": shape.n_embd, "window": shape.n_positions, "batch": _DEEP_BATCH,
        "rate": _DEEP_RATE, "updates": updates, "warmup": min(_DEEP_WARMUP, updates // 3), "every": _POINT, "runs": {},
    }  # fmt: skip
    for name, position, warmup in (("pre", "pre", 0), ("post", "post", 0), ("post, warm-up", "post", found["warmup"])):
        curves = []
        for seed in seeds:
            config = TrainingConfig(
                max_steps=updates, batch_size=_DEEP_BATCH, learning_rate=_DEEP_RATE, warmup_steps=warmup, seed=seed
            )
            data = RandomWindows([text], window=shape.n_positions, batch_size=_DEEP_BATCH)
            trainer = Trainer(random_model(replace(shape, norm_position=position), seed), config, data)
            curves.append([event.loss for event in trainer.events() if isinstance(event, StepEvent)])
        means = np.array(curves[0][: updates // _POINT * _POINT]).reshape(-1, _POINT).mean(-1)
        last = [round(float(np.mean(curve[-20:])), 3) for curve in curves]
        found["runs"][name] = {"curve": [round(float(loss), 3) for loss in means], "last": last}
        print(name, last, flush=True)
    return found


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path, help="JSON to write")
    parser.add_argument("--updates", type=int, default=_UPDATES, help="of each model")
    parser.add_argument("--norms", action="store_true", help="measure the place of the norm")
    options = parser.parse_args()
    if options.norms:
        options.target.write_text(json.dumps(measure_norms(_DEEP_UPDATES)) + "\n")
        return
    found = json.loads(options.target.read_text()) if options.target.is_file() else {}
    measure(options.updates, found, lambda: options.target.write_text(json.dumps(found, indent=1) + "\n"))


if __name__ == "__main__":
    main()
