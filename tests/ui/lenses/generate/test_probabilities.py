"""The same guess under several settings, and the guides whose click sets the sliders."""

import json
import math

import pytest
import torch

from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling import candidates, penalise, struck_out
from gptcore.inference.sampling_settings import SamplingSettings
from ui.lenses.generate.compare.probabilities import probabilities
from ui.lenses.generate.handlers.distribution import table
from ui.lenses.generate.handlers.strategies import GUIDES, guides
from ui.shared import inputs
from ui.state.sessions import NextToken

TEXT = "the cat sat on the"


def asked(services, temperature, top_k, logits="", text=TEXT):
    services.models.get("tiny")
    request = {
        "model": "tiny",
        "text": text,
        "temperature": temperature,
        "top_k": top_k,
        "logits": logits,
    }
    return json.loads(probabilities(services, request))


def test_every_column_is_the_samplers_own_distribution_and_the_curve_counts_what_top_p_keeps(
    services, tiny_lm
):
    seen = asked(services, [0.5, 1, 2], [2, 4, 8])
    logits = last_logits(tiny_lm.model, prompt_ids(tiny_lm, TEXT))
    shown = logits.topk(8).indices.tolist()
    for name, settings in (("temperature", [0.5, 1, 2]), ("top_k", [2, 4, 8])):
        for (value, chances), wanted in zip(seen[name], settings, strict=True):
            left = candidates(logits, SamplingSettings(**{name: wanted}))
            expected = dict(zip(left.ids.tolist(), left.probabilities.tolist(), strict=True))
            assert value == wanted
            assert chances == pytest.approx([expected.get(token, 0) for token in shown], rel=1e-3)
    sums = dict(map(tuple, seen["curve"]))
    assert sums[len(logits)] == pytest.approx(1, abs=1e-4) and seen["vocabulary"] == len(logits)
    for p in (0.3, 0.6, 0.9):
        kept = next(n for n, total in seen["curve"] if total >= p)
        assert kept == len(candidates(logits, SamplingSettings(top_p=p)).ids)


LESSON = [3.0, 2.0, 1.0, 0.5, 0.1, -0.5, -1.0, -2.0]


@pytest.mark.parametrize(
    "written", ["3.0, 2.0, 1.0, 0.5, 0.1, −0.5, −1.0, −2.0", "[3 2 1 .5 .1 -.5 -1 -2]"]
)
def test_typed_logits_take_the_place_of_the_models(services, written):
    seen = asked(services, [0.5, 1, 2], [2, 4, 8], written, text="")
    for value, chances in seen["temperature"]:
        powers = [math.exp(logit / value) for logit in LESSON]
        assert chances == pytest.approx([power / sum(powers) for power in powers], rel=1e-3)
    for k, chances in seen["top_k"]:
        powers = [math.exp(logit) * (index < k) for index, logit in enumerate(LESSON)]
        assert chances == pytest.approx([power / sum(powers) for power in powers], rel=1e-3)
    assert seen["vocabulary"] == 8 and seen["tokens"][0] == "token 0"


def test_a_stage_has_its_entropy_and_what_it_removes(tiny_lm):
    # probabilities of 1/2, 1/4, 1/8 and 1/8
    logits = torch.tensor([2.0, 1.0, 0.0, 0.0]) * math.log(2)
    seen = NextToken("tiny", (0,), 1, logits)
    shown = table(tiny_lm.tokenizer, seen, SamplingSettings(top_k=2), 4)
    first, *_, last = shown["stages"]
    assert first["entropy"] == 1.75 and first["removed"] == 0.0 and first["candidates"] == 4
    # 2/3 and 1/3 are left
    assert last["entropy"] == round(math.log2(3) - 2 / 3, 3)
    assert last["removed"] == 0.25 and last["candidates"] == 2
    assert [row["p"][0] for row in shown["rows"]] == [0.5, 0.25, 0.125, 0.125]
    assert shown["vocab_size"] == 4


def test_every_guide_sets_sliders_that_are_accepted():
    for guide, shown in zip(GUIDES, guides(), strict=True):
        assert inputs.sampling(shown["settings"]) == guide[-1]
        assert len(shown["cells"]) == 5 and all(shown["cells"])


def test_what_is_struck_out_is_what_penalise_forbids(tiny_lm):
    ids = tiny_lm.tokenizer.encode("the cat sat on the cat sat")
    logits = last_logits(tiny_lm.model, ids)
    end = tiny_lm.tokenizer.end_id if tiny_lm.tokenizer.end_id is not None else 0
    settings = SamplingSettings(no_repeat_ngram_size=3, min_new_tokens=5)
    forbidden = struck_out(settings, ids, n_new=1, end_id=end)
    penalised = penalise(logits, settings, ids, n_new=1, end_id=end)
    assert {i for i, value in enumerate(penalised.tolist()) if value == -math.inf} == set(forbidden)
    assert set(forbidden.values()) == {"no_repeat_ngram_size", "min_new_tokens"}
