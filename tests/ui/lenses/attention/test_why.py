"""Why a word: what is said follows the numbers, the numbers follow the model, and each claim
carries its check.
"""

import json
import re

import pytest
import torch

from gptcore.probe import Probe
from ui.lenses.attention.pair import patching
from ui.lenses.attention.why import attribution as why

TEXT = "Tom saw a zebra. Lily saw a lion. Tom gave food to the"


def explained(bundled, text=TEXT, word=None, rival=None, model="mini"):
    bundled.models.get(model)
    return json.loads(
        why.why(bundled, {"model": model, "text": text, "word": word, "rival": rival})
    )


def test_the_likeliest_word_is_explained_against_the_second_and_its_checks_are_the_model_s(bundled):
    found = explained(bundled)
    assert [found["word"], found["rival"]] == found["choices"][:2]
    lm = bundled.models.get("mini")
    logits = lm.model(torch.tensor([lm.tokenizer.encode(TEXT)])).logits[0, -1].detach()
    assert found["total"] == pytest.approx(
        float(logits[found["word"][2]] - logits[found["rival"][2]]), abs=2e-3
    )
    assert len(found["parts"]) + found["rest"][0] == 3 + 6 * 8
    total = sum(part["value"] for part in found["parts"]) + found["rest"][1]
    assert total == pytest.approx(found["total"], abs=0.01)
    head = next(part for part in found["parts"] if part["head"] is not None)
    word = found["word"][2]
    rival = found["rival"][2]

    class Without(Probe):
        def heads(self, layer, values):
            if layer == head["layer"]:
                values = values.clone()
                values[:, head["head"]] = 0
            return values

    with torch.no_grad():
        logits = lm.model(torch.tensor([lm.tokenizer.encode(TEXT)]), probe=Without()).logits[0, -1]
    assert head["really"] == pytest.approx(
        float(logits[word] - logits[rival]) - found["total"], abs=2e-3
    )


def test_of_a_text_beyond_the_window_its_end_is_explained_and_that_is_said(bundled):
    lm = bundled.models.get("mini")
    long = "The cat sat on the mat. " * 60 + TEXT
    ids = lm.tokenizer.encode(long)
    found = explained(bundled, long)
    assert (
        len(found["tokens"]) == 256
        and f"It reads the last 256 of the text's {len(ids):,} tokens." in found["said"]
    )
    assert "It reads the last" not in explained(bundled)["said"]
    logits = lm.model(torch.tensor([ids[-256:]])).logits[0, -1].detach()
    assert found["word"][2] == int(logits.argmax())


def test_another_word_and_rival_may_be_chosen(bundled):
    first = explained(bundled)
    turned = explained(bundled, word=first["rival"][2], rival=first["word"][2])
    assert turned["total"] == pytest.approx(-first["total"], abs=1e-3)
    assert turned["word"] == first["rival"]
    same = explained(bundled, word=first["word"][2], rival=first["word"][2])
    assert same["rival"] != same["word"]  # a word is explained against another


def part(name, value, really):
    numbers = [int(n) for n in re.findall(r"\d+", name)]
    layer, head = (*numbers, None, None)[:2]
    return {"name": name, "layer": layer, "head": head, "value": value, "really": really}


def concluded(parts, *others, n_layer=6, names=("a", "b")):
    """The conclusion on some parts, with what all others write."""
    return why.conclusion(*names, [part["value"] for part in parts] + list(others), parts, n_layer)


def test_the_conclusion_names_what_pushes_towards_the_word_and_whether_it_holds():
    parts = [part("L5H4", 2.7, -2.4), part("biases", -2.0, None), part("L5H5", 2.2, -1.0)]
    assert concluded(parts, 3.1, names=(" zebra", " lion")) == (
        "“zebra” rather than “lion”: the lead is +6.0 logits, mostly from L5H4 (+2.7) and L5H5 "
        "(+2.2). Switching L5H4 off cuts the lead by 2.4."
    )
    assert "cuts the lead by only 0.3: the MLP after it" in concluded(
        [part("L5H4", 2.7, -0.3)], 3.3
    )
    assert "does not cut the lead (+0.3)" in concluded([part("L5H4", 2.7, 0.3)], 3.3)
    early = concluded([part("L2H4", 2.7, -0.3)], 3.3)
    assert (
        "most of all from L2H4 (+2.7)" in early
        and "only 0.3: later layers react to the change." in early
    )
    last = concluded([part("the MLP of layer 5", 3.7, -0.3), part("L0H1", 0.2, -5.0)], 2.1)
    assert (
        "mostly from the MLP of layer 5 (+3.7)" in last
        and "only 0.3: the final norm after it reacts" in last
    )
    assert last.endswith("Of the parts below, switching off L0H1 does most (−5.0).")
    assert concluded([part("L5H4", 2.7, 0.3)], -2.5).startswith("Nothing stands out")
    assert "it comes from the embeddings and biases" in concluded([part("biases", 2.0, None)])
    against = concluded([part("L1H1", -2.0, 1.8)], -1.0)
    assert against.startswith(
        "“a” rather than “b”: the lead is −3.0 logits, mostly from L1H1 (−2.0)"
    )
    assert "cuts the lead by 1.8" in against


def test_parts_that_cancel_are_said_and_most_is_most_of_what_pushes_towards_the_word():
    said = concluded([part("L5H4", 2.7, -2.4), part("biases", -5.0, None)], 4.0)
    assert (
        "the lead is +1.7 logits, most of all from L5H4 (+2.7). Large parts cancel: +6.7 and "
        "−5.0 in all." in said
    )
    turned = concluded([part("L5H4", -2.7, 2.4), part("biases", 5.0, None)], -4.0)
    assert "Large parts cancel: −6.7 and +5.0 in all." in turned


@pytest.mark.parametrize("model", list(patching.PAIRS))
def test_every_example_pair_has_two_sure_answers_and_a_place_that_carries_them(bundled, model):
    for first, second in patching.pairs(model):
        *_, last = patching.grid(bundled, None, model, first, second)
        found = json.loads(last)
        assert "message" not in found, (first, found)
        own, other = found["chances"]
        assert own[0] > 2 * own[1] and other[1] > 2 * other[0], (first, found["chances"])
        assert len(found["rows"]) == found["total"] and found["rows"][-1][-1] == pytest.approx(
            1, abs=2e-3
        )
        assert found["said"]


def test_the_grid_grows_depth_by_depth_and_a_stop_keeps_it(bundled):
    first, second = patching.pairs("mini")[0]
    seen = [json.loads(step) for step in patching.grid(bundled, "v", "mini", first, second)]
    assert [len(step["rows"]) for step in seen] == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    running = patching.grid(bundled, "v", "mini", first, second)
    next(running)
    next(running)
    bundled.sessions.get("v").stop()
    assert json.loads(list(running)[-1])["stopped"]


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("Tom and Lily", "Tom"), "has 3 tokens and B 1"),
        (("", "Tom"), "Sentence A"),
        ((None, 3), "Sentence A"),
        (("The cat sat on the",) * 2, "no difference to explain"),
        (("a " * 100,) * 2, "at most 40 are compared"),
    ],
)
def test_pairs_that_cannot_be_compared_are_refused_in_a_sentence(bundled, pair, said):
    (only,) = patching.grid(bundled, None, "mini", *pair)
    assert said in json.loads(only)["message"]


def test_sentences_of_different_length_show_at_least_what_each_goes_on_with(bundled):
    first = "Tom saw a zebra. Tom gave food to the"
    second = "Once there was a queen who lived in a very big"
    (only,) = patching.grid(bundled, None, "mini", first, second)
    found = json.loads(only)
    assert "both need the same number" in found["message"]
    assert [words[0][0] for words in found["both"]] == [" zebra", " castle"]
    assert all(len(words) == 5 for words in found["both"])


def test_the_conclusion_says_where_the_difference_travels():
    a = ["Lily", " said", " to"]
    b = ["Tom", " said", " to"]
    rows = [[1.0, 0, 0], [0.9, 0, 0.1], [0.1, 0, 0.8], [0, 0, 1.0]]
    heads = [[0.0, 0.6], [0.3, 0.05], [0.0, 0.0]]
    assert patching.conclusion(a, b, rows, heads) == (
        "“Lily” alone holds the difference at first; in block 1 it moves to the last token, "
        "“to”, where the answer is read off. Most of it is carried by L0H1 (60%) and L1H0 "
        "(30%)."
    )
    edge = patching._HEADS
    at_the_limits = [[edge, -edge], [edge - 1e-6, 1e-6 - edge], [0.0, 0.0]]
    said = patching.conclusion(a, b, [[1.0, edge, 1e-6 - edge], *rows[1:]], at_the_limits)
    assert said.startswith(
        "“Lily” (100%) holds most of the difference at first, beside “said” (15%);"
    )
    assert said.endswith("carried most by L0H0 (15%); L0H1 (−15%) works against it.")
    slow = [[1.0, 0, 0], [0.3, 0, 0.3], [0.1, 0, 0.4], [0, 0, 1.0]]
    assert "in blocks 0 to 2 it moves" in patching.conclusion(a, b, slow, heads)
    none = [[0.2, 0, 0.2], *rows[1:]]
    assert patching.conclusion(a, b, none, [[0.0, 0.0]] * 3).endswith(
        "No single head carries much of it."
    )
    ends = [[0, 0, 1.0]] * 4
    assert patching.conclusion(a, ["Lily", " said", " by"], ends, heads).startswith(
        "The difference is at the last"
    )


def test_a_cell_that_is_carried_over_changes_what_b_goes_on_with(bundled):
    first, second = patching.pairs("mini")[0]
    (start, *_) = patching.grid(bundled, None, "mini", first, second)

    def patched(*cells):
        request = {"model": "mini", "first": first, "second": second, "cells": list(cells)}
        return json.loads(patching.patched(bundled, request))

    assert json.loads(start)["next"] == patched()["next"]
    assert patched()["next"][0][0] == " lion" and patched([0, 3])["next"][0][0] == " zebra"
    for cell in ([9, 0], ["x", 0], [0]):
        assert patched(cell)["message"]
