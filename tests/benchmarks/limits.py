"""What two of a machine's parts can do at best, and how near to that a figure comes.

python tests/benchmarks/limits.py
"""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

from gptcore.linear import Linear

_SIDE = 1024  # of the square matrices
# the seconds after which fewer rounds must do
_ROUNDS = 8
_PATIENCE = 2.0


@cache
def memory_rate() -> float:
    """Bytes a second at which torch's threads read memory: the best of several sums of 400 MB."""
    large = torch.ones(100_000_000)
    return large.numel() * large.element_size() / _best(large.sum)


@cache
@torch.inference_mode()
def arithmetic_rate(dtype: torch.dtype = torch.float32) -> float:
    """Floating-point operations a second in products of large matrices, by the fastest library that
    torch has here.
    """
    one = torch.randn(_SIDE, _SIDE, dtype=dtype)
    ways: list[Callable[[], torch.Tensor]] = [lambda: one @ one]
    if dtype == torch.float32:
        layer = Linear(_SIDE, _SIDE)
        ways.append(lambda: layer(one))
    return 2 * _SIDE**3 / min(_best(way) for way in ways)


def n_read(model: torch.nn.Module) -> int:
    """Weights that a step of decoding reads: all matrices but the embeddings of positions, tied
    ones once.
    """
    matrices = {
        id(p): p.numel()
        for name, p in model.named_parameters()
        if p.ndim == 2 and name != "wpe.weight"
    }
    return sum(matrices.values()) - (
        0 if model.config.tie_word_embeddings else model.wte.weight.numel()
    )


def told(found: float, best: float, what: str) -> str:
    """A figure's limit and the share of it that is reached, for the end of a line; `best` in the
    figure's unit.
    """
    share = min(found, best) / max(found, best)
    return f"   limit {best:,.0f} ({what}), share {share:.2f}"


def in_turn(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each, in turn, so that a busy moment hits all alike, after a first call
    that warms up.
    """
    seconds: dict[str, list[float]] = {variant: [] for variant in variants}
    for _ in range(rounds + 1):
        for variant, run in variants.items():
            began = time.perf_counter()
            run()
            seconds[variant].append(time.perf_counter() - began)
    return {variant: statistics.median(times[1:]) for variant, times in seconds.items()}


def _best(work: Callable[[], torch.Tensor]) -> float:
    """Seconds of the fastest of several calls."""
    seconds: list[float] = []
    while len(seconds) < _ROUNDS and sum(seconds) < _PATIENCE:
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


if __name__ == "__main__":
    print(f"memory {memory_rate() / 1e9:.1f} GB/s, {torch.get_num_threads()} threads")
    for dtype in (torch.float32, torch.bfloat16):
        print(f"arithmetic {arithmetic_rate(dtype) / 1e9:.0f} GFLOPS, {dtype}")
