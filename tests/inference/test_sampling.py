import math

import pytest
import torch

from gptcore.errors import SamplingError
from gptcore.inference.sampling import (
    Candidates,
    candidates,
    penalise,
    sample,
    stages,
    uniform_number,
)
from gptcore.inference.sampling_settings import SamplingSettings


def logits_of(seed: int, size: int = 200, *, ties: bool = False) -> torch.Tensor:
    logits = torch.randn(size, generator=torch.Generator().manual_seed(seed)) * 3
    return logits.round() if ties else logits


def reference_nucleus(probabilities: torch.Tensor, top_p: float) -> list[int]:
    """Top-p as its definition says, one token at a time; of equal ones the lower id first."""
    kept = []
    total = 0.0
    for i in sorted(range(len(probabilities)), key=lambda i: (-float(probabilities[i]), i)):
        kept.append(i)
        total += float(probabilities[i])
        if total >= top_p:
            break
    return kept


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": math.nan},
        {"temperature": -0.1},
        {"temperature": math.inf},
        {"temperature": "hot"},
        {"temperature": True},
        {"temperature": 10**400},
        {"top_k": -1},
        {"top_k": 2.5},
        {"top_p": 0.0},
        {"top_p": 1.01},
        {"top_p": math.nan},
        {"min_p": -0.1},
        {"min_p": 1.5},
        {"repetition_penalty": 0.0},
        {"repetition_penalty": math.inf},
        {"no_repeat_ngram_size": -1},
        {"min_new_tokens": 1.5},
    ],
)
def test_a_control_outside_its_range_is_refused_with_its_name_and_value(settings):
    with pytest.raises(SamplingError) as error:
        SamplingSettings(**settings)
    name, value = next(iter(settings.items()))
    assert (
        name in str(error.value)
        and repr(value) in str(error.value)
        and "must be" in str(error.value)
    )


def test_top_k_over_the_vocabulary_is_refused_with_the_limit():
    with pytest.raises(SamplingError, match=r"Top-k is 51.* 50 tokens"):
        SamplingSettings(top_k=51).check_vocabulary(50)


def test_temperature_zero_is_argmax_and_a_tiny_one_never_nan():
    logits = logits_of(0)
    assert candidates(logits, SamplingSettings(temperature=0)).ids.tolist() == [
        int(logits.argmax())
    ]
    for temperature in (1e-30, 1e-46, 1e-320):
        tiny = candidates(logits, SamplingSettings(temperature=temperature))
        assert int(tiny.ids[0]) == int(logits.argmax()) and float(tiny.probabilities[0]) == 1.0
        assert stages(logits, SamplingSettings(temperature=temperature))[-1].entropy == 0.0
    assert torch.isfinite(
        candidates(logits, SamplingSettings(temperature=1e30)).probabilities
    ).all()


def test_logits_may_come_from_a_pass_with_gradients_or_in_16_bits():
    logits = logits_of(0)
    for settings in ({"temperature": 0}, {"top_k": 5, "top_p": 0.9}, {"top_p": 0.9}, {}):
        made = SamplingSettings(**settings)
        expected = candidates(logits, made)
        assert candidates(logits.clone().requires_grad_(), made).ids.equal(expected.ids)
        half = candidates(logits.bfloat16(), made)
        whole = candidates(logits.bfloat16().float(), made)
        assert half.ids.equal(whole.ids) and half.probabilities.dtype == torch.float32
    largest = logits.topk(9)
    for k in (1, 4, 8, 9, 30):  # enough at hand, and too few
        alone, given = (
            candidates(logits, SamplingSettings(top_k=k), largest=at_hand)
            for at_hand in (None, largest)
        )
        assert alone.ids.equal(given.ids) and alone.probabilities.equal(given.probabilities)


@pytest.mark.parametrize("k", [1, 3, 17, 199, 200])
def test_top_k_keeps_exactly_k_also_on_ties_and_prefers_lower_ids(k):
    logits = logits_of(1, ties=True)
    kept = candidates(logits, SamplingSettings(top_k=k)).ids.tolist()
    expected = sorted(range(200), key=lambda i: (-float(logits[i]), i))[:k]
    assert sorted(kept) == sorted(expected)
    if k < 200:
        assert kept == expected


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("top_p", [0.01, 0.3, 0.77, 0.95, 0.9999])
def test_top_p_keeps_the_smallest_set_with_the_token_that_crosses(top_p, ties):
    for seed in range(20):
        logits = logits_of(seed, ties=ties)
        kept = candidates(logits, SamplingSettings(top_p=top_p)).ids.tolist()
        assert kept == reference_nucleus(logits.softmax(0), top_p)


def test_top_p_after_top_k_counts_the_renormalised_probabilities():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1]).log()
    kept = candidates(logits, SamplingSettings(top_k=2, top_p=0.5))  # 0.4 / 0.7 crosses 0.5 alone
    assert kept.ids.tolist() == [0]
    assert candidates(logits, SamplingSettings(top_k=2, top_p=0.6)).ids.tolist() == [0, 1]


def test_min_p_is_relative_to_the_most_likely_token():
    logits = torch.tensor([0.5, 0.26, 0.2, 0.04]).log()
    assert candidates(logits, SamplingSettings(min_p=0.5)).ids.tolist() == [0, 1]
    flat = torch.zeros(5000)
    assert len(candidates(flat, SamplingSettings(min_p=1.0)).ids) == 5000


@pytest.mark.parametrize(
    "settings",
    [
        SamplingSettings(),
        SamplingSettings(temperature=0.7),
        SamplingSettings(top_k=50),
        SamplingSettings(top_p=0.9),
        SamplingSettings(temperature=0.8, top_k=50, top_p=0.95),
        SamplingSettings(min_p=0.1, temperature=1.5),
        SamplingSettings(temperature=0),
    ],
)
def test_the_last_stage_shown_is_what_is_sampled_from(settings):
    logits = logits_of(5, 5000)
    shown = stages(logits, settings)
    chosen = candidates(logits, settings)
    full = torch.zeros(5000).index_put((chosen.ids,), chosen.probabilities)
    torch.testing.assert_close(shown[-1].probabilities, full, atol=1e-7, rtol=1e-5)
    assert shown[-1].n_candidates == int((full > 0).sum())
    assert shown[0].name == "softmax" and shown[0].n_candidates == 5000
    assert all(float(stage.probabilities.sum()) == pytest.approx(1, abs=1e-5) for stage in shown)


def test_stages_report_entropy_and_the_mass_that_each_cut_removed():
    logits = torch.tensor([0.5, 0.25, 0.125, 0.125]).log()
    softmax, temperature, top_k, top_p = stages(logits, SamplingSettings(top_k=3, top_p=0.8))
    assert softmax.entropy == pytest.approx(1.75)
    assert temperature.mass_removed == 0
    assert top_k.mass_removed == pytest.approx(0.125) and top_k.n_candidates == 3
    assert top_p.mass_removed == pytest.approx(1 / 7) and top_p.n_candidates == 2


def test_repetition_penalty_divides_positive_and_multiplies_negative_logits():
    logits = torch.tensor([2.0, -2.0, 1.0])
    changed = penalise(logits, SamplingSettings(repetition_penalty=2.0), [0, 1, 1])
    assert changed.tolist() == [1.0, -4.0, 1.0]
    assert logits.tolist() == [2.0, -2.0, 1.0]


def test_penalties_agree_with_transformers():
    from transformers import (
        LogitsProcessorList,
        NoRepeatNGramLogitsProcessor,
        RepetitionPenaltyLogitsProcessor,
    )

    ids = torch.randint(0, 6, (1, 30), generator=torch.Generator().manual_seed(0))
    logits = logits_of(3, 6)
    theirs = LogitsProcessorList(
        [RepetitionPenaltyLogitsProcessor(1.3), NoRepeatNGramLogitsProcessor(3)]
    )
    settings = SamplingSettings(repetition_penalty=1.3, no_repeat_ngram_size=3)
    torch.testing.assert_close(
        penalise(logits, settings, ids[0].tolist()), theirs(ids, logits[None].clone())[0]
    )


def test_the_end_token_is_impossible_before_the_minimum_length():
    settings = SamplingSettings(min_new_tokens=2)
    logits = torch.zeros(4)
    assert penalise(logits, settings, [1], n_new=1, end_id=3)[3] == -math.inf
    assert penalise(logits, settings, [1], n_new=2, end_id=3)[3] == 0


def test_banning_every_token_bans_none():
    assert torch.isfinite(
        penalise(torch.zeros(2), SamplingSettings(no_repeat_ngram_size=1), [0, 1])
    ).all()


def test_samples_follow_the_distribution():
    choices = Candidates(torch.tensor([7, 2, 9]), torch.tensor([0.6, 0.3, 0.1]))
    generator = torch.Generator().manual_seed(0)
    counts = torch.zeros(10)
    for _ in range(20_000):
        counts[choices.ids[sample(choices, uniform_number(generator))]] += 1
    # Three standard deviations of a share at n = 20,000 are about 0.01.
    torch.testing.assert_close(
        counts[[7, 2, 9]] / 20_000, choices.probabilities, atol=0.011, rtol=0
    )
