"""What a script of commit 7b0ed62 recorded: a deep, narrow GPT with its norms before and after each
part.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_suffix(".json")
PRE = "pre"
POST = "post"
WARMED = "post, warm-up"
TITLES = {
    PRE: "pre-norm (GPT-2), no warm-up",
    POST: "post-norm (GPT-1), no warm-up",
    WARMED: "post-norm (GPT-1), with a warm-up",
}
_CLEARLY = 0.2  # nats per character: a gap larger than seed noise


@cache
def recorded() -> dict[str, Any]:
    """The runs in the file, which differ in the place of the norm and in the warm-up alone.

    `layers` and `width` are the model's, `rate` the peak; `updates` are each run's, `warmup` those
    of a warm-up, `every` those between two points of a curve. `runs` has by PRE, POST and WARMED
    the training loss in nats a letter: as a `curve` of the first seed, and over the `last` 20
    updates of every seed.
    """
    return json.loads(_FILE.read_text(encoding="utf-8"))


def verdict(made: Mapping[str, Any]) -> str:
    """Describes in words how well post-norm learned, and whether a warm-up helped it."""
    pre, post, warmed = (made["runs"][name]["last"] for name in (PRE, POST, WARMED))
    if min(post) - max(pre) <= _CLEARLY:
        return f"learns as well ({post[0]:.2f})"
    helped = min(post) - max(warmed) > _CLEARLY
    rescued = f"{made['warmup']} updates of warm-up bring it to {warmed[0]:.2f}"
    ends = f"is stuck at {post[0]:.2f}, the unigram baseline; "
    return ends + (rescued if helped else f"so with one ({warmed[0]:.2f})")
