"""Payloads of the Parameters tab."""

from typing import Any

from typing_extensions import TypedDict

Controls = dict[str, Any]  # the form of a shape, by the names of `gptcore.config.GPTConfig`


class ShapeRequest(TypedDict):
    """A shape to draw."""

    shape: Controls


class ExperimentFigure(TypedDict):
    """An experiment with a model: its figure for light and for dark as data URLs, its words, its
    tables.
    """

    name: str
    model: str
    text: str
    light: str
    dark: str
    tables: list[dict[str, Any]]


class BreakdownRow(TypedDict):
    """A component: its formula, the numbers in it, its count and share, and tensors of [name,
    shape, times].
    """

    name: str
    module: str
    formula: str
    numbers: str
    count: int
    share: float
    tensors: list[tuple[str, list[int], int]]


class Breakdown(TypedDict):
    """All parameters of a shape; `agrees` is whether the formulas match a real model, null where
    none was built; `fewer` is what other ways of counting leave.
    """

    config: Controls
    total: int
    said: str
    name: str
    agrees: bool | None
    check: str
    fewer: str
    rows: list[BreakdownRow]
