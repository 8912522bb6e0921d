"""A card's picture, from the log of a training: `python -m tests.curve runs/x/log.jsonl weights/x/curve.png`"""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path
from typing import Any

from ui.figures.train import picture

_MOST_POINTS = 1_500


def curve(log: Path, title: str) -> bytes:
    """The training and held-out loss of a log.jsonl, as PNG."""
    events: list[dict[str, Any]] = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    updates = [event for event in events if "loss" in event]
    thin = updates[:: max(1, len(updates) // _MOST_POINTS)]
    url = picture(
        title=title,
        steps=[event["step"] for event in thin],
        loss=[event["loss"] for event in thin],
        rate=[event["learning_rate"] for event in thin],
        valid=[(event["step"], event["valid_loss"]) for event in events if "valid_loss" in event],
        lines={},
        sample="",
        kind="png",
        dark=False,
    )
    return base64.b64decode(url.partition(",")[2])


def main() -> None:
    """Writes the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path, help="log.jsonl of a training's work folder")
    parser.add_argument("target", type=Path, help="PNG to write")
    parser.add_argument("--title", default="", help="above the curve")
    options = parser.parse_args()
    options.target.write_bytes(curve(options.log, options.title))
    print(f"{options.target.stat().st_size / 1e3:.0f} kB in {options.target}")


if __name__ == "__main__":
    main()
