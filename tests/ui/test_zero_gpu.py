"""Work for a GPU that is lent for a moment: the same texts and scores as here, and a way on when it
cannot be had.
"""

import itertools
import pickle
from types import SimpleNamespace

import gradio as gr
import pytest

from gptcore.inference.generation import continue_together
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.scoring import score_text
from gptcore.inference.sequence import TokenSequence
from tiny import ran
from ui.compute import zero_gpu
from ui.lenses.generate.write.score import score

PROMPTS = [[1, 2, 3, 4], [5, 6]]


def copied(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.fixture
def lent(services, tiny_lm, monkeypatch):
    """The GPU's function as on a Space, for a model of any size; values go and come pickled, as
    between processes.
    """
    said: list[str] = []

    def apart(work):
        for made in zero_gpu._on_gpu(copied(work)):
            yield copied(made)

    monkeypatch.setattr(zero_gpu, "ON_ZERO_GPU", True)
    monkeypatch.setattr(zero_gpu, "LARGE", 0)
    monkeypatch.setattr(zero_gpu, "_loaded", lambda name: {"tiny": tiny_lm}[name])
    monkeypatch.setattr(zero_gpu, "on_gpu", apart)
    object.__setattr__(services, "notify", said.append)  # of a frozen record
    return said


def texts(lm) -> list[TokenSequence]:
    settings = SamplingSettings(temperature=0.9, top_k=40)
    same = {"tokenizer": lm.tokenizer, "stop": ["zzzz"]}
    return [TokenSequence(ids, settings, seed=seed, **same) for seed, ids in enumerate(PROMPTS)]


def alone(lm, n_tokens: int) -> list[TokenSequence]:
    here = texts(lm)
    list(continue_together(lm.model, here, max_new_tokens=n_tokens))
    return here


def test_texts_from_the_gpu_are_those_written_here(services, tiny_lm, lent):
    mine = texts(tiny_lm)
    here = alone(tiny_lm, 20)
    made = list(services.write(tiny_lm, mine, 20))
    assert [(item.ids, item.end) for item in mine] == [(item.ids, item.end) for item in here]
    assert len(made) == sum(item.n_new for item in here) > 20 and lent == []


def test_a_token_s_seconds_begin_with_the_token_before(services, tiny_lm, lent, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(zero_gpu, "time", SimpleNamespace(perf_counter=lambda: 0.5 * next(ticks)))
    made = list(services.write(tiny_lm, texts(tiny_lm), 5))
    assert {token.seconds for token in made} == {0.5} and len(made) > 5


@pytest.mark.parametrize("n_before", [0, 1, 13])
@pytest.mark.parametrize("error", [gr.Error("quota exceeded."), RuntimeError("queue")])
def test_without_a_gpu_or_without_it_any_more_the_text_goes_on_and_is_the_same(
    services, tiny_lm, lent, monkeypatch, error, n_before
):
    def fails(work):
        for number, made in enumerate(zero_gpu._on_gpu(work)):
            if number == n_before:
                raise error
            yield made

    monkeypatch.setattr(zero_gpu, "on_gpu", fails)
    mine = texts(tiny_lm)
    made = list(services.write(tiny_lm, mine, 20))
    here = alone(tiny_lm, 20)
    assert [(item.ids, item.end) for item in mine] == [(item.ids, item.end) for item in here]
    assert len(made) == sum(item.n_new for item in here)
    assert len(lent) == 1 and "nothing is lost" in lent[0]
    assert ("quota exceeded)" in lent[0]) == isinstance(error, gr.Error)


def test_scores_are_the_same_with_a_gpu_and_without(services, tiny_lm, lent, monkeypatch):
    text = "the cat sat on the mat"
    assert services.score(tiny_lm, text) == score_text(tiny_lm, text)
    shown = score(services, "tiny", text)

    def fails(work):
        raise gr.Error("no GPU")

    monkeypatch.setattr(zero_gpu, "on_gpu", fails)
    assert score(services, "tiny", text) == shown and "no GPU" in lent[0]


def test_a_short_time_is_asked_for_and_never_a_long_one():
    work = zero_gpu.Work("gpt2-xl", max_new_tokens=100)
    assert (
        zero_gpu.duration(work) < 25
        and zero_gpu.duration(zero_gpu.Work("gpt2-xl", max_new_tokens=10**6)) <= 120
    )


@pytest.mark.slow
def test_elsewhere_nothing_is_wanted_with_the_package_and_without():
    """In processes of their own: what is imported first matters."""
    code = """
import sys
{before}
import app
from ui.compute import zero_gpu
assert not zero_gpu.ON_ZERO_GPU and zero_gpu.on_gpu is zero_gpu._on_gpu
assert (zero_gpu.spaces is None) == {missing}
if zero_gpu.spaces is not None:
    assert list(sys.modules).index("spaces") < list(sys.modules).index("torch")
"""
    for before, missing in (("", False), ("sys.modules['spaces'] = None", True)):
        done = ran("-c", code.format(before=before, missing=missing))
        assert done.returncode == 0, done.stderr
