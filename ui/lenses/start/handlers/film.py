"""A training run as a film: what the model wrote from its first update to its last."""

from __future__ import annotations

from typing import Any

from ui.services import Services

_FRAMES, _LONGEST = 9, 150


def film(services: Services) -> dict[str, Any]:
    """{"title", "frames": [{"step", "seconds", "loss", "text"}]} of the recorded run; no frames where there is none."""
    workspace = services.run_manager.get("example")
    record = workspace.current if workspace is not None else None
    if record is None:
        return {"title": "", "frames": []}
    looks = record.observations
    # Most changes happen early, so frames are spaced quadratically.
    places = sorted({round((len(looks) - 1) * (n / (_FRAMES - 1)) ** 2) for n in range(_FRAMES)})
    frames = [
        {
            "step": looks[place].step,
            "seconds": round(looks[place].elapsed, 1),
            "loss": round(looks[place].valid_loss, 2),
            "text": record.facts.prompt + looks[place].text[:_LONGEST],
        }
        for place in places
    ]
    return {"title": record.facts.title, "frames": frames}
