"""What a head does whatever the text: the core's numbers, and words that follow them."""

import json

import pytest

from gptcore.analysis import Composition, HeadCircuits, head_circuits
from ui.lenses.attention.handlers.head_weights import conclusion, head_weights


def test_the_lists_are_the_core_s(services, tiny_lm):
    services.models.get("tiny")
    found = json.loads(head_weights(services, {"model": "tiny", "layer": 1, "head": 2}))
    core = head_circuits(tiny_lm.model, 1, 2)
    assert [logit for _, logit in found["copied"]] == pytest.approx([logit for _, logit in core.copied], abs=0.006)
    assert found["copying"] == pytest.approx(core.copying, abs=0.006) and len(found["suppressed"]) == 10
    assert [name for name, *_ in found["compositions"]] == [f"head {one.layer}.{one.head}" for one in core.compositions]


def test_the_words_follow_the_numbers():
    def said(copying, *scores):
        compositions = tuple(Composition(1, head, "K", score) for head, score in enumerate(scores))
        return conclusion(
            "5.4", HeadCircuits((), (), copying, compositions), [" Jane", " Lucy", " Sue", " Mia"], width=225
        )

    assert said(0.99, 0.4, 0.1) == (
        "Head 5.4 copies: a token that it looks at becomes likelier, most of all “Jane”, “Lucy” and “Sue”. It builds "
        "on head 1.0 in what it looks at (0.40)."
    )
    assert "suppresses: most tokens" in said(-0.7) and said(-0.7).endswith("No head comes before it.")
    assert said(0.1, 0.1).startswith("Nothing stands out") and "no earlier head in particular" in said(0.1, 0.1)
