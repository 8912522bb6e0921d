"""Circuits are exact where they claim to be, and their checks are real passes."""

import pytest
import torch

from gptcore.analysis import (
    CircuitNode,
    circuits,
    logit_attribution,
    logits_without,
    logits_without_nodes,
    word_circuit,
)
from gptcore.analysis.ablation import ModelPart
from gptcore.errors import ConfigError, MemoryLimitError, TokenIdError
from tiny import POST, SMALL, make_model, random_ids


def test_words_and_constants_sum_to_the_difference_of_logits(model):
    ids = random_ids(model.config, 8).tolist()
    logits = model(torch.tensor([ids])).logits[0, -1].detach()
    found = word_circuit(model, ids, 3, 7)
    assert found.total == pytest.approx(float(logits[3] - logits[7]), abs=1e-4)
    assert float(found.words.sum()) + found.constants == pytest.approx(found.total, abs=1e-4)


def test_what_flows_into_a_node_from_all_others_is_its_influence_but_for_biases(monkeypatch, model):
    """With every bias at 0, the incoming edges of each node sum to its influence."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.zero_()
    ids = random_ids(model.config, 6).tolist()
    found = []
    pruned = circuits._pruned
    monkeypatch.setattr(circuits, "_pruned", lambda *given: found.append(given) or pruned(*given))
    monkeypatch.setattr(circuits, "_CANDIDATES", 10**6)  # nothing is left out
    word_circuit(model, ids, 3, 7, share=1.0, most=10**6)
    matrix, nodes = found[0][:2]
    for place, node in enumerate(nodes):
        if node.kind != "word":
            assert float(matrix[place].sum()) == pytest.approx(node.influence, abs=1e-4), node
    last = [
        index
        for index, node in enumerate(nodes)
        if node.layer == model.config.n_layer - 1 and node.kind == "head"
    ]
    direct = logit_attribution(model, ids, 3, 7)
    for head in range(model.config.n_head):
        name = f"L{model.config.n_layer - 1}H{head}"
        row = sum(float(matrix[-1, place]) for place in last if nodes[place].index == head)
        assert row == pytest.approx(float(direct.values[direct.names.index(name)]), abs=1e-4)


def test_a_pruned_circuit_keeps_the_strongest_nodes_and_says_what_they_carry(model):
    ids = random_ids(model.config, 8).tolist()
    few, more = (word_circuit(model, ids, 3, 7, most=most) for most in (2, 8))
    inner = [
        [node for node in found.nodes if node.kind in ("head", "neuron")] for found in (few, more)
    ]
    assert (
        len(inner[0]) == 2
        and set(inner[0]) <= set(inner[1])
        and 0 < few.carried < more.carried <= 1
    )
    assert few.nodes[-1].kind == "answer" and few.nodes[-1].influence == few.total
    for edge in more.edges:
        source = more.nodes[edge.source]
        target = more.nodes[edge.target]
        assert source.layer < target.layer or (
            source.layer == target.layer and source.kind == "head"
        )
        assert source.position <= target.position
    assert [abs(edge.weight) for edge in more.edges] == sorted(
        (abs(edge.weight) for edge in more.edges), reverse=True
    )


def test_a_head_that_is_switched_off_at_all_places_is_the_head_switched_off(model):
    ids = random_ids(model.config, 6).tolist()
    nodes = [CircuitNode("head", 1, 1, index, 0.0) for index in range(6)]
    expected = logits_without(model, ids, [[ModelPart(1, "head", 1)]])[0]
    torch.testing.assert_close(
        logits_without_nodes(model, ids, nodes), expected, atol=1e-5, rtol=1e-5
    )


def test_a_neuron_that_is_switched_off_is_a_row_of_weights_at_zero():
    model = make_model(SMALL)
    ids = [int(i) for i in random_ids(model.config, 6)]
    found = logits_without_nodes(model, ids, [CircuitNode("neuron", 2, 11, 5, 0.0)])
    with torch.no_grad():
        model.h[2].mlp.c_proj.weight[:, 11] = 0  # in the last layer only the last place matters
        expected = model(torch.tensor([ids])).logits[0, -1]
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_what_is_no_circuit_is_refused(model):
    ids = random_ids(model.config, 5).tolist()
    for kwargs in ({"share": 0}, {"share": 1.5}, {"most": 0}):
        with pytest.raises(ConfigError, match="share"):
            word_circuit(model, ids, 3, 7, **kwargs)
    with pytest.raises(TokenIdError, match="outside"):
        word_circuit(model, ids, 3, 400)
    with pytest.raises(TokenIdError):
        word_circuit(model, [], 3, 7)
    with pytest.raises(ConfigError, match="post-norm"):
        word_circuit(make_model(POST), ids, 3, 7)


def test_a_text_that_takes_too_much_memory_is_refused_before_it_is_read(model, monkeypatch):
    monkeypatch.setattr(circuits, "_MOST_BYTES", 1000)
    with pytest.raises(MemoryLimitError, match="Shorten the text"):
        word_circuit(model, [1, 2, 3, 4], 5, 6)
