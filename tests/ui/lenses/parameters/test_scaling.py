"""Scaling laws: the published constants, the figures on the cards, and a visitor's own runs."""

import json

import pytest

from ui.lenses.parameters.figures import charts
from ui.lenses.parameters.handlers import scaling


def test_the_laws_are_the_papers():
    # Kaplan et al. 2020: a model of 8.8e13 parameters, or 5.4e13 tokens, would have a loss of 1 nat.
    assert scaling.KAPLAN.at(parameters=8.8e13) == pytest.approx(1) == pytest.approx(scaling.KAPLAN.at(tokens=5.4e13))
    # Hoffmann et al. 2022, equation 10, with both terms: Chinchilla, 70 billion parameters and 1.4 trillion tokens.
    chinchilla = 1.69 + 406.4 / 70e9**0.34 + 410.7 / 1.4e12**0.28
    assert scaling.CHINCHILLA.at(parameters=70e9, tokens=1.4e12) == pytest.approx(chinchilla)
    assert "16%" in scaling.said() and "20%" in scaling.said()
    assert 1 - scaling.KAPLAN.at(parameters=1e9) / scaling.KAPLAN.at(parameters=1e8) == pytest.approx(0.16, abs=0.005)


def test_both_pictures_hold_lines_and_points():
    points = [dict(vars(point)) for point in scaling.bundled()]
    for along in ("parameters", "tokens"):
        traces = json.loads(charts.laws(along, scaling.lines(along), points))["data"]
        assert [trace["name"] for trace in traces] == [law.name for law in scaling.LAWS] + ["bundled models"]
        assert len(traces[-1]["x"]) == len(points)
