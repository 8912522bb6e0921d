"""Slides: real pictures of the right kind, and nothing for nonsense."""

import base64
import json

import numpy as np
import pytest

from ui.lenses.attention import figures
from ui.lenses.attention.view.attention_view import standalone_page

TOKENS = ["The", " cat", "\n", " $x$", " <b>"]


def content(url, kind):
    head, _, body = url.partition(",")
    assert head == {"png": "data:image/png;base64", "svg": "data:image/svg+xml;base64"}[kind]
    return base64.b64decode(body)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_a_map_is_drawn_as_a_slide(signed, dark):
    weights = np.tril(np.full((5, 5), 0.2)) * (-1 if signed else 1)
    weights[0] = np.nan
    drawn = figures.draw_map(weights, TOKENS, "mini · layer 0, head 1", "png", dark=dark, causal=True, signed=signed)
    png = content(drawn, "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(png[16:20], "big") >= 2600
    svg = content(figures.draw_map(weights, TOKENS, "t", "svg", dark=dark, causal=True, signed=signed), "svg")
    assert b"<svg" in svg


LENS = {
    "depths": ["embeddings", "layer 0"],
    "tokens": TOKENS,
    "best": [TOKENS, TOKENS],
    "probability": [[0.1] * 5, [0.9] * 5],
}
CHANGE = {"title": "Without head 0.1: $5", "rows": [{"label": " a", "before": 0.5, "after": 0.25}]}


def test_the_lens_and_the_change_are_drawn_as_slides():
    assert b"<svg" in content(figures.lens_picture({"value": json.dumps(LENS), "format": "svg", "dark": True}), "svg")
    assert (
        b"PNG"
        in content(figures.change_picture({"value": json.dumps(CHANGE), "format": "png", "dark": False}), "png")[:8]
    )


@pytest.mark.parametrize("draw", [figures.lens_picture, figures.change_picture])
@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        ["", "png", 1],
        ["{}", "png", True],
        ["[]", "svg", 0],
        ['{"rows": [{}], "title": 1}', "svg", 0],
        ["x" * 3_000_000, "png", True],
        [1, 2, 3],
        [json.dumps(LENS), "gif", True],
        [json.dumps(LENS), ["png"], True],
        ["[" * 200_000, "png", True],
        [json.dumps({**CHANGE, "rows": [{"label": "a", "before": float("nan"), "after": 1}]}), "png", True],
        [json.dumps({**LENS, "probability": [[1]]}), "svg", True],
    ],
)
def test_nonsense_is_not_drawn(draw, request_):
    assert draw(request_) is None


def test_a_page_of_its_own_cannot_be_broken_out_of_by_its_text():
    page = standalone_page(json.dumps({"text": "</script><script>alert(1)</script>"}), {"0,0": "abc"})
    assert page.count("</script>") == 1 and "\\u003c/script>" in page
    assert "http" not in page.replace("http://www.w3.org", "")
