"""The next-token distribution as a picture for slides."""

from __future__ import annotations

import math
from typing import Annotated, Any

from ui.payloads import SlideRequest
from ui.shared.slide import SIZE, colors, data_url, percent, read_request, visible

_TITLES = {"softmax": "Its guess (softmax)", "penalties": "Repetition", "temperature": "Temperature"}
_MOST_ROWS, _MOST_STAGES, _MOST_CHARS, _MOST_AFTER = 40, 8, 100_000, 60


def picture(request: Annotated[object, SlideRequest]) -> str | None:
    """A data URL of the chart, or None for a request that is not one: anybody can send anything here."""
    try:
        data, kind, dark = read_request(request, most=_MOST_CHARS)
        after = str(data.get("after", ""))[:_MOST_AFTER]
        return draw(data["stages"][:_MOST_STAGES], data["rows"][:_MOST_ROWS], kind, dark=dark, after=after)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError):
        return None


def draw(stages: list[dict[str, Any]], rows: list[dict[str, Any]], kind: str, *, dark: bool, after: str = "") -> str:
    """One panel a stage, one bar a token; cut tokens in grey. Returns a data URL.

    Args:
        stages: name, candidates and entropy of each.
        rows: label and probabilities of each token, one a stage.
        kind: "png" (200 dpi) or "svg".
        dark: light on dark.
        after: the last words before the token.
    """
    from matplotlib.figure import Figure

    paper, ink, bar, cut = colors(dark)
    figure = Figure(figsize=SIZE, facecolor=paper, layout="constrained")
    panels = figure.subplots(1, len(stages), sharey=True, squeeze=False)[0]
    labels = [visible(str(row["label"])) for row in rows]
    most = max((p for row in rows for p in map(float, row["p"]) if math.isfinite(p)), default=1.0)
    for place, (panel, stage) in enumerate(zip(panels, stages, strict=True)):
        values = [float(row["p"][place]) for row in rows]
        widths = [value if value > 0 else float(row["p"][0]) for value, row in zip(values, rows, strict=True)]
        panel.barh(range(len(rows)), widths, color=[bar if value > 0 else cut for value in values])
        for row, (value, width) in enumerate(zip(values, widths, strict=True)):
            label = percent(value) if value > 0 else "cut"
            panel.text(width + most * 0.02, row, label, color=ink, va="center", fontsize=11)
        title = _TITLES.get(stage["name"], str(stage["name"])[:20].capitalize())
        panel.set_title(
            f"{title}\n{int(stage['candidates']):,} candidates, {float(stage['entropy']):.2f} bits",
            color=ink,
            fontsize=13,
        )
        panel.set_xlim(0, most * 1.3)
        panel.set_xlabel("probability", color=ink)
        panel.set_facecolor(paper)
        panel.tick_params(colors=ink, labelsize=12)
        for side in panel.spines.values():
            side.set_color(cut)
    panels[0].set_yticks(range(len(rows)), labels, family="monospace")
    panels[0].invert_yaxis()
    if after:
        figure.suptitle(f"Next token after “{visible(after, _MOST_AFTER)}”", color=ink, fontsize=16)
    return data_url(figure, kind)
