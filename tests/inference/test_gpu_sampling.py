"""Tokens chosen where the logits are: as the host chooses them, also while the next step runs
ahead.
"""

import gc
from functools import partial

import pytest
import torch

from gptcore import GPTConfig, SamplingSettings
from gptcore.errors import CheckpointError
from gptcore.inference import engine
from gptcore.inference.batch import RunningBatch
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.gpu_sampling import Chosen, controls_of, fits, sample_on_gpu
from gptcore.inference.graphs import CapturedSteps
from gptcore.inference.packed import _pack, decode_step, packed_weights
from gptcore.inference.sampling import candidates, sample
from gptcore.inference.sequence import TokenSequence
from tiny import make_model, random_ids

SETTINGS = [
    SamplingSettings(temperature=0),
    SamplingSettings(),
    SamplingSettings(temperature=0.7, top_k=5),
    SamplingSettings(temperature=1.3, top_p=0.8),
    SamplingSettings(temperature=0.9, top_k=40, top_p=0.9, min_p=0.02),
    SamplingSettings(min_p=0.05),
    SamplingSettings(temperature=1e-9, top_k=3),
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_choice_on_the_gpu_is_the_hosts(settings):
    generator = torch.Generator().manual_seed(5)
    for seed in range(40):
        logits = 3 * torch.randn(1, 300, generator=generator)
        uniform = float(torch.rand((), generator=generator))
        choices = candidates(logits[0], settings)
        place = sample(choices, uniform)
        controls = controls_of(settings, uniform)
        told = sample_on_gpu(
            logits, torch.tensor([controls], dtype=torch.float64), controls.top_k == 0
        )
        found = Chosen(*told).tokens([8])[0]
        assert found.id == int(choices.ids[place]), seed
        assert found.n_candidates == len(choices.ids)
        assert found.sampling_probability == pytest.approx(
            float(choices.probabilities[place]), rel=1e-4
        )
        logprobs = logits[0].log_softmax(dim=0)
        assert found.logprob == pytest.approx(float(logprobs[found.id]), abs=1e-4)
        assert found.rank == 1 + int((logits[0] > logits[0, found.id]).sum())
        best = logprobs.topk(8)
        assert [alternative.id for alternative in found.alternatives] == best.indices.tolist()
        assert [alternative.logprob for alternative in found.alternatives] == pytest.approx(
            best.values.tolist(), abs=1e-4
        )


def test_rows_have_controls_of_their_own():
    logits = torch.tensor([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    controls = [
        controls_of(SamplingSettings(temperature=temperature), 0.99) for temperature in (0, 5)
    ]
    tokens = Chosen(
        *sample_on_gpu(logits, torch.tensor(controls, dtype=torch.float64), True)
    ).tokens([0, 0])
    assert [token.id for token in tokens] == [2, 0]
    assert [token.n_candidates for token in tokens] == [1, 3]


def test_what_needs_the_text_is_left_to_the_host():
    assert fits(SamplingSettings(top_k=50, top_p=0.9), 5)
    assert not fits(SamplingSettings(repetition_penalty=1.2), 5)
    assert not fits(SamplingSettings(no_repeat_ngram_size=2), 5)
    assert not fits(SamplingSettings(min_new_tokens=3), 5)
    assert not fits(SamplingSettings(top_k=100), 5)
    assert not fits(SamplingSettings(), 100)


SHAPE = GPTConfig(vocab_size=97, n_positions=40, n_embd=36, n_layer=2, n_head=3)


def captured(batch, model):
    """The batch as it is on a GPU, with a recorder that computes anew each time."""

    def capture(compute):
        compute()
        return compute

    batch._decoder._graphs = CapturedSteps(
        partial(decode_step, _pack(model, "fp32")), sample_on_gpu, capture=capture
    )
    return batch


def texts(batch, model, n_steps=70):
    """Sequences that join, leave, end early and outgrow their window, with what is said of every
    token.
    """
    prompts = random_ids(model.config, 5, 12).tolist()
    writing = [
        TokenSequence(
            prompt[: 3 + index], SETTINGS[index % len(SETTINGS)], seed=index, n_alternatives=3
        )
        for index, prompt in enumerate(prompts)
    ]
    for item in writing[:3]:
        batch.join(item, 50)
    written = {index: [] for index in range(len(writing))}
    for step in range(n_steps):
        if step == 7:
            batch.join(writing[3], 6)
        if step == 11:
            batch.leave(writing[0])
        if step == 30:
            batch.join(writing[4], 33)
        for one, token in batch.step():
            written[writing.index(one)].append(token)
    return written


def test_texts_chosen_for_on_the_gpu_are_those_of_the_host():
    model = make_model(SHAPE)
    expected = texts(RunningBatch(model, precision="exact"), model)
    found = texts(captured(RunningBatch(model, precision="exact"), model), model)
    for place, tokens in expected.items():
        assert [t.id for t in found[place]] == [t.id for t in tokens], place
        for ours, theirs in zip(found[place], tokens, strict=True):
            assert (ours.rank, ours.context_start, ours.end) == (
                theirs.rank,
                theirs.context_start,
                theirs.end,
            )
            assert ours.logprob == pytest.approx(theirs.logprob, abs=1e-3)
            assert [a.id for a in ours.alternatives] == [a.id for a in theirs.alternatives]


def test_a_mixture_with_a_row_that_needs_the_host_is_chosen_there():
    model = make_model(SHAPE)
    written = []
    for make in (lambda batch: batch, lambda batch: captured(batch, model)):
        batch = make(RunningBatch(model, precision="exact"))
        plain = TokenSequence([1, 2, 3], SamplingSettings(), seed=0)
        penalised = TokenSequence([4, 5], SamplingSettings(repetition_penalty=1.5), seed=1)
        batch.join(plain, 20)
        for step in range(25):
            if step == 6:
                batch.join(penalised, 5)
            list(batch.step())
        written.append((plain.ids, penalised.ids))
    assert written[0] == written[1]


def test_logits_that_are_no_numbers_are_refused():
    controls = torch.tensor([controls_of(SamplingSettings(), 0.5)], dtype=torch.float64)
    bad = Chosen(*sample_on_gpu(torch.full((1, 5), torch.nan), controls, True))
    sequence = TokenSequence([1], SamplingSettings(), seed=0)
    with pytest.raises(CheckpointError, match="not a number"):
        sequence.controls()
        sequence.take(bad.tokens([0])[0], is_last=False)


def test_recorded_steps_and_their_memory_wait_for_the_next_text():
    """Left behind where an engine is collected, also while its thread holds the list, and taken
    only where they fit.
    """
    model = make_model(SHAPE)
    packed = packed_weights(model, "exact")
    first = DecodeEngine(model, precision="exact")
    first.cache.add()
    first.cache.lengths[:] = [0]
    steps = first._captured(packed)
    steps.memory = first.cache.data
    with engine._IDLE:
        del first
        gc.collect()
    assert packed.idle == [steps]
    small = DecodeEngine(model, precision="exact", capacity=8)
    small.cache.add()
    assert small._captured(packed) is not steps and packed.idle == [steps]
    two, one = (DecodeEngine(model, precision="exact") for _ in range(2))
    for found, rows in ((two, 2), (one, 1)):
        for _ in range(rows):
            found.cache.add()
    assert two._captured(packed) is not steps
    assert one._captured(packed) is steps and one.cache.data is steps.memory and not packed.idle
