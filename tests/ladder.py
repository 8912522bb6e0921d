"""Measures the ancestors of a GPT on one text, and a GPT with MLPs of several sizes:

`python -m tests.ladder ui/handlers/ladder.json` (about 40 minutes on one core; goes on where it was stopped). With
`--norms ui/handlers/parameters/norms.json` instead, what becomes of a deep, narrow GPT with its norms before and after
each part, with a warm-up and without (three minutes).

All read the built-in anthology in characters, every tenth document held out, with the same batches, optimiser and
schedule. The loss is that of the held-out text in nats a character, where each has at least 32 characters before it.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.config import PRESETS, GPTConfig
from gptcore.corpora import corpus
from gptcore.model import random_model
from gptcore.tokenizers import CharTokenizer
from gptcore.training import RandomWindows, Source, StepEvent, Trainer, TrainingConfig
from gptcore.training.baselines import ngram_losses
from gptcore.training.data import split, tokenize

_WINDOW, _BATCH, _SEED = 64, 48, 1
_UPDATES, _WARMUP, _RATE = 1_500, 100, 2e-3
# A shape and a rate at which the place of the norm decides whether a run without a warm-up learns anything.
_DEEP = GPTConfig(vocab_size=1, n_positions=32, n_layer=12, n_head=4, n_embd=64)
_DEEP_BATCH, _DEEP_RATE, _DEEP_UPDATES, _DEEP_WARMUP, _POINT = 16, 1e-3, 300, 100, 5
_WIDTHS = {"½": 64, "1": 128, "2": 256, "8": 1024}  # inner sizes, besides none and 4 times the 128 channels


class ContextMLP(nn.Module):
    """A few characters, each at its own place, through one hidden layer. Source: Bengio et al. 2003."""

    def __init__(self, vocab_size: int, context: int = 3, embedded: int = 10, hidden: int = 200) -> None:
        super().__init__()
        self.context = context
        self.table = nn.Embedding(vocab_size + 1, embedded)  # the last row: before the text
        self.layers = nn.Sequential(nn.Linear(context * embedded, hidden), nn.Tanh(), nn.Linear(hidden, vocab_size))

    def forward(self, ids: Tensor) -> Tensor:
        """int64 [B, T] -> logits [B, T, V]."""
        return self.layers(self.table(_contexts(ids, self.context, self.table.num_embeddings - 1)).flatten(2))


class WaveNet(nn.Module):
    """Eight characters, joined two by two in three layers. Source: van den Oord et al. 2016, as a tree."""

    def __init__(self, vocab_size: int, context: int = 8, embedded: int = 24, hidden: int = 128) -> None:
        super().__init__()
        self.context = context
        self.table = nn.Embedding(vocab_size + 1, embedded)
        widths = [embedded, *[hidden] * int(math.log2(context))]
        self.joins = nn.ModuleList(nn.Linear(2 * a, b, bias=False) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(nn.BatchNorm1d(hidden) for _ in self.joins)
        self.head = nn.Linear(hidden, vocab_size)

    def forward(self, ids: Tensor) -> Tensor:
        """int64 [B, T] -> logits [B, T, V]."""
        x = self.table(_contexts(ids, self.context, self.table.num_embeddings - 1))  # [B, T, context, C]
        for join, norm in zip(self.joins, self.norms, strict=True):
            x = join(x.unflatten(2, (-1, 2)).flatten(3))  # [B, T, half as many, hidden]
            x = torch.tanh(norm(x.flatten(0, 2)).view_as(x))
        return self.head(x[:, :, 0])


def _contexts(ids: Tensor, n: int, before: int) -> Tensor:
    """[B, T] -> [B, T, n]: each position with the n - 1 before it."""
    return F.pad(ids, (n - 1, 0), value=before).unfold(1, n, 1)


def train(model: nn.Module, read: Callable[[Tensor], Tensor], text: np.ndarray, *, updates: int = _UPDATES) -> None:
    """AdamW with warm-up and a cosine to 0, on random windows that are the same for every model."""
    generator = torch.Generator().manual_seed(_SEED)
    torch.manual_seed(_SEED)  # dropout
    optimiser = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=0.1, betas=(0.9, 0.95))
    data = torch.from_numpy(text.astype(np.int64))
    model.train()
    for step in range(updates):
        share = (step + 1) / _WARMUP if step < _WARMUP else 0.5 * (1 + math.cos(math.pi * step / updates))
        for group in optimiser.param_groups:
            group["lr"] = _RATE * share
        starts = torch.randint(len(data) - _WINDOW - 1, (_BATCH,), generator=generator)
        rows = torch.stack([data[start : start + _WINDOW + 1] for start in starts])
        loss = F.cross_entropy(read(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()


@torch.inference_mode()
def held_out(model: nn.Module, read: Callable[[Tensor], Tensor], text: np.ndarray) -> float:
    """Nats a character of the second half of every window, windows half a window apart."""
    model.eval()
    data = torch.from_numpy(text.astype(np.int64))
    rows = data.unfold(0, _WINDOW + 1, _WINDOW // 2)
    losses = [
        F.cross_entropy(read(part[:, :-1])[:, _WINDOW // 2 :].flatten(0, 1), part[:, 1 + _WINDOW // 2 :].flatten())
        * len(part)
        for part in rows.split(64)
    ]
    return float(torch.stack(losses).sum() / len(rows))


def measure(updates: int, found: dict[str, Any], save: Callable[[], None]) -> None:
    """Adds what is missing to `found`: by name {"loss", "parameters"}."""
    documents = corpus("anthology")
    tokenizer = CharTokenizer.train("".join(documents))
    texts = [tokenize(part, tokenizer) for part in split(documents)]
    V = tokenizer.vocab_size
    lesson = replace(PRESETS["char-day19"], vocab_size=V)
    shapes = {
        "attention": replace(lesson, use_mlp=False),
        "gpt": lesson,
        **{f"inner {name}": replace(lesson, n_inner=size) for name, size in _WIDTHS.items()},
    }
    found |= {"vocabulary": V, "updates": updates, "characters": updates * _BATCH * _WINDOW}
    if "bigram" not in found:
        found["bigram"] = {"loss": ngram_losses(*texts, V)[1], "parameters": V * V}
    makers: dict[str, Callable[[], nn.Module]] = {
        "mlp": lambda: ContextMLP(V),
        "wavenet": lambda: WaveNet(V),
        **{name: lambda shape=shape: random_model(shape, _SEED) for name, shape in shapes.items()},
    }
    for name, make in makers.items():
        if name in found:
            continue
        torch.manual_seed(_SEED)
        model = make()
        read = (lambda ids, model=model: model(ids).logits) if name in shapes else model
        train(model, read, texts[0], updates=updates)
        count = sum(parameter.numel() for parameter in model.parameters())
        found[name] = {"loss": round(held_out(model, read, texts[1]), 4), "parameters": count}
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
