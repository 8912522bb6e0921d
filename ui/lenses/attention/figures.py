"""Attention maps, the logit lens and the effect of switching parts off, as pictures for slides."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from ui.payloads import SlideRequest
from ui.shared.colours import ACCENT, SHARES, WARM
from ui.shared.slide import SIZE, Colors, colors, data_url, read_request, visible

# With more tokens than this, only every second, third ... label is drawn.
_MOST_LABELS = 48
_MOST_ROWS, _MOST_DEPTHS, _MOST_COLUMNS, _MOST_CHARS = 40, 100, 14, 2_000_000


def draw_map(
    weights: np.ndarray, tokens: Sequence[str], title: str, kind: str, *, dark: bool, causal: bool, signed: bool = False
) -> str:
    """One head's map as a data URL.

    Args:
        weights: float [T, T] in 0 to 1, or a difference in -1 to 1; NaN is left blank.
        tokens: T labels.
        title: of the slide.
        kind: "png" or "svg".
        dark: light on dark.
        causal: leave the future blank.
        signed: a diverging scale, centred on zero, for differences.
    """
    from matplotlib.figure import Figure

    look = colors(dark)
    shown = np.where(np.tri(len(weights), dtype=bool), weights, np.nan) if causal else weights
    figure = Figure(figsize=SIZE, facecolor=look.paper, layout="constrained")
    axes = figure.subplots()
    if signed:
        limit = float(np.nanmax(np.abs(shown))) or 1.0
        image = axes.imshow(shown, cmap=_diverging(look), vmin=-limit, vmax=limit, aspect="auto")
        label = "difference in attention (A minus B)"
    else:
        from matplotlib.colors import PowerNorm

        image = axes.imshow(shown, cmap=_sequential(look, dark), norm=PowerNorm(0.5, 0, 1), aspect="auto")
        label = "attention (0 to 1, square-root scale)"
    _token_axes(axes, tokens, tokens, look)
    axes.set_xlabel("looked at (key)", color=look.ink, fontsize=14)
    axes.set_ylabel("reading token (query)", color=look.ink, fontsize=14)
    axes.set_title(title, color=look.ink, fontsize=17)
    axes.set_facecolor(look.muted)  # the future, and what is not available
    bar = figure.colorbar(image, ax=axes, ticks=None if signed else [0, 0.05, 0.25, 0.5, 1])
    bar.set_label(label, color=look.ink, fontsize=13)
    bar.ax.tick_params(colors=look.ink, labelsize=12)
    return data_url(figure, kind)


def draw_lens(
    best: Sequence[Sequence[str]],
    probability: np.ndarray,
    tokens: Sequence[str],
    depths: Sequence[str],
    kind: str,
    *,
    dark: bool,
) -> str:
    """The logit lens as a data URL.

    Args:
        best: the most likely next token for each depth and position.
        probability: of it, float [depths, positions].
        tokens: read at each position.
        depths: names of the rows, the deepest last; drawn at the top.
        kind: "png" or "svg".
        dark: light on dark.
    """
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure

    look = colors(dark)
    figure = Figure(figsize=SIZE, facecolor=look.paper, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(
        probability, cmap=_sequential(look, dark), norm=PowerNorm(0.5, 0, 1), aspect="auto", origin="lower"
    )
    rows, columns = probability.shape
    size = max(4.0, min(13.0, 150 / columns, 190 / rows))
    for row in range(rows):
        for column in range(columns):
            strong = float(probability[row, column]) > 0.3
            ink = look.paper if strong else look.ink
            text = visible(best[row][column], 9)
            axes.text(column, row, text, color=ink, ha="center", va="center", fontsize=size, clip_on=True)
    _token_axes(axes, tokens, depths, look)
    axes.set_xlabel("token that was just read", color=look.ink, fontsize=14)
    axes.set_ylabel("if the model stopped after ...", color=look.ink, fontsize=14)
    axes.set_title("What it would say next, layer by layer (logit lens)", color=look.ink, fontsize=17)
    bar = figure.colorbar(image, ax=axes, ticks=[0, 0.05, 0.25, 0.5, 1])
    bar.set_label("probability of that token (square-root scale)", color=look.ink, fontsize=13)
    bar.ax.tick_params(colors=look.ink, labelsize=12)
    return data_url(figure, kind)


def draw_change(
    labels: Sequence[str], before: Sequence[float], after: Sequence[float], title: str, kind: str, *, dark: bool
) -> str:
    """Probabilities of the next token before and after something was switched off, as a data URL."""
    from matplotlib.figure import Figure

    look = colors(dark)
    figure = Figure(figsize=SIZE, facecolor=look.paper, layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(labels))
    axes.barh(places - 0.2, before, height=0.38, color=look.bar, label="whole model")
    axes.barh(places + 0.2, after, height=0.38, color=WARM, label="with parts off")
    axes.set_yticks(places, [visible(label) for label in labels], family="monospace")
    axes.invert_yaxis()
    axes.set_facecolor(look.paper)
    axes.tick_params(colors=look.ink, labelsize=13)
    axes.set_xlabel("probability of being the next token", color=look.ink, fontsize=14)
    axes.set_title(title, color=look.ink, fontsize=17)
    axes.legend(facecolor=look.paper, labelcolor=look.ink, edgecolor=look.muted, fontsize=13)
    for side in axes.spines.values():
        side.set_color(look.muted)
    return data_url(figure, kind)


def change_picture(request: Annotated[object, SlideRequest]) -> str | None:
    """`draw_change` for a page, or None for an invalid request: anybody can send anything."""
    try:
        data, kind, dark = read_request(request, most=_MOST_CHARS)
        rows = data["rows"][:_MOST_ROWS]
        before, after = ([float(row[name]) for row in rows] for name in ("before", "after"))
        if not all(map(math.isfinite, before + after)):
            return None
        title = "\n".join(textwrap.wrap(str(data["title"])[:300].replace("$", r"\$"), 95))
        return draw_change([str(row["label"]) for row in rows], before, after, title, kind, dark=dark)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError):
        return None


def lens_picture(request: Annotated[object, SlideRequest]) -> str | None:
    """`draw_lens` for a page, or None for an invalid request; of a long text the last columns."""
    try:
        data, kind, dark = read_request(request, most=_MOST_CHARS)
        depths = [str(name) for name in data["depths"][:_MOST_DEPTHS]]
        tokens = [str(token) for token in data["tokens"][-_MOST_COLUMNS:]]
        n = len(tokens)
        best = [[str(label) for label in row[-n:]] for row in data["best"][: len(depths)]]
        probability = np.array([row[-n:] for row in data["probability"][: len(depths)]], dtype=float)
        if probability.shape != (len(depths), n) or any(len(row) != n for row in best) or not n:
            return None
        return draw_lens(best, probability, tokens, depths, kind, dark=dark)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError):
        return None


def _sequential(look: Colors, dark: bool):  # noqa: ANN202 - matplotlib is imported where it is needed
    """One hue, from the background to full; the page's own scale."""
    from matplotlib.colors import LinearSegmentedColormap

    stops = [look.paper, *SHARES["dark" if dark else "light"]]
    return LinearSegmentedColormap.from_list("attention", stops)


def _diverging(look: Colors):  # noqa: ANN202
    """Two hues that meet in the background's colour at zero."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("difference", [ACCENT, look.paper, WARM])


def _token_axes(axes, columns: Sequence[str], rows: Sequence[str], look: Colors) -> None:
    for axis, labels, turned in ((axes.xaxis, columns, 60), (axes.yaxis, rows, 0)):
        step = -(-len(labels) // _MOST_LABELS)
        places = range(0, len(labels), step)
        axis.set_ticks(places, [visible(labels[place], 14) for place in places], rotation=turned, family="monospace")
        axis.set_tick_params(labelsize=max(7, min(14, 340 / max(1, len(labels) / step))))
    axes.set_facecolor(look.paper)
    axes.tick_params(colors=look.ink)
    for side in axes.spines.values():
        side.set_color(look.muted)
