"""Parts that are switched off on the Attention tab, on a tiny model."""

import json

import pytest
import torch

from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.maps import IN_FRONT, RAW
from ui.lenses.attention.heads import ablation
from ui.lenses.attention.layers import lens

TEXT = "the cat sat on the mat and the dog"
READ = maps.AttentionForm("tiny", TEXT, RAW, "end")


def switched(services, off, replacement="zero", read=READ):
    return json.loads(ablation.switch_off(services, "v", read, off, replacement))


def test_switching_off_shows_both_distributions_and_leaves_the_model_alone(services, tiny_lm):
    ids = torch.tensor([tiny_lm.tokenizer.encode(TEXT)])
    before = tiny_lm.model(ids).logits[0, -1].detach().softmax(-1)
    value = switched(services, "L0-attention,L1H2")
    assert value["off"] == [[0, "attention", None], [1, "head", 2]] and value["example"] is False
    assert value["divergence"] > 0 and value["mlp"] is True
    for row in value["rows"]:
        assert row["before"] == pytest.approx(float(before[row["id"]]), rel=1e-3, abs=1e-6)
    torch.testing.assert_close(
        tiny_lm.model(ids).logits[0, -1].softmax(-1), before, atol=1e-6, rtol=1e-4
    )
    nothing = switched(services, "none", "mean")
    assert nothing["divergence"] == 0 and all(
        row["before"] == row["after"] for row in nothing["rows"]
    )


@pytest.mark.parametrize(
    ("off", "replacement", "said"),
    [
        ("all", "zero", "'all' is no part of a model"),
        ("L0", "zero", "'L0' is no part"),
        ([], "zero", "must be text"),
        ("L0-tail", "zero", "Write L5H6 for a head"),
        ("L0H1,", "zero", "'' is no part"),
        (None, "zero", "must be text"),
        ("none", "noise", "zero or mean"),
        ("L0.5H1", "zero", "is no part"),
        ("L-1H0", "zero", "is no part"),
        (
            ",".join(["L0H0"] * 2_001),
            "zero",
            "2,001 parts are to be switched off; 2,000 are allowed",
        ),
        ("L0H0," * 9_000, "zero", "characters; 20,000 are allowed"),
    ],
)
def test_parts_that_are_none_are_sentences(services, off, replacement, said):
    assert said in switched(services, off, replacement)["message"]


def test_trying_every_part_reports_layer_by_layer_and_stops(services):
    steps = [json.loads(step) for step in ablation.try_all(services, "v", READ, "zero")]
    assert [step["done"] for step in steps] == [1, 2] and len(steps[-1]["effects"]) == 2 * (4 + 2)
    single = switched(services, "L1H3")
    assert steps[-1]["effects"]["1,head,3"][0] == pytest.approx(single["divergence"], abs=1e-3)
    running = ablation.try_all(services, "v", READ, "mean")
    next(running)
    services.sessions.get("v").stop()
    assert [json.loads(step)["stopped"] for step in running] == [True]


def test_effects_say_what_they_belong_to_so_that_late_ones_can_be_left_out(services):
    first = json.loads(next(ablation.try_all(services, "v", READ, "zero")))
    shown = switched(services, "L0H1")
    other = switched(services, "none", read=maps.AttentionForm("tiny", TEXT + " ran", RAW, "end"))
    assert first["of"] == shown["of"] != other["of"] and "rows" not in first


def test_parts_that_another_model_lacks_are_dropped(services):
    value = switched(services, "L0H1,L5H0,L1H9,L1-mlp,L7-attention")
    assert value["off"] == [[0, "head", 1], [1, "mlp", None]]


def test_an_example_is_shown_until_a_part_is_switched_and_nothing_may_be_off(services):
    assert switched(services, "")["example"] is True and switched(services, "")["off"] == [
        [0, "attention", None]
    ]
    assert (
        switched(services, "none")["example"] is False and switched(services, "none")["off"] == []
    )


def test_the_end_of_text_token_in_front_counts_for_the_lens_and_for_switching_off_too(services):
    value = json.loads(lens.lens(services, None, maps.AttentionForm("tiny", TEXT, IN_FRONT, "end")))
    assert value["tokens"][0] == "<|endoftext|>"
    front = maps.AttentionForm("tiny", TEXT, IN_FRONT, "end")
    plain = switched(services, "none")
    fronted = switched(services, "none", read=front)
    assert plain["rows"][0]["before"] != fronted["rows"][0]["before"]
