"""Measures a deep, narrow GPT with its norms before and after each part, with a warm-up and without.

`python -m tests.tools.norms ui/lenses/parameters/handlers/norms.json`. All runs read the built-in anthology,
in characters and in the same batches; three minutes.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gptcore.config import GPTConfig
from gptcore.corpora import corpus
from gptcore.model import random_model
from gptcore.tokenizers import CharTokenizer
from gptcore.training import RandomWindows, Source, StepEvent, Trainer, TrainingConfig
from gptcore.training.data import split, tokenize

# A shape and a rate at which the place of the norm decides whether a run without a warm-up learns anything.
_SHAPE = GPTConfig(vocab_size=1, n_positions=32, n_layer=12, n_head=4, n_embd=64)
_BATCH, _RATE, _UPDATES, _WARMUP, _POINT = 16, 1e-3, 300, 100, 5


def measure(updates: int, seeds: Sequence[int] = (1, 2, 3)) -> dict[str, Any]:
    """Training loss in nats a character: of the first seed as a curve, of every seed over the last 20 updates."""
    documents = corpus("anthology")
    tokenizer = CharTokenizer.train("".join(documents))
    text = Source(tokenize(split(documents)[0], tokenizer))
    shape = replace(_SHAPE, vocab_size=tokenizer.vocab_size, embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0)
    found: dict[str, Any] = {
        "layers": shape.n_layer, "width": shape.n_embd, "window": shape.n_positions, "batch": _BATCH,
        "rate": _RATE, "updates": updates, "warmup": min(_WARMUP, updates // 3), "every": _POINT, "runs": {},
    }  # fmt: skip
    for name, position, warmup in (("pre", "pre", 0), ("post", "post", 0), ("post, warm-up", "post", found["warmup"])):
        curves = []
        for seed in seeds:
            config = TrainingConfig(
                max_steps=updates, batch_size=_BATCH, learning_rate=_RATE, warmup_steps=warmup, seed=seed
            )
            data = RandomWindows([text], window=shape.n_positions, batch_size=_BATCH)
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
    target = parser.parse_args().target
    target.write_text(json.dumps(measure(_UPDATES)) + "\n")


if __name__ == "__main__":
    main()
