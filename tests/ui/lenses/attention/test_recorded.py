"""The real GPT-2, as others recorded it, on a page that has no weights."""

import json

import numpy as np
import pytest

from gptcore.errors import GPTCoreError
from ui.lenses.attention.handlers import codec, maps
from ui.lenses.attention.heads import recorded


def test_every_text_shows_all_heads_and_the_next_token(bundled):
    assert len(recorded.texts()) == 5
    for text in recorded.texts():
        picture, heads, following = (json.loads(value) for value in recorded.views(bundled, text))
        assert (heads["L"], heads["H"], "".join(heads["tokens"])) == (12, 12, text)
        assert [token["label"] for token in picture["tokens"]] == heads["tokens"]
        (section,) = following["sections"]
        assert len(section["rows"]) == 20 and "Transformer Explainer" in section["source"]
        assert section["rows"] == sorted(section["rows"], key=lambda row: -row[1])


def test_a_recorded_map_is_the_softmax_of_the_recorded_scores(bundled, shared):
    with np.load(shared / "golden" / "gpt2_124M_logits_attention.npz", allow_pickle=False) as kept:
        for index, text in enumerate(recorded.texts()):
            key = json.loads(recorded.views(bundled, text)[1])["key"]
            scores = kept[f"attn_scores_{index}"] / 8
            logits = kept[f"logits_{index}"].astype(np.float64)
            scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
            exps = np.exp(scores - scores.max(-1, keepdims=True))
            weights = exps / exps.sum(-1, keepdims=True)
            for layer, head in ((0, 0), (4, 11), (11, 3)):
                found = maps.chosen(
                    bundled, {"key": key, "layer": layer, "head": head, "mode": maps.RAW}
                )
                # of 16-bit scores
                np.testing.assert_allclose(found.weights, weights[layer, head], atol=0.01)
                assert codec.one_map(found.weights, causal=True, signed=False)
            exps = np.exp(logits - logits.max())
            best = json.loads(recorded.views(bundled, text)[2])["sections"][0]["rows"][0][1]
            assert best == pytest.approx(exps.max() / exps.sum(), rel=1e-3)


def test_the_picture_draws_where_its_heads_look_and_says_which_looks_hardest(bundled):
    text = recorded.texts()[0]
    picture, heads = (json.loads(value) for value in recorded.views(bundled, text)[:2])
    machine = picture["machine"]
    assert machine["said"] == (
        "GPT-2 continues with “visualize” (16%). Layer 4, head 11 has the strongest look back, "
        "at “users”, the token just before (100% of its attention)."
    )
    weights = maps.chosen(
        bundled, {"key": heads["key"], "layer": 4, "head": 11, "mode": maps.RAW}
    ).weights
    assert machine["blocks"][4]["looks"][11][0] == [
        4,
        pytest.approx(float(weights[5, 4]), abs=1e-3),
    ]
    # what parts write was not recorded, and is not drawn
    assert "attention" not in machine["blocks"][0]


def test_the_recording_is_refused_as_a_model_with_a_way_out(bundled):
    with pytest.raises(GPTCoreError, match=r"Attention, Heads.*--prefetch gpt2"):
        bundled.models.get("gpt2 (recorded)")


@pytest.mark.parametrize("text", ["another", "", None, 3])
def test_another_text_is_refused_with_those_that_there_are(bundled, text):
    with pytest.raises(GPTCoreError, match="is not recorded; choose one of 'Data visualization"):
        recorded.views(bundled, text)
