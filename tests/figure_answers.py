"""The pictures of the Parameters tab as plain values: what matplotlib puts on them, and where."""

import io
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from answers import read
from matplotlib.artist import Artist
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text

from gptcore import LanguageModel
from gptcore.config import PRESETS
from tiny import make_language_model
from ui.lenses.parameters.drawing import anatomy, anatomy_figures, architecture
from ui.lenses.parameters.drawing import figures as drawings
from ui.lenses.parameters.handlers import shapes

_POINTS = 9  # of a curve; of more every k-th is kept
SHAPES: Mapping[str, Mapping[str, Any]] = {
    "GPT-2": {},
    "norms behind": {"norm_position": "post"},
    "no MLP": {"use_mlp": False},
    "no positions": {"use_positions": False},
    "two tables": {"tie_word_embeddings": False},
    "ReLU, no dropout, one layer": {"activation_function": "relu", "dropout": 0, "n_layer": 1},
    "deep and narrow": {"n_layer": 96, "n_embd": 12, "n_inner": 1, "vocab_size": 1},
}


def pictures() -> Iterator[tuple[str, Callable[[], object]]]:
    """What draws each picture, by its name."""
    for name, changes in SHAPES.items():
        values = {**shapes.controls_of(PRESETS["gpt2"]), **changes}
        yield name, lambda values=values: drawings.inline(*architecture.drawn(shapes.shape(values)))
    for name, experiment in anatomy.EXPERIMENTS.items():
        yield name, lambda experiment=experiment: _drawn(experiment(_tiny()))


@cache
def _tiny() -> LanguageModel:
    return make_language_model()


def _drawn(found: anatomy.Experiment) -> object:
    return getattr(anatomy_figures, found.figure)(**found.arguments)


def drawn(draw: Callable[[], object]) -> list[Any]:
    """What stands on the panels of the figure that is drawn."""
    figures = list[Figure]()

    def kept(figure: Figure, target: io.StringIO, **_: Any) -> None:
        figures.append(figure)
        figure.draw_without_rendering()  # which lays it out
        target.write("<svg></svg>")  # nobody looks at it

    with patch.object(Figure, "savefig", kept):
        draw()
    return read([_panel(axes) for figure in figures for axes in figure.axes])


def _panel(axes: Any) -> dict[str, Any]:
    return {
        "labels": [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()],
        "scales": [axes.get_xscale(), axes.get_yscale()],
        "limits": [*axes.get_xlim(), *axes.get_ylim()],
        "ground": to_hex(axes.get_facecolor(), keep_alpha=True),
        "is_on": axes.axison,
        "ticks": [
            [text.get_text() for text in axis.get_ticklabels()] for axis in (axes.xaxis, axes.yaxis)
        ],
        "look": [
            [to_hex(axis.label.get_color()), axis.label.get_size()]
            for axis in (axes.xaxis, axes.yaxis)
        ],
        "edges": [to_hex(side.get_edgecolor()) for side in axes.spines.values()],
        "drawn": [
            said
            for artist in axes.get_children()
            if artist is not axes.patch and (said := _artist(artist))
        ],
    }


def _artist(artist: Artist) -> list[Any]:
    """Its kind, where it is and how it looks; nothing for the parts of an axis."""
    if isinstance(artist, Annotation):
        return ["annotation", *_text(artist), *map(float, artist.xy)]
    if isinstance(artist, Text):
        return ["text", *_text(artist)] if artist.get_text() else []
    if isinstance(artist, Line2D):
        return [
            "line",
            artist.get_label(),
            to_hex(artist.get_color()),
            artist.get_linestyle(),
            artist.get_linewidth(),
            str(artist.get_marker()),
            _some(artist.get_xdata()),
            _some(artist.get_ydata()),
        ]
    if isinstance(artist, AxesImage):
        values = np.asarray(artist.get_array())
        return ["image", list(values.shape), _some(values.ravel()), list(artist.get_clim())]
    if isinstance(artist, Legend):
        return ["legend", *(text.get_text() for text in artist.get_texts())]
    if isinstance(artist, Patch):
        box = artist.get_path().transformed(artist.get_patch_transform()).get_extents()
        colors = [
            to_hex(color, keep_alpha=True)
            for color in (artist.get_facecolor(), artist.get_edgecolor())
        ]
        return [type(artist).__name__, artist.get_gid(), *map(float, box.bounds), *colors]
    return []


def _text(text: Text) -> list[Any]:
    return [
        text.get_text(),
        *map(float, text.get_position()),
        text.get_fontsize(),
        text.get_fontweight(),
        text.get_horizontalalignment(),
        text.get_verticalalignment(),
        text.get_rotation(),
        to_hex(text.get_color()),
    ]


def _some(values: Any) -> list[float]:
    """Some of many values."""
    found = [float(value) for value in np.asarray(values, dtype=float).ravel()]
    return found[:: max(1, len(found) // _POINTS)]
