"""A preset's seconds end in words: on a slow or busy machine a smaller model learns, and the run says so."""

import pytest

from gptcore import GPTConfig
from gptcore.training import precision
from gptcore.training.precision import passes_rate
from ui.lenses.train.handlers import fitting, watching
from ui.lenses.train.handlers.forms import train_form
from ui.lenses.train.handlers.plan import make_plan
from ui.lenses.train.handlers.presets import PRESETS

SHORT, LONG = PRESETS["30 seconds, letters"], PRESETS["2 minutes, letters"]


@pytest.fixture
def rate(monkeypatch):
    def at(tokens_a_second):
        monkeypatch.setattr(fitting, "passes_rate", lambda *_, **__: tokens_a_second)

    return at


@pytest.mark.parametrize(
    ("preset", "tokens_a_second", "shape"),
    [(SHORT, 25_000, (4, 128, 32)), (SHORT, 10_000, (2, 96, 8)), (SHORT, 2_000, (1, 64, 8)),
     (LONG, 6_000, (4, 128, 32)), (LONG, 1_000, (1, 64, 8))],
)  # fmt: skip
def test_the_shape_is_what_the_seconds_allow(services, rate, preset, tokens_a_second, shape):
    rate(tokens_a_second)
    values, note = fitting.fitted(services, preset)
    assert (values["n_layer"], values["n_embd"], values["batch_size"]) == shape
    assert bool(note) == (shape != (4, 128, 32))
    train_form(values, services.limits)
    assert not note or note.startswith(
        f"This machine is slow or busy now: in {preset['length']} s it would make about "
    )


@pytest.mark.parametrize(
    "chosen",
    [
        {"n_layer": 3},
        {"batch_size": 16},
        {"length": "steps"},
        {"length": "cap"},
        {"rival": "norm"},
        {"trick": "no_mask"},
    ],
)
def test_what_a_visitor_has_chosen_stays(services, rate, chosen):
    rate(100)
    assert fitting.fitted(services, {**SHORT, **chosen}) == ({**SHORT, **chosen}, "")


def test_a_run_says_what_became_smaller(services, rate):
    rate(2_000)
    values, note = fitting.fitted(services, {**SHORT, "corpus": "yours", "written": "the cat sat on the mat. " * 200})
    workspace = watching.start(services, "b" * 22, train_form(values, services.limits), note=note)
    assert "1 layer × 64" in workspace.current.facts.note
    services.run_manager.stop_all()


@pytest.mark.parametrize("length", ["²", "9" * 5000, "7", None, 30, ["30"], float("nan")])
def test_a_length_that_is_none_is_left_for_the_form_to_refuse(services, rate, length):
    rate(100)
    assert fitting.fitted(services, {**SHORT, "length": length})[1] == ""


def test_the_rate_is_measured_on_real_passes():
    shape = GPTConfig(vocab_size=8, n_positions=8, n_embd=8, n_layer=1, n_head=1)
    assert 0 < passes_rate(shape, 2, "fp32", seconds=0.01) < 1e9


def test_two_passes_are_enough_where_they_are_clearly_fast_enough(monkeypatch):
    shape, passes = GPTConfig(vocab_size=8, n_positions=8, n_embd=8, n_layer=1, n_head=1), list[int]()
    monkeypatch.setattr(precision, "_seconds", lambda _, ids, __: passes.append(len(ids)))
    passes_rate(shape, 2, "fp32", seconds=0.01)
    assert len(passes) > 3
    passes.clear()
    passes_rate(shape, 2, "fp32", seconds=60, enough=1e-3)
    assert passes == [1, 2, 2]  # the first warms up


def test_the_rate_is_measured_on_the_shape_that_is_trained(services):
    shape, batch = fitting.first_shape()
    made = make_plan(services, train_form(SHORT, services.limits))
    assert (made.model().config, made.data.batch_size) == (shape, batch)
