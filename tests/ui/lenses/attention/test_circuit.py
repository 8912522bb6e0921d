"""A word's circuit, when it formed, what a head does by its weights: the core's numbers, real
passes, true words.
"""

import json
import re

import pytest
import torch

import gptcore
from gptcore import analysis
from gptcore.analysis import CircuitNode, HeadCircuits
from tests.tools.peer import Peer
from ui.lenses.attention.heads import head_weights
from ui.lenses.attention.why import circuit
from ui.lenses.attention.why.formed import conclusion as when
from ui.shared.inputs import InputError

TEXT = "Tom saw a zebra. Tom gave food to the"


@pytest.fixture(scope="module")
def asked(bundled):
    lm = bundled.models.get("mini")
    word, rival = (lm.tokenizer.encode(item)[0] for item in (" zebra", " lion"))
    return {"model": "mini", "text": TEXT, "word": word, "rival": rival}


@pytest.fixture(scope="module")
def found(bundled, asked):
    return json.loads(circuit.circuit(bundled, asked))


def test_words_parts_and_checks_are_the_model_s(bundled, asked, found):
    lm, (word, rival) = bundled.models.get("mini"), (asked["word"], asked["rival"])
    ids = lm.tokenizer.encode(TEXT)
    logits = lm.model(torch.tensor([ids])).logits[0, -1].detach()
    assert found["total"] == pytest.approx(float(logits[word] - logits[rival]), abs=2e-3)
    assert sum(found["words"]) + found["constants"] == pytest.approx(found["total"], abs=0.02)
    of_core = analysis.word_circuit(lm.model, ids, word, rival, most=16)
    nodes = [(n.kind, n.layer, n.index, n.position) for n in of_core.nodes]
    assert [(n["kind"], n["layer"], n["index"], n["place"]) for n in found["nodes"]] == nodes
    for shown, node in zip(found["nodes"], of_core.nodes, strict=True):
        if shown["really"] is None:
            assert node.kind in ("word", "answer")
            continue
        without = analysis.logits_without_nodes(lm.model, ids, [node])
        assert shown["really"] == pytest.approx(
            float(without[word] - without[rival]) - found["total"], abs=3e-3
        )
    assert (
        found["said"].startswith("“zebra” rather than “lion”: the lead is +")
        and "“zebra” (+" in found["said"]
    )


def test_what_a_head_passes_to_the_answer_is_what_it_writes(bundled, asked, found):
    """By transformers' own numbers."""
    lm = bundled.models.get("mini")
    hf = gptcore.to_hf(lm.model).eval()
    hf.set_attn_implementation("eager")
    written = Peer(lm, hf, TEXT).written(asked["word"], asked["rival"])
    flows = {(source, target): weight for source, target, weight in found["edges"]}
    nodes = list(enumerate(found["nodes"]))
    answer, last = nodes[-1]
    assert last["kind"] == "answer" and last["influence"] == found["total"]
    heads = [(at, node) for at, node in nodes if node["kind"] == "head" and (at, answer) in flows]
    assert len(heads) > 4 and found["layers"] == 6
    for at, node in heads:
        wrote = float(written[node["layer"], node["index"]])
        assert flows[at, answer] == pytest.approx(wrote, abs=2e-3)
    words = [node for _, node in nodes if node["kind"] == "word"]
    assert words and all(node["influence"] == found["words"][node["place"]] for node in words)


def test_what_is_clicked_is_computed_anew(bundled, asked, found):
    lm, (word, rival) = bundled.models.get("mini"), (asked["word"], asked["rival"])
    ids = lm.tokenizer.encode(TEXT)
    heads = [n for n in found["nodes"] if n["kind"] == "head"][-2:]
    off = [["head", n["layer"], n["index"], n["place"]] for n in heads]
    value = json.loads(circuit.circuit_without(bundled, {**asked, "off": off}))
    without = analysis.logits_without_nodes(
        lm.model, ids, [CircuitNode(*item, 0.0) for item in off]
    )
    assert value["difference"] == pytest.approx(float(without[word] - without[rival]), abs=2e-3)
    assert value["next"][0][1] == pytest.approx(float(without.softmax(-1).max()), abs=1e-3)


def test_a_part_of_a_circuit_is_one_that_there_is(bundled):
    lm = bundled.models.get("mini")
    ids = lm.tokenizer.encode(TEXT)
    config = lm.model.config
    last = len(ids) - 1
    for part in (
        ["head", config.n_layer - 1, config.n_head - 1, last],
        ["neuron", 0, config.inner_dim - 1, 0],
        ["word", -1, 0, last],
    ):
        node = circuit._node(lm, ids, part)
        assert [node.kind, node.layer, node.index, node.position] == part
    for part, words in (
        (["head", config.n_layer, 0, 0], "The layer is 6"),
        (["head", -1, 0, 0], "The layer is -1"),
        (["head", 0, config.n_head, 0], f"The number of the part is {config.n_head}"),
        (["neuron", 0, config.inner_dim, 0], "The number of the part is"),
        (["word", -1, 1, 0], "The number of the part is 1"),
        (["word", -1, 0, last + 1], f"The place is {last + 1}"),
        (["answer", 0, 0, 0], "is not a circuit part"),
        ([["head"], 0, 0, 0], "is not a circuit part"),
        (["head", 0, 0], "is not a circuit part"),
        ("head", "is not a circuit part"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            circuit._node(lm, ids, part)


def test_the_words_follow_the_numbers():
    pair = [" red", " blue"]
    nodes = [CircuitNode("head", 5, 0, 3, 2.0), CircuitNode("head", 4, 1, 3, -1.0)]
    said = circuit.conclusion(pair, [("a", 0.1), (" red", 2.5), (" ball", 0.9)], -0.5, nodes)
    assert said == (
        "“red” rather than “blue”: the lead is +3.0 logits; "
        "“red” (+2.5) and “ball” (+0.9) push most towards it, through L5H0."
    )
    assert circuit.conclusion(pair, [("a", 0.1)], 0.1, nodes).startswith("Nothing stands out")
    assert circuit.conclusion(pair, [("a", 0.1)], 0.4, nodes).endswith(
        "; no single word explains it."
    )
    assert circuit.conclusion(pair, [(" ball", -0.9)], -2.1, nodes) == (
        "“red” rather than “blue”: the lead is −3.0 logits; biases and frozen norms (−2.1) and "
        "“ball” (−0.9) push most towards it, through L4H1."
    )


def test_both_sides_of_a_circuit_are_said_each_place_apart_and_neurons_too():
    pair = [" red", " blue"]
    words = [(" the", 9.0), (" cat", -6.0), (" the", 2.0)]
    nodes = [
        CircuitNode("neuron", 5, 240, 2, 3.0),
        CircuitNode("head", 5, 0, 2, 2.0),
        CircuitNode("head", 5, 0, 1, 1.0),
    ]
    assert circuit.conclusion(pair, words, -1.0, nodes) == (
        "“red” rather than “blue”: the lead is +4.0 logits; “the” (token 1, +9.0) and “the” "
        "(token 3, +2.0) push most towards it, through neuron 240 of layer 5 and L5H0. Against "
        "it: “cat” (−6.0) and biases and frozen norms (−1.0)."
    )


def test_agreement_says_what_may_be_trusted():
    assert circuit.agreement([1.0, 2.0, 3.0, 9.0], [-1.1, -2.2, -2.9, None], 0.4) == (
        "Switching parts off confirms this drawing (correlation 0.99 over 3 parts). The parts "
        "drawn carry 40% of the influence."
    )
    distrusted = circuit.agreement([1.0, 2.0, 3.0], [2.0, 0.1, 1.5], 0.4)
    assert distrusted.startswith(
        "Do not trust this drawing here: switching parts off gives a different result"
    )
    assert circuit.agreement([1.0], [-1.0], 0.4) == "The parts drawn carry 40% of the influence."


def test_every_moment_is_that_moment_s_model(bundled, asked):
    lm, (word, rival) = bundled.models.get("mini"), (asked["word"], asked["rival"])
    found = json.loads(circuit.formed(bundled, asked))
    assert found["steps"] == [0, 8, 32, 128, 512, 2048, 8192, 11181, None]
    ids = torch.tensor([lm.tokenizer.encode(TEXT)])
    for place, name in ((0, "mini@0"), (4, "mini@512"), (8, "mini")):
        logits = bundled.models.get(name).model(ids).logits[0, -1].detach()
        assert found["total"][place] == pytest.approx(
            float(logits[word] - logits[rival]), abs=2e-3
        ), name
    assert all(len(part["values"]) == 9 for part in found["parts"]) and len(found["parts"]) == 6
    assert found["said"].startswith("It came to prefer “zebra” rather than “lion” between update")
    later = json.loads(circuit.formed(bundled, {**asked, "word": rival, "rival": word}))
    assert (
        later["total"] == [-item for item in found["total"]]
        and "“zebra” rather than “lion”" in later["said"]
    )
    bundled.models.get("world")
    found = circuit.formed(bundled, {**asked, "model": "world", "word": 1, "rival": 2})
    assert json.loads(found)["message"].startswith("No earlier snapshots")


def test_the_words_about_moments_follow_the_numbers():
    pair = [" a", " b"]
    steps = [0, 8, 32, None]
    parts = [
        {"name": "L5H4", "values": [0.0, 0.1, 2.0, 3.0]},
        {"name": "biases", "values": [0.0, 1.0, 1.0, 1.0]},
    ]
    assert when(parts, [-0.1, 0.6, 2.0, 4.0], steps, pair) == (
        "It came to prefer “a” rather than “b” between update 0 and 8; its main source, L5H4 "
        "(+3.0), took over between update 8 and 32."
    )
    late = [{"name": "L5H4", "values": [0.0, 2.0, 0.2, 3.0]}]
    assert "took over between update 32 and the end" in when(
        late, [0.1, 0.5, 2.0, 4.0], steps, pair
    )
    # 0.4 is hardly
    assert "between update 0 and 8" not in when(parts, [-0.1, 0.4, 2.0, 4.0], steps, pair)
    assert when(parts, [1.0] * 4, steps, pair).startswith(
        "It preferred “a” rather than “b” from the beginning"
    )
    assert when(parts, [0, 0, 0, 0.1], steps, pair).startswith("Nothing stands out")
    assert "“b” rather than “a”" in when(parts, [0, 0, 0, -3.0], steps, pair)


def test_a_head_s_lists_are_the_core_s(services, tiny_lm):
    services.models.get("tiny")
    found = json.loads(
        head_weights.head_weights(services, {"model": "tiny", "layer": 1, "head": 2})
    )
    core = analysis.head_circuits(tiny_lm.model, 1, 2)
    assert [logit for _, logit in found["copied"]] == pytest.approx(
        [logit for _, logit in core.copied], abs=0.006
    )
    assert (
        found["copying"] == pytest.approx(core.copying, abs=0.006)
        and len(found["suppressed"]) == 10
    )


def test_the_words_about_a_head_follow_the_numbers():
    def said(copying):
        return head_weights.conclusion(
            "layer 5, head 4", HeadCircuits((), (), copying), [" Jane", " Lucy", " Sue", " Mia"]
        )

    assert said(0.99) == (
        "Layer 5, head 4 copies: a token that it looks at becomes likelier, most of all "
        "“Jane”, “Lucy” and “Sue”."
    )
    assert "suppresses: most tokens" in said(-0.7) and said(0.1).startswith("Nothing stands out")
