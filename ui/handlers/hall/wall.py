"""The wall: the runs of all who have put their name to them, on one screen."""

from __future__ import annotations

import json
import math
from typing import Annotated

from gptcore.errors import GPTCoreError
from ui.handlers import inputs
from ui.handlers.numbers import finite
from ui.payloads import fields
from ui.payloads.hall import Signed, SignRequest, Wall, WallRun
from ui.runs.run_manager import Workspace
from ui.services import Services

LONGEST_NAME = 24
_MOST_RUNS, _MOST_POINTS, _LONGEST_SAMPLE = 24, 60, 160


def sign(services: Services, request: Annotated[object, SignRequest]) -> Annotated[str, Signed] | None:
    """Puts the runs of a workspace on the wall, or takes them off it. None for an invalid request."""
    bench, name = fields(request, "bench", "name")
    if not isinstance(bench, str) or not isinstance(name, str):
        return None
    found: Signed
    try:
        plain = " ".join(inputs.text(name, "The name", most=LONGEST_NAME).split())
        found = {"name": services.run_manager.sign(bench, plain), "said": ""}
    except GPTCoreError as error:
        found = {"name": "", "said": str(error)}
    return json.dumps(found, ensure_ascii=False)


def wall(services: Services, request: Annotated[object, None]) -> Annotated[str, Wall]:
    """All runs on it, those with the lowest loss first."""
    signed = services.run_manager.signed()
    runs = [_run(services, one) for one in signed[:_MOST_RUNS]]
    runs.sort(key=lambda run: (run["unit"], math.inf if run["loss"] is None else run["loss"]))
    found: Wall = {"runs": runs, "more": max(0, len(signed) - _MOST_RUNS)}
    return json.dumps(found, ensure_ascii=False)


def _run(services: Services, workspace: Workspace) -> WallRun:
    """The newest run of a workspace that has one."""
    record = workspace.current
    if record is None:
        return {
            "viewing": workspace.viewing, "name": workspace.name, "title": "", "state": "none", "step": 0, "unit": "",
            "loss": None, "points": [], "text": "", "settings": {}, "place": None, "model": "",
        }  # fmt: skip
    rows, looks = record.so_far()
    by_character = record.facts.kind == "text"
    scale = record.facts.tokens_per_character / math.log(2) if by_character else 1.0
    held_out = [(look.elapsed, look.valid_loss) for look in looks if math.isfinite(look.valid_loss)]
    points = held_out or [(row[4], row[1]) for row in rows if math.isfinite(row[1])]
    loss = record.final_loss if math.isfinite(record.final_loss) else points[-1][1] if points else math.nan
    place = services.run_manager.place(workspace)
    return {
        "viewing": workspace.viewing,
        "name": workspace.name,
        "title": record.facts.title,
        "state": record.state,
        "step": record.step,
        "unit": "bits per character" if by_character else "nats",
        "loss": finite(scale * loss, 3),
        "points": [(round(seconds, 1), round(scale * nats, 4)) for seconds, nats in _thinned(points)],
        "text": looks[-1].text[:_LONGEST_SAMPLE] if looks else "",
        "settings": dict(record.facts.settings),
        "place": None if place is None else place.number,
        "model": record.id if record.language_model is not None else "",
    }


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most _MOST_POINTS of them, the last among them."""
    every = max(1, math.ceil(len(points) / _MOST_POINTS))
    return points[::-every][::-1] if points else []
