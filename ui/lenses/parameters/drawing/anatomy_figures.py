"""The small experiments as pictures: numbers in, two data URLs out, for a light and a dark page."""

from collections.abc import Mapping, Sequence

import numpy as np

from ui.lenses.parameters.handlers.colours import ACCENT, PARTS, WARM
from ui.shared.slide import PLACEHOLDERS as LOOK
from ui.shared.slide import data_urls

_SIZE = (13.33, 5.2)
_BLUE = ACCENT
_ORANGE = WARM
_GREY = PARTS["block_norms"]


def _panels(titles: Sequence[str]):  # noqa: ANN202 - matplotlib is imported where it is needed
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, facecolor=LOOK.paper, layout="constrained")
    panels = figure.subplots(1, len(titles), squeeze=False)[0]
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(title, color=LOOK.ink, fontsize=15)
        panel.set_facecolor(LOOK.paper)
        panel.tick_params(colors=LOOK.ink, labelsize=12)
        for axis in (panel.xaxis, panel.yaxis):
            axis.label.set_color(LOOK.ink)
            axis.label.set_size(13)
        for side in panel.spines.values():
            side.set_color(LOOK.muted)
    return figure, panels


def _signed():  # noqa: ANN202 - as above
    """Colours of signed numbers; 0 is transparent, so that the page's ground is seen."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    stops = [to_rgba(_BLUE), to_rgba(_BLUE, 0), to_rgba(_ORANGE, 0), to_rgba(_ORANGE)]
    return LinearSegmentedColormap.from_list(
        "signed", list(zip((0, 0.5, 0.5, 1), stops, strict=True))
    )


def _named(panel, x: str, y: str = "", *, below: bool = False) -> None:
    """The names of axes and lines; of lines below the axis where they would lie on them."""
    panel.set(xlabel=x, ylabel=y)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": 1} if below else {}
    panel.legend(
        facecolor=LOOK.paper, labelcolor=LOOK.ink, edgecolor=LOOK.muted, fontsize=12, **place
    )


def activations(
    x: np.ndarray,
    values: Mapping[str, np.ndarray],
    slopes: Mapping[str, np.ndarray],
    gate: np.ndarray,
) -> tuple[str, str]:
    """ReLU and both GELUs, their slopes, and the gate Phi(x). All arrays are float [N]; x is the
    input.
    """
    titles = ("Activation", "Slope (gradient)", "The gates, and tanh's error")
    figure, (left, middle, right) = _panels(titles)
    names = {
        "relu": ("ReLU", _GREY, "-"),
        "gelu": ("GELU, exact", _BLUE, "-"),
        "gelu_new": ("GELU, tanh", _ORANGE, "--"),
    }
    for name, (label, color, style) in names.items():
        left.plot(x, values[name], style, color=color, label=label, linewidth=2)
        middle.plot(x, slopes[name], style, color=color, label=label, linewidth=2)
    error = 1000 * np.abs(values["gelu"] - values["gelu_new"])
    right.plot(x, gate, color=_BLUE, linewidth=2, label="soft: Φ(x), GELU is x · Φ(x)")
    right.plot(x, x > 0, "--", color=_GREY, linewidth=2, label="hard: ReLU is x times 0 or 1")
    right.plot(x, error, color=_ORANGE, linewidth=2, label="1,000 · |exact − tanh|")
    for panel in (left, middle, right):
        _named(panel, "input x", below=True)
    return data_urls(figure)


def two_norms(before: np.ndarray, by_batch: np.ndarray, by_layer: np.ndarray) -> tuple[str, str]:
    """Tokens by channels, float [N, C] each: as they are, normalised by channel, and by token;
    numbers in the cells.
    """
    figure, panels = _panels(("Before", "BatchNorm: each column", "LayerNorm: each row"))
    for panel, values in zip(panels, (before, by_batch, by_layer), strict=True):
        limit = float(np.abs(values).max())
        panel.imshow(values, cmap=_signed(), vmin=-limit, vmax=limit, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            shown = f"{value:.1f}".replace("-0.0", "0.0").replace("-", "−")
            panel.text(column, row, shown, ha="center", va="center", color=LOOK.ink)
        panel.set_xticks(range(values.shape[1]))
        panel.set_yticks(range(len(values)), [f"token {row}" for row in range(len(values))])
        panel.set_xlabel("channel")
    return data_urls(figure)


def layer_norm(
    before: np.ndarray, after: np.ndarray, mean: np.ndarray, deviation: np.ndarray
) -> tuple[str, str]:
    """The residual stream [T, C] before and after a LayerNorm, as histograms; mean and deviation by
    token [T].
    """
    titles = (
        "Before: values of the stream",
        "After LayerNorm",
        "What is taken out, token by token",
    )
    figure, (left, middle, right) = _panels(titles)
    left.hist(before.ravel(), bins=80, color=_GREY)
    middle.hist(after.ravel(), bins=80, color=_BLUE)
    for panel in (left, middle):
        panel.set(xlabel="value", ylabel="how many", yscale="log")
    right.plot(deviation, color=_BLUE, marker="o", label="standard deviation")
    right.plot(mean, color=_ORANGE, marker="o", label="mean")
    _named(right, "token")
    return data_urls(figure)


def leak(with_mask: np.ndarray, without: np.ndarray) -> tuple[str, str]:
    """Draws how far each position's logits move when the last token changes, float [T] each."""
    figure, (panel,) = _panels(("The last token is replaced: whose prediction changes?",))
    places = np.arange(len(with_mask))
    panel.bar(places - 0.2, without, width=0.38, color=_ORANGE, label="without the causal mask")
    panel.bar(
        places + 0.2,
        with_mask,
        width=0.38,
        color=_BLUE,
        label="with the mask: exactly 0 before the last",
    )
    _named(panel, "position", "change of the logits (distance)")
    return data_urls(figure)


def by_depth(lines: Mapping[str, np.ndarray]) -> tuple[str, str]:
    """The size of the residual stream over depth, a line for each variant, float [n] each."""
    figure, (panel,) = _panels(("Size of the residual stream after each layer, before training",))
    for (label, values), color in zip(lines.items(), (_BLUE, _ORANGE), strict=False):
        panel.plot(range(len(values)), values, color=color, marker="o", linewidth=2, label=label)
    _named(panel, "layer", "standard deviation")
    return data_urls(figure)


def losses(lines: Mapping[str, np.ndarray], every: int) -> tuple[str, str]:
    """Training losses in nats a letter, float [n] each, a point for so many updates."""
    figure, (panel,) = _panels(("Training loss, the same model and batches",))
    for (label, values), color in zip(lines.items(), (_BLUE, _ORANGE, _GREY), strict=False):
        panel.plot(
            every * (np.arange(len(values)) + 0.5), values, color=color, linewidth=2.5, label=label
        )
    _named(panel, "updates", "loss, nats a letter")
    return data_urls(figure)


def tying(tied: int, untied: int, table: int) -> tuple[str, str]:
    """Parameters with a shared and with a separate output head."""
    figure, (panel,) = _panels(("One table at both ends, or two",))
    head = untied - table
    panel.barh((0, 1), (tied - table, head - table), color=_GREY, label="everything else")
    panel.barh(
        (0, 1), table, left=(tied - table, head - table), color=_BLUE, label="token embedding"
    )
    panel.barh(1, table, left=head, color=_ORANGE, label="output head")
    panel.set_yticks((0, 1), (f"tied: {tied:,}", f"untied: {untied:,}"))
    _named(panel, "parameters")
    return data_urls(figure)


def positions(similarity: np.ndarray, window: int) -> tuple[str, str]:
    """Cosine similarity of the position embeddings, float [P, P] in -1 to 1, on a diverging
    scale.
    """
    figure, (left, right) = _panels(("How alike are two positions?", "Seen from three positions"))
    image = left.imshow(similarity, cmap=_signed(), vmin=-1, vmax=1, extent=(0, window, window, 0))
    bar = figure.colorbar(image, ax=left)
    bar.set_label("cosine similarity", color=LOOK.ink, fontsize=13)
    bar.ax.tick_params(colors=LOOK.ink)
    left.set(xlabel="position", ylabel="position")
    n = len(similarity)
    x = np.linspace(0, window - 1, n)
    for place, color in ((n // 8, _BLUE), (n // 2, _ORANGE), (7 * n // 8, _GREY)):
        right.plot(
            x, similarity[place], color=color, linewidth=2, label=f"position {round(x[place])}"
        )
    _named(right, "position", "cosine similarity")
    return data_urls(figure)
