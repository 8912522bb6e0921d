"""Plotly figures of the page: parameter counts as bars, and scaling laws."""

from typing import Any

from ui.lenses.parameters.handlers.colours import ACCENT, PARTS, WARM

HUES = tuple(PARTS.values())  # the components come in this order


def bars(counts: dict[str, dict[str, int]]) -> str:
    """All models side by side, a bar each, stacked by component; plotly JSON.

    Args:
        counts: model -> component -> parameters.
    """
    import plotly.graph_objects as go

    names = sorted(counts, key=lambda name: sum(counts[name].values()))
    figure = go.Figure()
    for place, component in enumerate(next(iter(counts.values()))):
        values = [counts[name][component] for name in names]
        hover, hue = "%{y}<br>" + component + ": %{x:,}<extra></extra>", HUES[place % len(HUES)]
        figure.add_bar(y=names, x=values, name=component, orientation="h", marker_color=hue, hovertemplate=hover)
    figure.update_layout(
        barmode="stack", margin={"l": 110, "r": 10, "t": 10, "b": 40}, uirevision="bars",
        legend={"orientation": "h", "y": -0.18, "traceorder": "normal"}, xaxis={"title": {"text": "parameters"}},
    )  # fmt: skip
    return str(figure.to_json())


def laws(along: str, lines: dict[str, tuple[list[float], list[float]]], points: list[dict[str, Any]]) -> str:
    """Loss against size, or against the text read: published laws as lines, trained models as points; plotly JSON.

    Args:
        along: "parameters" or "tokens".
        lines: name of a law -> sizes or texts, and losses.
        points: of models, as `ui.lenses.parameters.reference.scaling.Point` has them.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for (name, (x, y)), dash in zip(lines.items(), ("solid", "dash"), strict=True):
        figure.add_scatter(x=x, y=y, mode="lines", name=name, line={"dash": dash, "color": ACCENT})
    for own in (False, True):
        shown = [point for point in points if point["own"] is own]
        if not shown:
            continue
        symbols = ["circle" if point["unit"] == "token" else "diamond-open" for point in shown]
        figure.add_scatter(
            x=[point[along] for point in shown],
            y=[point["loss"] for point in shown],
            text=[point["name"] for point in shown],
            customdata=[[point["parameters"], point["tokens"], point["unit"]] for point in shown],
            mode="markers" if own else "markers+text",
            textposition=[("top left", "bottom right", "top right", "bottom left")[i % 4] for i in range(len(shown))],
            name="your runs" if own else "bundled models",
            marker={"size": 11, "color": WARM if own else PARTS["mlp"], "symbol": symbols},
            hovertemplate="%{text}<br>%{customdata[0]:,} parameters without embeddings<br>%{customdata[1]:,} "
            "%{customdata[2]}s read<br>%{y:.3f} nats per %{customdata[2]}<extra></extra>",
        )
    what = {"parameters": "parameters without embeddings", "tokens": "tokens read in training"}[along]
    axis = {"type": "log", "exponentformat": "SI", "dtick": 2}
    figure.update_layout(
        margin={"l": 50, "r": 10, "t": 10, "b": 40},
        uirevision=along,
        legend={"orientation": "h", "y": -0.2},
        xaxis={"title": {"text": what}, **axis},
        yaxis={"title": {"text": "loss, nats per token"}, "range": [0, 10]},
    )
    return str(figure.to_json())
