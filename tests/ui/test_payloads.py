"""Every server function answers with exactly what its annotation says, and refuses any other
request.
"""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError
from test_threads_of_handlers import LIGHT, Here
from tools.payload_types import servers

import ui
from gptcore.config import PRESETS
from gptcore.tokenizers.base import END_OF_TEXT
from helpers import LESSON, SCENE
from ui.lenses.attention.handlers import maps
from ui.lenses.parameters.handlers import shapes
from ui.lenses.train.handlers import watching
from ui.lenses.train.handlers.forms import train_form
from ui.payloads import probability, rounded
from ui.services import Services
from ui.state.broadcasts import name_of

TEXT = "Tom saw a zebra. Tom gave food to the"
SEEN = {"model": "mini", "text": TEXT}
SECRET = "a-secret-of-a-page-that-leads"
PAIR = {**SEEN, "word": 1000, "rival": 1001}


def asked(services: Services) -> dict[str, dict[str, Any]]:
    """A request for every server function, by "tab.name"."""
    seen = maps.read(services, None, maps.AttentionForm("mini", TEXT))
    head = {"key": seen.key, "layer": 1, "head": 2, "mode": maps.RAW}
    workspace = watching.start(services, None, train_form(LESSON, services.limits))
    assert workspace.run is not None and workspace.current is not None and workspace.run.wait(120.0)
    run = {"workspace": workspace.id, "run": workspace.current.id}
    return {
        "Attention.arithmetic": {**head, "row": 3, "column": 1},
        "Attention.arrays": head,
        "Attention.circuit": PAIR,
        "Attention.circuit_without": {**PAIR, "off": [["head", 1, 2, 3]]},
        "Attention.formed": PAIR,
        "Attention.head_difference": {**head, "key": f"{seen.key}:{seen.key}"},
        "Attention.head_map": head,
        "Attention.head_weights": {"model": "mini", "layer": 1, "head": 2},
        "Attention.inner_sizes": {},
        "Attention.neurons": {**SEEN, "layer": None, "neuron": None},
        "Attention.patched": {"model": "mini", "first": TEXT, "second": TEXT, "cells": [[0, 1]]},
        "Attention.steps": head,
        "Attention.why": PAIR,
        "Exercises.check": {
            "name": "embedding",
            "answer": "38,597,376",
            "workspace": workspace.id,
            "written": None,
        },
        "Exercises.exercises": {},
        "Exercises.results": {"secret": SECRET},
        "Exercises.solution": {"name": "embedding"},
        "Generate.cut": SEEN,
        "Generate.learned": {"text": TEXT, "merges": 5},
        "Generate.probabilities": {
            **SEEN,
            "temperature": [0.5, 1, 2],
            "top_k": [1, 2, 3],
            "logits": "",
        },
        "Generate.steps": {"tokenizer": "mini", "text": TEXT},
        "Hall.code": {"link": "http://127.0.0.1:7860/"},
        "Hall.follow": {
            "name": name_of(SECRET),
            "page": SECRET,
            "version": 0,
            "number": 0,
            "start": 0,
            "guess": 0,
        },
        "Hall.lead": {"secret": SECRET, "scene": SCENE, "workspace": workspace.id, "written": None},
        "Hall.speaker_notes": {"key": services.talk.key},
        "Parameters.drawn": {"shape": shapes.controls_of(PRESETS["mini"])},
        "Start.chapters": {},
        "Start.typed": {**SEEN, "without": "L0H1"},
        "Start.guesses": {"model": "mini", "ids": [1, 2, 3], "at": None, "without": "L0-mlp"},
        "Start.another": {
            "model": "mini",
            "ids": [1, 2],
            "without": "none",
            "temperature": 1.0,
            "shown": [5],
            "share": 0.5,
        },
        "Train.token_probabilities": {**run, "text": ""},
        "Train.command": {"workspace": workspace.id, "command": "pause", "value": None},
        "Train.duel": {"workspace": workspace.id, "chosen": None, "number": None},
        "Train.heads": {**run, "look": 0},
        "Train.past": run,
        "Train.phone": {"link": "http://127.0.0.1:7860/"},
        "Train.poll": {
            "workspace": workspace.id,
            "run": None,
            "version": 0,
            "rows": 0,
            "looks": 0,
            "rival": None,
        },
        "Train.recording": run,
        "Train.classify": {**run, "text": "a line"},
    }


@pytest.fixture(scope="module")
def requests(bundled) -> dict[str, dict[str, Any]]:
    return asked(bundled)


FUNCTIONS = {
    f"{tab}.{name}": item
    for tab, names in servers().items()
    for name, found in names.items()
    for item in found
}


def conforms(value: object, hint: Any) -> bool:
    """Whether a value is what its annotation says, with no field more or less. Texts that hold JSON
    are read.
    """
    if get_origin(hint) in (Union, UnionType):
        return any(conforms(value, option) for option in get_args(hint))
    if get_origin(hint) is Annotated and isinstance(value, str):
        value = json.loads(value)
        hint = get_args(hint)[1]
    adapter = TypeAdapter(hint)
    sent = json.dumps(value, allow_nan=False)
    try:
        return json.loads(
            json.dumps(adapter.dump_python(adapter.validate_json(sent, strict=True)))
        ) == json.loads(sent)
    except ValidationError:
        return False


def answer(function: Callable[..., object], services: Services, request: object) -> object:
    """With the services, if the function takes them."""
    takes = "services" in function.__annotations__ or "_" in function.__annotations__
    return function(services, request) if takes else function(request)


def test_every_server_function_is_asked_here_and_a_component_calls_no_other(requests):
    assert set(requests) == set(FUNCTIONS)
    known = {name.partition(".")[2] for name in FUNCTIONS}
    for file in Path(ui.__file__).parent.rglob("*.js"):
        called = set(re.findall(r"\bserver\.(\w+)\(", file.read_text(encoding="utf-8")))
        assert called <= known, f"{file.name}: {called - known}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_server_function_answers_with_what_its_type_says_and_computes_in_the_computing_place(
    name, bundled, requests
):
    found = answer(FUNCTIONS[name], bundled, requests[name])
    assert found is not None and conforms(
        found, get_type_hints(FUNCTIONS[name], include_extras=True)["return"]
    ), found
    if name.startswith(("Attention", "Generate", "Start")):
        with Here() as here:
            answer(FUNCTIONS[name], bundled, requests[name])
        assert not here.done - LIGHT


# What is changed of a good request, or what is sent in its place, and the sentence that it is
# answered with.
REFUSED = {
    "Attention.neurons": (
        ({"model": "nothing"}, "not open"),
        ({"text": ""}, "empty"),
        ({"layer": -1}, "between 0 and"),
        ({"neuron": 10**9}, "between 0 and"),
        (None, "not open"),
    ),
    "Attention.why": (
        ({"model": "none"}, "not open"),
        ({"text": ""}, "empty"),
        ({"word": 10**9}, "The token"),
        ({"word": "x"}, "The token"),
        ({"text": 3}, "text"),
        (None, "not open"),
        ([], "not open"),
    ),
    "Attention.circuit_without": (
        *(
            ({"off": off}, "")
            for off in (
                "x",
                [["head", 0, 0]],
                [["head", 9, 0, 0]],
                [["head", 0, 99, 0]],
                [["answer", 6, 0, 0]],
                [[None] * 4],
                [["neuron", 0, 0, 99]],
                [["head", 0, 0, 0]] * 41,
            )
        ),
    ),
    "Generate.cut": (
        ({"text": "x" * 1001}, "1,001 characters; 1,000"),
        ({"text": ""}, "empty"),
        (None, "must be text"),
        ({"model": ""}, "No model is chosen"),
        ({"text": "a\ud800"}, "half of a surrogate"),
    ),
    "Generate.steps": (
        ({"tokenizer": "nothing"}, "There is no model 'nothing'"),
        (7, "model's name must be text"),
        ({"tokenizer": "shakespeare-char"}, "byte-level"),
    ),
    "Generate.learned": (
        ({"merges": 0}, "between 1 and 300"),
        ({"merges": "many"}, "whole number"),
        ({"text": "x" * 20_001}, "20,000 are allowed"),
    ),
    "Generate.probabilities": (
        ({"model": "nothing"}, "not open"),
        ({"text": ""}, "empty"),
        (7, "list of logits"),
        ({"temperature": [1, None, 1]}, "Temperature in column 2 is empty"),
        ({"temperature": [1, 1]}, "3 values"),
        ({"top_k": [1, 2.5, 1]}, "whole number"),
        ({"top_k": [1, 0, 1]}, "between 1 and"),
        *(
            ({"logits": written}, "logit")
            for written in ("3", "3, x", "3, nan", "1e9 2", ",".join("1" * 41))
        ),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_answered_is_said(name, bundled, requests):
    for change, said in REFUSED[name]:
        sent = {**requests[name], **change} if isinstance(change, dict) else change
        assert said in json.loads(answer(FUNCTIONS[name], bundled, sent))["message"], sent


BAD = (
    None,
    True,
    -1,
    10**30,
    math.nan,
    "",
    "x" * 5_000,
    [],
    [[]],
    [True],
    [1.0],
    [1] * 401,
    {},
    END_OF_TEXT,
)
NONSENSE = (
    None,
    True,
    7,
    math.nan,
    "",
    [],
    ["mini", TEXT],
    {},
    {"model": ["mini"]},
    {"model": "nobody", "text": math.nan},
    {**SEEN, "text": "x" * 100_000},
    {"key": {}, "layer": math.inf, "head": [], "mode": None},
    {"value": "[" * 9_000},
    {
        "workspace": [],
        "run": {},
        "command": ["stop"],
        "rows": -1,
        "looks": 10**30,
        "rival": "x",
        "look": math.nan,
    },
    {"shape": {"n_layer": math.nan}, "format": "png", "dark": "no"},
    {"link": 7},
    {"ids": [-1, 10**30], "model": "mini"},
    {
        **SEEN,
        "word": math.nan,
        "rival": 10**30,
        "off": [[END_OF_TEXT]],
        "cells": "x",
        "merges": math.nan,
    },
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_other_request_and_any_bad_field_is_refused_or_answered_in_the_same_type(
    name, bundled, requests
):
    """Nothing that a browser may send ends in an error of Python."""
    hint = get_type_hints(FUNCTIONS[name], include_extras=True)["return"]
    good = requests[name]
    for request in (*NONSENSE, *({**good, field: bad} for field in good for bad in BAD)):
        found = answer(FUNCTIONS[name], bundled, request)
        refused = found is None or (isinstance(found, str) and "message" in found[:12])
        assert refused or conforms(found, hint), (request, found)


@pytest.mark.parametrize(
    ("share", "sent"),
    [
        (0.123456, 0.123),
        (0.000123456, 0.000123),
        (0.9987654, 0.99877),
        (0.99999912345, 0.999999123),
        (0.0, 0.0),
        (1.0, 1.0),
    ],
)
def test_a_probability_has_three_digits_of_itself_and_of_what_is_left_to_1(share, sent):
    assert probability(share) == pytest.approx(sent, abs=1e-12)


def test_a_number_has_three_digits():
    assert [rounded(value) for value in (1234.5, -0.00123456, 0.0)] == [1230.0, -0.00123, 0.0]
