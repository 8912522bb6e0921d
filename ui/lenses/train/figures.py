"""A training run as a slide: the loss with n-gram baselines, the learning rate, and what the model writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ui.shared.colours import WARM
from ui.shared.slide import SIZE, colors, data_url, shortened, visible

_NAMES = {
    "uniform": "uniform guess, ln V",
    "unigram": "unigram baseline",
    "bigram": "bigram baseline",
}


def picture(
    *,
    title: str,
    steps: Sequence[float],
    loss: Sequence[float],
    rate: Sequence[float],
    valid: Sequence[tuple[int, float]],
    lines: Mapping[str, float],
    sample: str,
    kind: str,
    dark: bool,
) -> str:
    """A data URL, "png" or "svg".

    Args:
        title: of the run.
        steps, loss, rate: updates made, training loss in nats per token, learning rate.
        valid: (update, held-out loss in nats per token).
        lines: levels to compare with, in nats per token.
        sample: what the model wrote at the end.
    """
    from matplotlib.figure import Figure

    paper, ink, bar, muted = colors(dark)
    figure = Figure(figsize=SIZE, facecolor=paper, layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    above.plot(steps, loss, color=bar, linewidth=1, alpha=0.6, label="training")
    held_out = [(step, value) for step, value in valid if math.isfinite(value)]
    above.plot([s for s, _ in held_out], [v for _, v in held_out], "o-", color=WARM, linewidth=3, label="held out")
    for name, value in lines.items():
        if math.isfinite(value):
            above.axhline(value, color=ink, linewidth=1, linestyle="--", alpha=0.6)
            place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom", "color": ink, "fontsize": 13}
            above.annotate(f"{_NAMES[name]} {value:.2f}", (1, value), **place)
    below.plot(steps, rate, color=bar, linewidth=2)
    for axis, label in ((above, "loss, nats per token"), (below, "learning rate")):
        axis.set_facecolor(paper)
        axis.set_ylabel(label, color=ink, fontsize=15)
        axis.tick_params(colors=ink, labelsize=13)
        for spine in axis.spines.values():
            spine.set_color(muted)
        axis.grid(color=muted, linewidth=0.5)
    above.legend(facecolor=paper, edgecolor=muted, labelcolor=ink, fontsize=14, loc="upper center")
    above.set_title(visible(shortened(title, 90), 92), color=ink, fontsize=18, loc="left")
    written = f"      it writes: “{visible(shortened(sample, 70), 72)}”" if sample else ""
    below.set_xlabel(f"updates{written}", color=ink, fontsize=14)
    return data_url(figure, kind)
