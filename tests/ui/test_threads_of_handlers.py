"""Handlers compute in the computing place: OpenMP workers of their own would make every token there
slower.
"""

import importlib
import inspect
import json
import pkgutil
import re
from importlib import import_module
from typing import Any

import pytest
from tools.payload_types import servers
from torch.utils._python_dispatch import TorchDispatchMode

from gptcore.inference.sampling_settings import SamplingSettings
from ui.endpoints import ENDPOINTS
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.heads import ablation
from ui.lenses.attention.layers import lens
from ui.lenses.attention.pair import difference as compare
from ui.lenses.attention.pair import patching
from ui.lenses.generate.write import writing
from ui.lenses.start.handlers import sentence
from ui.lenses.train.handlers import labels, plan
from ui.lenses.train.handlers.forms import label_form, train_form, tune_form
from ui.lenses.train.handlers.presets import GPT1_TUNING, PRESETS
from ui.shared.inputs import WritingForm

PROMPT = "the cat sat"
OTHER = "the cat ran"
PAIR = "the cat sat a", "the cat sat z"  # which the model answers differently
READ = maps.AttentionForm("tiny", PROMPT)
SAMPLING = SamplingSettings(temperature=0.8, top_k=20, top_p=0.9, repetition_penalty=1.2)
FORM = WritingForm(SAMPLING, 4, (), 1, use_cache=True, tokens_per_second=0)
LESSON = (
    PRESETS["30 seconds, letters"]
    | GPT1_TUNING
    | {
        "corpus": "yours",
        "written": "the cat sat on the mat and the dog ran to the cat. " * 20,
        "input_form": "classification",
        "labelled": "\n".join(
            f"{animal}\tthe {animal} ran to the mat {n}"
            for animal in ("cat", "dog")
            for n in range(20)
        ),
    }
)
HANDLERS = {
    "a text": lambda s: list(writing.write(s, "v", "tiny", PROMPT, FORM)),
    "moved sliders": lambda s: [
        *writing.write(s, "v", "tiny", PROMPT, FORM),
        writing.redraw(s, "v", SAMPLING),
    ],
    "a look at a prompt": lambda s: writing.preview(s, "v", "tiny", PROMPT, FORM),
    "the endpoint": lambda s: ENDPOINTS["next_token"](s, PROMPT, n_rows=5, model="tiny"),
    "the first sentence": lambda s: json.loads(sentence.opening(s, "tiny"))["next"],
    "a part switched off": lambda s: json.loads(
        ablation.switch_off(s, "v", READ, "L0-mlp", "zero")
    )["rows"],
    "all heads": lambda s: list(maps.views(s, "v", READ)),
    "two texts compared": lambda s: json.loads(
        compare.compare(s, "v", "tiny", PROMPT, "tiny", OTHER)
    )["scores"],
    "the logit lens": lambda s: json.loads(lens.lens(s, "v", READ))["best"],
    "every part alone": lambda s: list(ablation.try_all(s, "v", READ, "zero")),
    "maps for a program": lambda s: ENDPOINTS["attention"](s, PROMPT, 0, 1, model="tiny"),
    "two sentences in a grid": lambda s: list(patching.grid(s, "v", "tiny", *PAIR)),
    "causes for a program": lambda s: ENDPOINTS["attribution"](s, PROMPT, model="tiny"),
    "a grid for a program": lambda s: ENDPOINTS["patching"](s, *PAIR, model="tiny"),
    "a run": lambda s: plan.make_plan(s, train_form(LESSON, s.limits)),
    "a model trained further": lambda s: plan.tuning_plan(
        s, s.models.get("tiny"), tune_form(LESSON, s.limits)
    ),
    "a run on labels": lambda s: labels.label_plan(
        s, s.models.get("tiny"), label_form(LESSON, s.limits)
    ),
}
# Handlers of this tab that compute nothing, or only by those above.
# The example is made when the app starts, before there is anybody to wait.
NOTHING = {
    "make_attention_example", "read", "read_ids", "chosen", "both_answers", "asked", "is_cut",
}  # fmt: skip
# Reading single numbers is no computation, nor making a tensor of what is there, nor putting lines
# in an order.
LIGHT = {
    "_local_scalar_dense",
    "select",
    "slice",
    "alias",
    "detach",
    "unbind",
    "clone",
    "_to_copy",
    "lift_fresh",
    "randperm",
    "resolve_conj",
    "resolve_neg",
}


class Here(TorchDispatchMode):
    """Notes what torch computes in this thread; others have their own mode."""

    def __init__(self) -> None:
        super().__init__()
        self.done: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.done.add(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", HANDLERS)
def test_a_handlers_thread_computes_nothing_that_workers_would_share(name, services):
    services.models.get("tiny")
    assert HANDLERS[name](services)
    with Here() as here:
        assert HANDLERS[name](services)
    assert not here.done - LIGHT


def test_every_handler_of_the_attention_tab_is_among_them():
    """Or a server function, all of which test_payloads.py asks in the same way."""
    lens_folder = importlib.import_module("ui.lenses.attention")
    names = [
        module.name
        for module in pkgutil.walk_packages(lens_folder.__path__, "ui.lenses.attention.")
    ]
    modules = [import_module(name) for name in names if not name.endswith((".view", ".tab"))]
    assert {ablation, compare, lens, maps} <= set(modules)
    found = {
        name
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
        and next(iter(inspect.signature(function).parameters), "") == "services"
    }  # fmt: skip
    source = inspect.getsource(
        inspect.getmodule(test_every_handler_of_the_attention_tab_is_among_them)
    )
    tried = {name for name in found if re.search(rf"(\.{name}|\[\"{name}\"\])\(s,", source)} | set(
        servers()["Attention"]
    )
    assert found - tried <= NOTHING and tried >= {
        "views",
        "head_map",
        "steps",
        "arithmetic",
        "compare",
        "neurons",
    }
