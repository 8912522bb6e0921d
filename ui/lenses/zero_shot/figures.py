"""Labels by likelihood, and what an answer owes to its prompt, as pictures for slides."""

from __future__ import annotations

import math
from typing import Annotated

from ui.payloads import SlideRequest
from ui.shared.slide import SIZE, colors, data_url, read_request, visible

_MOST_CHARS, _MOST_BARS = 200_000, 24


def prompt_picture(request: Annotated[object, SlideRequest]) -> str | None:
    """A data URL of the chart of a view, or None for a request that has none: anybody can send anything here."""
    try:
        data, kind, dark = read_request(request, most=_MOST_CHARS)
        if "uses" in data:
            bars = [(visible(str(word["text"]).strip()), float(word["effect"])) for word in data["uses"]["words"]]
            bars = sorted(bars, key=lambda bar: -abs(bar[1]))[:_MOST_BARS]
            title = f"What makes “{visible(str(data['uses']['answer']))[:40]}” likely: nats by each word"
            return draw(bars, title, "log-probability that is lost without the word", kind, dark=dark)
        bars = [(visible(str(label["label"])), float(label["share"])) for label in data["labels"]][:_MOST_BARS]
        return draw(bars, "Likelihood of each label", "share of the labels' probability", kind, dark=dark)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError):
        return None


def draw(bars: list[tuple[str, float]], title: str, axis: str, kind: str, *, dark: bool) -> str:
    """One horizontal bar a name. Returns a data URL.

    Args:
        bars: (name, value), at least one, all finite.
        title: above.
        axis: what the values are.
        kind: "png" (200 dpi) or "svg".
        dark: light on dark.
    """
    from matplotlib.figure import Figure

    if not bars or not all(math.isfinite(value) for _, value in bars):
        raise ValueError("no finite values to draw")
    paper, ink, bar, cut = colors(dark)
    figure = Figure(figsize=SIZE, facecolor=paper, layout="constrained")
    panel = figure.subplots()
    places = range(len(bars))
    panel.barh(places, [value for _, value in bars], color=[bar if value >= 0 else cut for _, value in bars])
    panel.set_yticks(places, [name[:30] for name, _ in bars], family="monospace")
    panel.invert_yaxis()
    panel.set_title(title, color=ink, fontsize=15)
    panel.set_xlabel(axis, color=ink)
    panel.set_facecolor(paper)
    panel.tick_params(colors=ink, labelsize=12)
    for side in panel.spines.values():
        side.set_color(cut)
    return data_url(figure, kind)
