"""What `tests/tools/norms.py` recorded: a deep, narrow GPT with its norms before and after each part."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".json")
PRE, POST, WARMED = "pre", "post", "post, warm-up"
TITLES = {
    PRE: "pre-norm (GPT-2), no warm-up",
    POST: "post-norm (GPT-1), no warm-up",
    WARMED: "post-norm (GPT-1), with a warm-up",
}
_CLEARLY = 0.2  # nats per character: a gap larger than seed noise


@dataclass(frozen=True)
class Norms:
    """Runs that differ in the place of the norm and in the warm-up alone."""

    # layers, width: of the model
    layers: int
    width: int
    rate: float  # peak learning rate
    # updates, warmup: of each run, and of its warm-up where it has one
    updates: int
    warmup: int
    every: int  # updates between two points of a curve
    curves: Mapping[str, Sequence[float]]  # training loss in nats a letter, of the first seed, by PRE, POST and WARMED
    last: Mapping[str, Sequence[float]]  # the same over the last 20 updates, one for each seed


@cache
def recorded() -> Norms:
    """The runs in the file."""
    norms = json.loads(_FILE.read_text(encoding="utf-8"))
    runs = norms["runs"]
    return Norms(
        **{name: norms[name] for name in ("layers", "width", "rate", "updates", "warmup", "every")},
        curves={name: run["curve"] for name, run in runs.items()},
        last={name: run["last"] for name, run in runs.items()},
    )


def verdict(made: Norms) -> str:
    """What became of post-norm, in words."""
    stuck = min(made.last[POST]) - max(made.last[PRE]) > _CLEARLY
    helped = min(made.last[POST]) - max(made.last[WARMED]) > _CLEARLY
    end, warmed = f"{made.last[POST][0]:.2f}", f"{made.last[WARMED][0]:.2f}"
    if not stuck:
        return f"learns as well ({end})"
    rescued = f"{made.warmup} updates of warm-up bring it to {warmed}"
    return f"is stuck at {end}, the unigram baseline; " + (rescued if helped else f"so with one ({warmed})")
