"""A preset's seconds end in words: on a slow or busy machine a smaller model learns, and the run
says so.
"""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from gptcore import GPTConfig
from ui.lenses.train.handlers import fitting, rates, watching
from ui.lenses.train.handlers.forms import RIVALS, rival_of, train_form
from ui.lenses.train.handlers.plan import make_plan
from ui.lenses.train.handlers.presets import PRESETS, STORY_WRITER, offered
from ui.state.limits import PROFILES

SHORT = PRESETS["30 seconds, letters"]
LONG = PRESETS["2 minutes, letters"]


@pytest.fixture
def rate(monkeypatch):
    def at(tokens_a_second):
        monkeypatch.setattr(fitting, "passes_rate", lambda *_, **__: tokens_a_second)

    return at


@pytest.mark.parametrize(
    ("preset", "tokens_a_second", "shape"),
    [
        (SHORT, 25_000, (4, 128, 32)),
        (SHORT, 10_000, (2, 96, 8)),
        (SHORT, 2_000, (1, 64, 8)),
        (LONG, 6_000, (4, 128, 32)),
        (LONG, 1_000, (1, 64, 8)),
    ],
)
def test_the_shape_is_what_the_seconds_allow(services, rate, preset, tokens_a_second, shape):
    rate(tokens_a_second)
    values, note = fitting.fitted(services, preset)
    assert (values["n_layer"], values["n_embd"], values["batch_size"]) == shape
    assert bool(note) == (shape != (4, 128, 32))
    train_form(values, services.limits)
    slow = f"This machine is slow or busy now: in {preset['length']} s it would make about "
    assert not note or note.startswith(slow)


@pytest.mark.parametrize(
    "chosen", [{"n_layer": 3}, {"batch_size": 16}, {"length": "steps"}, {"length": "cap"}]
)
def test_what_a_visitor_has_chosen_stays(services, rate, chosen):
    rate(100)
    assert fitting.fitted(services, {**SHORT, **chosen}) == ({**SHORT, **chosen}, "")


def test_what_is_broken_shrinks_like_what_is_not_and_a_race_has_half_of_the_cpu_each(
    services, rate
):
    rate(25_000)
    assert fitting.fitted(services, {**SHORT, "trick": "no_mask"})[0]["n_layer"] == 4
    values, note = fitting.fitted(services, {**SHORT, "trick": "no_mask", "rival": "healthy"})
    assert (values["n_layer"], values["n_embd"], values["trick"]) == (2, 96, "no_mask") and note
    rate(100)
    for rival in RIVALS:
        values, note = fitting.fitted(services, {**SHORT, "rival": rival})
        made = train_form(values, services.limits)
        assert (
            made.n_embd == 64
            and note
            and (rival in ("none", "healthy") or rival_of(made) is not None)
        )


def test_a_run_says_what_became_smaller(services, rate):
    rate(2_000)
    values, note = fitting.fitted(
        services, {**SHORT, "corpus": "yours", "written": "the cat sat on the mat. " * 200}
    )
    workspace = watching.start(services, "b" * 22, train_form(values, services.limits), note=note)
    assert "1 layer × 64" in workspace.current.facts.note
    services.run_manager.stop_all()


@pytest.mark.parametrize("length", ["²", "9" * 5000, "7", None, 30, ["30"], float("nan")])
def test_a_length_that_is_none_is_left_for_the_form_to_refuse(services, rate, length):
    rate(100)
    assert fitting.fitted(services, {**SHORT, "length": length})[1] == ""


def test_the_rate_is_measured_on_the_shape_that_is_trained(services):
    shape, batch = fitting.first_shape()
    made = make_plan(services, train_form(SHORT, services.limits))
    assert (made.model().config, made.data.batch_size) == (shape, batch)


@pytest.fixture
def card(services, monkeypatch):
    """Services of a machine with a GPU whose updates take a millisecond, and some for what they
    read.
    """

    def with_speed(tokens_a_second: float):
        def seconds(shape, config, device):
            size = shape.n_layer * shape.n_embd**2 / (4 * 128**2)
            return 0.001 + size * config.batch_size * shape.n_positions / tokens_a_second

        monkeypatch.setattr(fitting, "update_seconds", seconds)
        monkeypatch.setattr(fitting, "faster_precision", lambda *_, **__: "bf16")
        monkeypatch.setattr(fitting, "device_name", lambda _: "A card")
        return replace(services, device=torch.device("cuda"))

    return with_speed


def own_text(characters: int) -> dict[str, object]:
    return {
        **SHORT,
        "corpus": "yours",
        "written": ("the cat sat on the mat. " * (characters // 24 + 1))[:characters],
    }


def test_on_a_gpu_the_batch_grows_while_updates_are_mostly_launches_and_the_model_with_the_text(
    card,
):
    values, note = fitting.fitted(card(50e6), own_text(20_000))
    assert values["batch_size"] == 256 and values["n_embd"] == 128
    assert "batches of 256 windows instead of 32" in note and note.startswith(
        "A card makes about 961 updates"
    )
    values, note = fitting.fitted(card(30e6), own_text(19_900_000))
    assert (values["n_layer"], values["n_embd"]) == (6, 256) and "6 layers of 256 channels" in note
    assert values["dropout"] == SHORT["dropout"]


def test_what_is_read_many_times_is_not_learned_by_heart(card):
    values, note = fitting.fitted(card(2e6), own_text(20_000))
    assert values["batch_size"] == 32 or values["batch_size"] == 64
    assert (values["dropout"], values["noise"], values["weight_decay"]) == (0.2, 0.15, 1.0)
    assert "times" in note


def test_on_a_gpu_what_was_chosen_stays(card):
    chosen = {**own_text(20_000), "batch_size": 48}
    assert fitting.fitted(card(50e6), chosen) == (chosen, "")
    assert fitting.fitted(card(50e6), {**own_text(20_000), "length": "steps"})[1] == ""


def test_a_cpu_is_told_what_the_story_writer_takes_and_a_public_server_does_not_offer_it(
    services, monkeypatch
):
    monkeypatch.setattr(fitting, "passes_rate", lambda *_, **__: 10_000)
    values, note = fitting.fitted(services, PRESETS[STORY_WRITER])
    assert values == PRESETS[STORY_WRITER]
    assert "reads about 40 million tokens in 30 s" in note
    assert "0.3 million in 30 s" in note and "78 minutes" in note
    assert STORY_WRITER in offered(PROFILES["local"]) and STORY_WRITER not in offered(
        PROFILES["space"]
    )


def test_throughput_is_tokens_over_the_time_that_the_passes_took(monkeypatch):
    times = iter([7.0, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5])
    clock = SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr(rates, "time", clock)
    monkeypatch.setattr(rates, "_pass", lambda *_: None)
    shape = GPTConfig(vocab_size=31, n_positions=10, n_embd=8, n_layer=1, n_head=1)
    # two passes of 4 x 10 tokens begin within 1.2 s, and two seconds pass in all
    assert rates.passes_rate(shape, 4, "fp32", seconds=1.2) == 2 * 4 * 10 / 2.0
