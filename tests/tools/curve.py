"""A card's picture, from the log of a training: `python -m tests.tools.curve runs/x/log.jsonl weights/x/curve.png`"""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path
from typing import Any

from ui.lenses.train.figures import picture

_MOST_POINTS = 1_500


def curve(log: Path, title: str) -> bytes:
    """The training and held-out loss of a log.jsonl, or of a run that the page has saved, as PNG."""
    text = log.read_text(encoding="utf-8")
    if log.suffix == ".json":
        saved = json.loads(text)
        rows, looks = saved["rows"], [(look["step"], look["valid_loss"]) for look in saved["looks"]]
    else:
        events: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
        rows = [[e["step"], e["loss"], e["learning_rate"]] for e in events if "loss" in e]
        looks = [(e["step"], e["valid_loss"]) for e in events if "valid_loss" in e]
    thin = rows[:: max(1, len(rows) // _MOST_POINTS)]
    url = picture(
        title=title,
        steps=[row[0] for row in thin],
        loss=[row[1] for row in thin],
        rate=[row[2] for row in thin],
        valid=looks,
        lines={},
        sample="",
        kind="png",
        dark=False,
    )
    return base64.b64decode(url.partition(",")[2])


def main() -> None:
    """Writes the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path, help="log.jsonl of a training's work folder, or a saved run.json")
    parser.add_argument("target", type=Path, help="PNG to write")
    parser.add_argument("--title", default="", help="above the curve")
    options = parser.parse_args()
    options.target.write_bytes(curve(options.log, options.title))
    print(f"{options.target.stat().st_size / 1e3:.0f} kB in {options.target}")


if __name__ == "__main__":
    main()
