"""The circuit on the page: its numbers are the core's, its checks are real passes, its words follow the numbers."""

import json

import pytest
import torch

from gptcore.analysis import CircuitNode, logits_without_edge, logits_without_nodes, word_circuit
from ui.lenses.attention.handlers import circuit

TEXT = "Tom saw a zebra. Tom gave food to the"


@pytest.fixture(scope="module")
def asked(bundled):
    lm = bundled.models.get("mini")
    word, rival = (lm.tokenizer.encode(one)[0] for one in (" zebra", " lion"))
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
    of_core = word_circuit(lm.model, ids, word, rival, most=16)
    assert [(n["kind"], n["layer"], n["index"], n["place"]) for n in found["nodes"]] == [
        (n.kind, n.layer, n.index, n.place) for n in of_core.nodes
    ]
    for shown, node in zip(found["nodes"], of_core.nodes, strict=True):
        if shown["really"] is None:
            assert node.kind in ("word", "answer")
            continue
        without = logits_without_nodes(lm.model, ids, [node])
        assert shown["really"] == pytest.approx(float(without[word] - without[rival]) - found["total"], abs=3e-3)
    assert found["said"].startswith("“zebra” rather than “lion”, +") and "“zebra” (+" in found["said"]


def test_what_is_clicked_is_computed_anew(bundled, asked, found):
    lm, (word, rival) = bundled.models.get("mini"), (asked["word"], asked["rival"])
    ids = lm.tokenizer.encode(TEXT)
    heads = [n for n in found["nodes"] if n["kind"] == "head"][-2:]
    off = [["head", n["layer"], n["index"], n["place"]] for n in heads]
    value = json.loads(circuit.circuit_without(bundled, {**asked, "off": off, "edge": None}))
    without = logits_without_nodes(lm.model, ids, [CircuitNode(*one, 0.0) for one in off])
    assert value["difference"] == pytest.approx(float(without[word] - without[rival]), abs=2e-3)
    assert value["next"][0][1] == pytest.approx(float(without.softmax(-1).max()), abs=1e-3)
    source, target, _ = next(e for e in found["edges"] if found["nodes"][e[1]]["kind"] == "head")
    pair = [[found["nodes"][i][name] for name in ("kind", "layer", "index", "place")] for i in (source, target)]
    value = json.loads(circuit.circuit_without(bundled, {**asked, "off": [], "edge": pair}))
    cut = logits_without_edge(lm.model, ids, *(CircuitNode(*one, 0.0) for one in pair))
    assert value["difference"] == pytest.approx(float(cut[word] - cut[rival]), abs=2e-3)


@pytest.mark.parametrize(
    ("off", "edge"),
    [("x", None), ([["head", 0, 0]], None), ([["head", 9, 0, 0]], None), ([["head", 0, 99, 0]], None),
     ([["answer", 6, 0, 0]], None), ([[None] * 4], None), ([["neuron", 0, 0, 99]], None),
     ([["head", 0, 0, 0]] * 41, None),
     ([], [["head", 0, 0, 0]]), ([], "x"), ([], [["head", 0, 0, 0], ["word", -1, 0, 0]])],
)  # fmt: skip
def test_parts_that_are_none_are_refused_in_a_sentence(bundled, asked, off, edge):
    assert json.loads(circuit.circuit_without(bundled, {**asked, "off": off, "edge": edge}))["message"]


def test_the_words_follow_the_numbers():
    pair, nodes = [" red", " blue"], [CircuitNode("head", 5, 0, 3, 2.0), CircuitNode("head", 4, 1, 3, -1.0)]
    said = circuit.conclusion(pair, 3.0, [("a", 0.1), (" red", 2.5), (" ball", 0.9)], nodes)
    mostly = "most of it comes from “red” (+2.5) and “ball” (+0.9), through head 5.0."
    assert said == f"“red” rather than “blue”, +3.0: {mostly}"
    assert circuit.conclusion(pair, 0.1, [], nodes).startswith("Nothing stands out")
    assert "no single word explains it" in circuit.conclusion(pair, 3.0, [("a", 0.1)], [])
    assert "“ball” (−0.9), through head 4.1" in circuit.conclusion(pair, -3.0, [(" ball", -0.9)], nodes)
    assert circuit.agreement([1.0, 2.0, 3.0, 9.0], [-1.1, -2.2, -2.9, None], 0.4) == (
        "The parts drawn carry 40% of the influence. Influence and switching off agree here: correlation 0.99 over 3 "
        "parts."
    )
    assert "do not agree" in circuit.agreement([1.0, 2.0, 3.0], [2.0, 0.1, 1.5], 0.4)
    assert circuit.agreement([1.0], [-1.0], 0.4) == "The parts drawn carry 40% of the influence."
