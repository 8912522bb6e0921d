"""Which device is chosen, and what happens when a GPU is full; GPUs are stood in for."""

from dataclasses import replace
from functools import partial

import gradio as gr
import pytest
import torch

from gptcore import SamplingSettings
from gptcore.errors import DeviceError
from gptcore.inference import engine
from gptcore.inference.sequence import TokenSequence
from gptcore.machine import CPU, choose_device, device_name
from ui.errors import shown_to_visitor
from ui.services import make_services
from ui.state.limits import Limits
from ui.state.model_store import ModelStore

FULL = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


def test_without_a_gpu_the_cpu_computes_and_an_unknown_device_is_refused(no_gpu):
    assert choose_device() == choose_device("cpu") == CPU
    assert device_name(CPU) == "the processor"
    with pytest.raises(DeviceError, match="'tpu'; choose one of auto, cpu, cuda, mps"):
        choose_device("tpu")


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_gpu_that_is_not_there_is_refused_by_name(no_gpu, name):
    with pytest.raises(
        DeviceError, match=f"finds no {name.upper()} device here. Leave --device out"
    ):
        choose_device(name)


def test_a_gpu_that_does_not_compute_right_is_passed_over(no_gpu, monkeypatch):
    """A build without this GPU's architecture finds the GPU, and fails at the first kernel."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr("gptcore.machine._computes_right", lambda device: device.type != "cuda")
    assert choose_device() == CPU
    with pytest.raises(DeviceError, match="computes a matrix product wrongly, or not at all"):
        choose_device("cuda")


def test_a_text_goes_on_on_the_cpu_when_the_gpu_is_full(monkeypatch):
    """The same tokens as without the interruption, and the visitor is told."""
    told = []
    services = replace(make_services(offline=True), notify=told.append)
    lm = services.models.get("mini")
    step = engine.decode_one
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 4:
            raise FULL
        return step(*arguments)

    def text():
        settings = SamplingSettings(temperature=0.8, top_k=20)
        return TokenSequence(
            lm.tokenizer.encode("Once upon"), settings, seed=3, tokenizer=lm.tokenizer
        )

    expected = text()
    found = text()
    whole = [token.made.id for token in services.scheduler.write(lm.model, [expected], 12)]
    monkeypatch.setattr(engine, "decode_one", interrupted)
    assert [token.made.id for token in services._write_on_gpu(lm, [found], 12)] == whole
    assert len(calls) > 4 and found.ids == expected.ids and found.end == "length"
    assert len(told) == 1 and "CPU" in told[0]
    assert services.models.get("mini") is not lm  # others find the copy on the CPU
    services.close()


def test_once_a_gpu_is_full_models_open_on_the_cpu(monkeypatch):
    # a device that is not the CPU
    services = make_services(offline=True, device=torch.device("meta"))
    monkeypatch.setattr("ui.state.model_store.device_name", lambda _: "a card")
    assert services.models.get("mini").model.wte.weight.device.type == "meta"

    def compute():
        raise FULL

    with pytest.raises(gr.Error, match="GPU has run out of memory") as told, shown_to_visitor():
        services.now(compute)
    assert "Try again" in str(told.value)
    assert services.models.device == CPU
    assert services.models.get("mini").model.wte.weight.device == CPU
    services.close()


def test_a_model_that_does_not_fit_on_the_gpu_opens_on_the_cpu(tiny_model, monkeypatch):
    moves = []

    def move(self, device):
        moves.append(str(device))
        if str(device) != "cpu":
            raise FULL
        return self

    monkeypatch.setattr(type(tiny_model), "to", move)
    lm = make_services(offline=True).models.get("mini")
    store = ModelStore(Limits(), loader=lambda *_, **__: lm, device=torch.device("cuda"))
    assert store.get("mini").model is lm.model and moves == ["cuda", "cpu"]


def test_a_run_on_a_full_gpu_ends_with_a_sentence(monkeypatch):
    from ui.lenses.train.handlers.forms import train_form
    from ui.lenses.train.handlers.plan import make_plan
    from ui.lenses.train.handlers.presets import PRESETS
    from ui.runs.training_run import TrainingRun

    services = make_services(offline=True)
    values = {
        **PRESETS["30 seconds, letters"],
        "length": "steps",
        "max_steps": 5,
        "n_layer": 1,
        "n_embd": 16,
    }
    run = TrainingRun(
        make_plan(services, train_form(values, services.limits)), services.compute_thread
    )

    def full(*_):
        raise FULL

    monkeypatch.setattr("gptcore.training.loop.Trainer._update", full)
    run.go()
    assert run.wait(60)
    assert "has no memory left for this run. Take a smaller batch" in run.record.reason
    services.close()


def test_what_an_apple_gpu_lacks_is_a_sentence():
    def lacking():
        raise NotImplementedError(
            "The operator 'aten::x' is not currently implemented for the MPS device."
        )

    with pytest.raises(gr.Error, match="Start the app with --device cpu"), shown_to_visitor():
        partial(lacking)()
