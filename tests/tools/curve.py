"""A card's picture, from the log of a training: `python -m tests.tools.curve runs/x/log.jsonl weights/x/curve.png`"""

from __future__ import annotations

import argparse
import io
import json
import math
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ui.shared.colours import WARM
from ui.shared.slide import LIGHT, SIZE

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
    return _drawn(title, thin, [(step, loss) for step, loss in looks if math.isfinite(loss)])


def _drawn(title: str, rows: list[list[float]], valid: list[tuple[int, float]]) -> bytes:
    """rows: update, training loss, learning rate; valid: update and held-out loss."""
    figure = Figure(figsize=SIZE, facecolor=LIGHT.paper, layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    steps = [row[0] for row in rows]
    above.plot(steps, [row[1] for row in rows], color=LIGHT.bar, linewidth=1, alpha=0.6, label="training")
    above.plot([s for s, _ in valid], [v for _, v in valid], "o-", color=WARM, linewidth=3, label="held out")
    below.plot(steps, [row[2] for row in rows], color=LIGHT.bar, linewidth=2)
    for axis, label in ((above, "loss, nats per token"), (below, "learning rate")):
        axis.set_ylabel(label, color=LIGHT.ink, fontsize=15)
        axis.tick_params(colors=LIGHT.ink, labelsize=13)
        axis.grid(color=LIGHT.muted, linewidth=0.5)
    above.legend(fontsize=14, loc="upper center")
    above.set_title(title, color=LIGHT.ink, fontsize=18, loc="left")
    below.set_xlabel("updates", color=LIGHT.ink, fontsize=14)
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=200)
    return target.getvalue()


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
