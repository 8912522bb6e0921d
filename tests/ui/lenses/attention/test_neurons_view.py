"""The neurons' view, and the recorded losses beside it."""

import json
from dataclasses import replace

import pytest

from gptcore.analysis import count_parameters, neuron_activations
from gptcore.config import PRESETS
from ui.lenses.attention.layers.neurons import conclusion, inner_sizes, neurons
from ui.lenses.attention.pair import patching
from ui.shared import ancestors

TEXT = "the cat sat on the mat and the dog sat"


def asked(services, layer):
    services.models.get("tiny")
    return json.loads(
        neurons(services, {"model": "tiny", "text": TEXT, "layer": layer, "neuron": None})
    )


def test_a_token_that_occurs_again_excites_as_much_as_it_does_most():
    said = conclusion(2, 7, ["a", "b", "a"], [3.0, 2.0, 0.0], None)
    assert said == "Neuron 7 of layer 2 reacts most to “a” and “b”."


def test_the_neuron_that_stands_out_is_shown_with_its_activations(services, tiny_lm):
    seen = asked(services, 1)
    found = neuron_activations(tiny_lm.model, tiny_lm.tokenizer.encode(TEXT), 1)
    assert seen["neuron"] == seen["top"][0] and seen["n_inner"] == found.shape[1]
    assert seen["activations"] == pytest.approx(
        found[:, seen["neuron"]].tolist(), rel=0.01, abs=1e-3
    )
    contrast = found[1:].amax(dim=0) - found[1:].mean(dim=0)
    assert seen["neuron"] == int(contrast.argmax())
    assert (
        len(seen["more"]) == len(seen["less"]) == 6
        and seen["more"][0][1] >= 0 >= seen["less"][0][1]
    )
    # one of the model before
    assert seen["n_layer"] == 2 and asked(services, 47)["layer"] == 1


def test_a_neuron_is_one_of_its_layer(services, tiny_lm):
    services.models.get("tiny")
    asked_for = {"model": "tiny", "text": TEXT, "layer": 0}
    last = tiny_lm.model.config.inner_dim - 1
    for neuron in (0, last):
        seen = json.loads(neurons(services, {**asked_for, "neuron": neuron}))
        assert seen["neuron"] == neuron
    for neuron in (-1, last + 1):
        seen = json.loads(neurons(services, {**asked_for, "neuron": neuron}))
        assert seen["message"].startswith(f"The neuron is {neuron}; ")


def test_the_recorded_models_have_the_parameters_that_their_shapes_count(services):
    sizes = {
        name: (loss, count)
        for name, loss, count in json.loads(inner_sizes(services, None))["sizes"]
    }
    V = ancestors.ancestors()["bigram"].parameters ** 0.5
    assert int(V) == V
    lesson = replace(PRESETS["char-day19"], vocab_size=int(V))
    for name, inner in (("½", 64), ("1", 128), ("2", 256), ("4", 512), ("8", 1024)):
        assert sizes[name][1] == count_parameters(replace(lesson, n_inner=inner)).total
    assert sizes["none"][1] == count_parameters(replace(lesson, use_mlp=False)).total


@pytest.mark.parametrize(
    ("more", "end"),
    [
        (None, "reacts most to “sat”."),
        ([], "of the tokens that it writes, none is less likely there without it."),
        (["a"], "without it, “a” is less likely there."),
        (["a", "b"], "without it, “a” and “b” are less likely there."),
    ],
)
def test_what_a_neuron_does_is_concluded_from_what_was_tried(more, end):
    said = conclusion(2, 7, ["the", "cat", "sat"], [0.1, 0.2, 3.0], more)
    assert said.startswith("Neuron 7 of layer 2") and said.endswith(end)


def test_a_difference_that_no_place_carries_names_the_tokens_that_differ():
    rows = [[0.2, 0.2, 0.1]] * 3
    said = patching.conclusion(["The", "red", "cat"], ["The", "blue", "cat"], rows, [[0.0]])
    assert "no single place carries the difference; “red” carry it" in said
