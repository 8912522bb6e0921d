"""The README's picture, from the recording of the bundled run: noise becomes words. `python -m tests.tools.film`"""

import textwrap
from pathlib import Path
from typing import Any

from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.figure import Figure

from gptcore.language_model import BUNDLED, load
from ui.runs.run_state import RunState
from ui.runs.saved_runs import read_run
from ui.shared.slide import LIGHT

TARGET = Path(__file__).resolve().parents[2] / "ui" / "pictures" / "film.gif"
MODEL = "anthology"
_FRAMES_PER_SECOND, _HELD = 3, 8  # how long the last picture stays, in frames
_WIDE, _LINES = 36, 7  # characters and lines of the sample
_NAMES = {"uniform": "a guess among all letters", "unigram": "counting letters", "bigram": "counting pairs of letters"}
_ORANGE = "#e2892b"


def film(record: RunState, target: Path, *, dpi: int = 80) -> int:
    """Writes the film of a run as a GIF; returns how many different pictures it has."""
    rows, looks = record.so_far()
    figure = Figure(figsize=(11.2, 4.6), facecolor=LIGHT.paper, layout="constrained")
    text, chart = figure.subplots(1, 2, width_ratios=[1.15, 1])
    _frame(text, chart, record, rows)
    title = text.text(0, 1.02, "", fontsize=14, color=LIGHT.ink, weight="bold", va="bottom")
    sample = text.text(0, 0.94, "", fontsize=17, color=LIGHT.ink, family="monospace", va="top", linespacing=1.5)
    (trained,) = chart.plot([], [], color=LIGHT.bar, linewidth=1.5, label="on what it reads")
    (held,) = chart.plot([], [], "o-", color=_ORANGE, linewidth=2.5, markersize=4, label="on text it never reads")
    chart.legend(fontsize=11, frameon=False, loc="upper right", bbox_to_anchor=(1, 0.88))

    def draw(place: int) -> tuple[Any, ...]:
        look = looks[min(place, len(looks) - 1)]
        until = [row for row in rows if row[0] <= look.step]
        title.set_text(f"A GPT after {look.step:,} updates, {look.elapsed:.0f} seconds, writes:")
        sample.set_text("\n".join(_wrapped(record.facts.prompt + look.text)))
        trained.set_data([row[0] for row in until], [row[1] for row in until])
        seen = looks[: place + 1]
        held.set_data([one.step for one in seen], [one.valid_loss for one in seen])
        return title, sample, trained, held

    frames = FuncAnimation(figure, draw, frames=len(looks) + _HELD, blit=False)
    frames.save(target, writer=PillowWriter(fps=_FRAMES_PER_SECOND), dpi=dpi)
    return len(looks)


def _frame(text: Any, chart: Any, record: RunState, rows: list[Any]) -> None:
    """What stays the same in all pictures."""
    text.set_axis_off()
    chart.set_facecolor(LIGHT.paper)
    levels = {name: value for name, value in record.facts.lines.items() if value is not None}
    chart.set_xlim(0, rows[-1][0])
    chart.set_ylim(1, 1.08 * max(levels.values()))
    for name, value in levels.items():
        chart.axhline(value, color=LIGHT.ink, linewidth=1, linestyle="--", alpha=0.5)
        chart.text(rows[-1][0] * 0.99, value + 0.04, _NAMES[name], fontsize=10, color=LIGHT.ink, ha="right")
    chart.set_xlabel("updates", fontsize=12, color=LIGHT.ink)
    chart.set_ylabel("loss, nats per letter", fontsize=12, color=LIGHT.ink)
    for side in ("top", "right"):
        chart.spines[side].set_visible(False)


def _wrapped(written: str) -> list[str]:
    """The first lines of a sample, of one length whatever was written."""
    shown = written.replace("$", r"\$")
    lines = [part for line in shown.split("\n") for part in textwrap.wrap(line, _WIDE) or [""]]
    return (lines + [""] * _LINES)[:_LINES]


def main() -> None:
    """Makes the film of the bundled run."""
    lm = load(MODEL, offline=True)
    record = read_run((BUNDLED / MODEL / "run.json").read_text(encoding="utf-8"), lm)
    print(f"{film(record, TARGET)} pictures, {TARGET.stat().st_size / 1e3:.0f} kB, in {TARGET}")


if __name__ == "__main__":
    main()
