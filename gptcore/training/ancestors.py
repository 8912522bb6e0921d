"""Character-level ancestors of a GPT: an MLP on three characters, a WaveNet on eight, attention without MLPs.

All train on the same batches with the same optimiser and schedule, so that their losses are comparable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.config import PRESETS, GPTConfig
from gptcore.model import GPT, random_model

WINDOW, BATCH = 64, 48
_SEED, _RATE, _WARMUP = 1, 2e-3, 1 / 15  # of the updates
_TOGETHER = 64  # held-out windows in one pass


class ContextMLP(nn.Module):
    """The embeddings of the last few characters, concatenated, through one hidden layer. Source: Bengio et al. 2003."""

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


def ancestors(shapes: Mapping[str, GPTConfig], vocab_size: int) -> dict[str, Callable[[], nn.Module]]:
    """Factories of the models, all with the same seed: "mlp", "wavenet", and a GPT of each shape under its name."""
    makers: dict[str, Callable[[], nn.Module]] = {
        "mlp": lambda: ContextMLP(vocab_size),
        "wavenet": lambda: WaveNet(vocab_size),
        **{name: lambda shape=shape: random_model(shape, _SEED) for name, shape in shapes.items()},
    }
    return {name: lambda make=make: _seeded(make) for name, make in makers.items()}


def lesson_shapes(vocab_size: int, *, dropout: bool = True) -> dict[str, GPTConfig]:
    """The lesson's GPT as "gpt", and without its MLPs as "attention"."""
    lesson = replace(PRESETS["char-day19"], vocab_size=vocab_size)
    if not dropout:
        lesson = replace(lesson, embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0)
    return {"attention": replace(lesson, use_mlp=False), "gpt": lesson}


def learn(model: nn.Module, text: np.ndarray, updates: int) -> Iterator[float]:
    """AdamW with warm-up and a cosine to 0, on random windows that are the same for every model.

    Args:
        model: gives logits [B, T, V], or is a GPT.
        text: integers [N].
        updates: how many.

    Yields:
        the training loss of each update, nats a character.
    """
    generator = torch.Generator().manual_seed(_SEED)
    optimiser = torch.optim.AdamW(model.parameters(), lr=_RATE, weight_decay=0.1, betas=(0.9, 0.95))
    data = torch.from_numpy(text.astype(np.int64))
    warmup = max(1, round(updates * _WARMUP))
    model.train()
    for step in range(updates):
        share = (step + 1) / warmup if step < warmup else 0.5 * (1 + math.cos(math.pi * step / updates))
        for group in optimiser.param_groups:
            group["lr"] = _RATE * share
        starts = torch.randint(len(data) - WINDOW, (BATCH,), generator=generator)
        rows = torch.stack([data[start : start + WINDOW + 1] for start in starts])
        loss = F.cross_entropy(_logits(model, rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        yield loss.item()


@torch.inference_mode()
def held_out(model: nn.Module, text: np.ndarray) -> float:
    """Held-out loss in nats per character, on the second half of windows that overlap by half."""
    model.eval()
    data = torch.from_numpy(text.astype(np.int64))
    rows = data.unfold(0, WINDOW + 1, WINDOW // 2)
    losses = [
        F.cross_entropy(
            _logits(model, part[:, :-1])[:, WINDOW // 2 :].flatten(0, 1), part[:, 1 + WINDOW // 2 :].flatten()
        )
        * len(part)
        for part in rows.split(_TOGETHER)
    ]
    return float(torch.stack(losses).sum() / len(rows))


@dataclass(frozen=True)
class Rung:
    """The training progress of one model.

    Attributes:
        name: "mlp", "wavenet", "attention" or "gpt".
        parameters: number of parameters.
        done: updates made.
        loss: of the training text, and of the held-out one once all updates are done.
    """

    name: str
    parameters: int
    done: int
    loss: float


def climb(train: np.ndarray, valid: np.ndarray, vocab_size: int, updates: int) -> Iterator[Rung]:
    """Trains the models in turn, from the MLP to the GPT, without dropout; yields after every update."""
    for name, make in ancestors(lesson_shapes(vocab_size, dropout=False), vocab_size).items():
        model = make()
        count = sum(parameter.numel() for parameter in model.parameters())
        for done, loss in enumerate(learn(model, train, updates), 1):
            yield Rung(name, count, done, held_out(model, valid) if done == updates else loss)


def _logits(model: nn.Module, ids: Tensor) -> Tensor:
    return model(ids).logits if isinstance(model, GPT) else model(ids)


def _seeded(make: Callable[[], nn.Module]) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        return make()


def _contexts(ids: Tensor, n: int, before: int) -> Tensor:
    """[B, T] -> [B, T, n]: each position with the n - 1 before it."""
    return F.pad(ids, (n - 1, 0), value=before).unfold(1, n, 1)
