"""Plotly figures of the page: parameter counts as bars, and scaling laws."""

from ui.lenses.parameters.handlers.colours import ACCENT, PARTS, WARM
from ui.lenses.parameters.reference.scaling import Curve, Point

HUES = tuple(PARTS.values())  # the components come in this order
# Marks of trained models: filled where the unit is a token, open where it is a letter.
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "pentagon", "hexagon")
_ALONG = {
    "parameters": "parameters without embeddings (Chinchilla: all)",
    "tokens": "tokens or letters read in training",
}


def bars(counts: dict[str, dict[str, int]]) -> str:
    """All models side by side, a bar each, stacked by component; plotly JSON.

    Args:
        counts: model -> component -> parameters.
    """
    import plotly.graph_objects as go

    names = sorted(counts, key=lambda name: sum(counts[name].values()))
    figure = go.Figure()
    for index, component in enumerate(next(iter(counts.values()))):
        values = [counts[name][component] for name in names]
        hover = "%{y}<br>" + component + ": %{x:,}<extra></extra>"
        hue = HUES[index % len(HUES)]
        figure.add_bar(
            y=names,
            x=values,
            name=component,
            orientation="h",
            marker_color=hue,
            hovertemplate=hover,
        )
    figure.update_layout(
        barmode="stack",
        margin={"l": 110, "r": 10, "t": 10, "b": 40},
        uirevision="bars",
        legend={"orientation": "h", "y": -0.25, "traceorder": "normal"},
        xaxis={"title": {"text": "parameters"}},
    )
    return str(figure.to_json())


def laws(along: str, lines: list[Curve], points: list[Point]) -> str:
    """Loss against size, or against the text read: published laws as lines, trained models as
    points; plotly JSON.

    Args:
        along: "parameters" or "tokens".
        lines: published laws.
        points: of trained models.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    hues = dict(
        zip(dict.fromkeys(line.name for line in lines), (ACCENT, PARTS["block_norms"]), strict=True)
    )
    for line in lines:
        style = {"color": hues[line.name], "dash": "solid" if line.measured else "dot"}
        figure.add_scatter(
            x=line.x,
            y=line.losses,
            mode="lines",
            name=line.name,
            line=style,
            showlegend=line.measured,
            hovertemplate="%{y:.2f} nats" + ("" if line.measured else ", beyond what was measured"),
        )
    for index, point in enumerate(points):
        symbol = _SYMBOLS[index % len(_SYMBOLS)] + ("" if point.unit == "token" else "-open")
        hue = WARM if point.own else ACCENT
        said = (
            f"{point.name}: {point.parameters:,} parameters without "
            f"embeddings<br>{point.tokens:,} {point.unit}s read<br>{point.loss:.3f} nats per "
            f"{point.unit}"
        )
        figure.add_scatter(
            x=[getattr(point, along)],
            y=[point.loss],
            mode="markers",
            name=point.name,
            marker={"size": 11, "color": hue, "symbol": symbol},
            hovertemplate=said + "<extra></extra>",
        )
    axis = {"type": "log", "exponentformat": "SI", "dtick": 2}
    figure.update_layout(
        margin={"l": 50, "r": 10, "t": 10, "b": 40},
        uirevision=along,
        legend={"orientation": "h", "y": -0.35},
        xaxis={"title": {"text": _ALONG[along]}, **axis},
        yaxis={"title": {"text": "loss, nats per token"}, "range": [0, 10]},
    )
    return str(figure.to_json())
