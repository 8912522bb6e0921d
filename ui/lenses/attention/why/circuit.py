"""Circuit of a prediction: the words, heads and neurons that lead to it, each checked by ablation;
when it formed.
"""

from collections.abc import Sequence
from typing import Annotated, cast

import numpy as np
from torch import Tensor

from gptcore.analysis import logit_attribution, logits_without_nodes, word_circuit
from gptcore.analysis.circuits import CircuitNode, NodeKind
from gptcore.formatting import percent
from gptcore.inference.generation import last_logits
from gptcore.language_model import MOMENT, LanguageModel
from gptcore.tokenizers import describe_token
from ui.conclusions import (
    CANCELS,
    concludes,
    decimal,
    head_tag,
    listed,
    quoted,
    quoted_apart,
    signed,
)
from ui.lenses.attention.payloads import Circuit, CircuitRequest, CircuitWithout
from ui.lenses.attention.why.formed import described
from ui.payloads import Formed, PairRequest, fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, open_text
from ui.state.machine import likeliest
from ui.state.model_store import base_name, moments

_MOST_NODES = 16
_MOST_OFF = 40
_N_NEXT = 5
_N_NAMED = 3
# Correlations of influences and ablations from which a drawing is confirmed, wholly or in part.
_AGREES = 0.7
_AGREES_IN_PART = 0.3
_SMALL = 0.5  # logits: a smaller difference is no preference
_KINDS = ("head", "neuron")


@answering
def circuit(services: Services, request: Annotated[object, PairRequest]) -> Circuit:
    """The words, heads and neurons that lead to a prediction; a message where it cannot be."""
    lm, ids, word, rival = asked(services, request)
    drawn = services.now(lambda: word_circuit(lm.model, ids, word, rival, most=_MOST_NODES))

    def effect(node: CircuitNode) -> float:
        return _difference(logits_without_nodes(lm.model, ids, [node]), word, rival) - drawn.total

    nodes = drawn.nodes
    really = [
        services.now(lambda node=node: effect(node)) if node.kind in _KINDS else None
        for node in nodes
    ]
    labels = [describe_token(lm.tokenizer, token) for token in ids]
    pair = [describe_token(lm.tokenizer, token) for token in (word, rival)]
    return {
        "tokens": labels,
        "words": [round(value, 3) for value in drawn.words.tolist()],
        "nodes": [
            {
                "kind": node.kind,
                "layer": node.layer,
                "index": node.index,
                "place": node.position,
                "name": _name(node, labels, pair[0]),
                "influence": round(node.influence, 3),
                "really": None if real is None else round(real, 3),
            }
            for node, real in zip(nodes, really, strict=True)
        ],
        "edges": [(edge.source, edge.target, round(edge.weight, 3)) for edge in drawn.edges],
        "layers": lm.model.config.n_layer,
        "total": round(drawn.total, 3),
        "constants": round(drawn.constants, 3),
        "next": services.now(
            lambda: likeliest(lm, last_logits(lm.model, ids).softmax(-1), _N_NEXT)
        ),
        "answers": pair,
        "said": conclusion(
            pair, list(zip(labels, drawn.words.tolist(), strict=True)), drawn.constants, nodes
        ),
        "checked": agreement([node.influence for node in nodes], really, drawn.carried),
    }


@answering
def circuit_without(
    services: Services, request: Annotated[object, CircuitRequest]
) -> CircuitWithout:
    """The prediction without some nodes; a message where it cannot be."""
    lm, ids, word, rival = asked(services, request)
    (off,) = fields(request, "off")
    if not isinstance(off, list) or len(off) > _MOST_OFF:
        raise InputError(f"At most {_MOST_OFF} parts are switched off at once.")
    nodes = [_node(lm, ids, item) for item in off]

    def computed() -> CircuitWithout:
        logits = logits_without_nodes(lm.model, ids, nodes)
        following = likeliest(lm, logits.softmax(-1), _N_NEXT)
        return {"difference": round(_difference(logits, word, rival), 3), "next": following}

    return services.now(computed)


@answering
def formed(services: Services, request: Annotated[object, PairRequest]) -> Formed:
    """Traces a preference over a model's checkpoints; a message where it cannot be."""
    lm, ids, word, rival = asked(services, request)
    base = base_name(fields(request, "model")[0])
    kept = moments(base)
    if not kept:
        raise InputError("No earlier snapshots of this model’s training are stored.")
    readings = []
    for name in (*(f"{base}{MOMENT}{step}" for step in kept), base):
        model = services.models.get(name).model
        readings.append(
            services.now(lambda model=model: logit_attribution(model, ids, word, rival))
        )
    return described(
        readings, [*kept, None], [describe_token(lm.tokenizer, token) for token in (word, rival)]
    )


def asked(services: Services, request: object) -> tuple[LanguageModel, list[int], int, int]:
    """Model, text and both tokens of a `PairRequest` that names them. Raises NotOpenError and
    InputError.
    """
    lm, text = open_text(services, request)
    high = lm.model.config.vocab_size - 1
    word, rival = (
        inputs.whole(field, "The token", low=0, high=high)
        for field in fields(request, "word", "rival")
    )
    return lm, inputs.last_window(lm, text)[0], word, rival


def _node(lm: LanguageModel, ids: list[int], value: object) -> CircuitNode:
    """A node as the page names it. Raises InputError for an unknown one."""
    config = lm.model.config
    kind, *positions = value if isinstance(value, list) and len(value) == 4 else [None] * 4
    widths = {"head": config.n_head, "neuron": config.inner_dim if config.use_mlp else 0, "word": 1}
    if not isinstance(kind, str) or kind not in widths:
        raise InputError(
            f"{str(value)[:60]} is not a circuit part; write [kind, layer, index, place]."
        )
    lows = (-1 if kind == "word" else 0, 0, 0)
    highs = (config.n_layer - 1, widths[kind] - 1, len(ids) - 1)
    named = zip(
        positions, ("The layer", "The number of the part", "The place"), lows, highs, strict=True
    )
    layer, index, position = (
        inputs.whole(one, name, low=low, high=high) for one, name, low, high in named
    )
    return CircuitNode(cast(NodeKind, kind), layer, index, position, 0.0)


def _name(node: CircuitNode, labels: Sequence[str], word: str) -> str:
    if node.kind == "word":
        return labels[node.position].strip() or labels[node.position]
    if node.kind == "answer":
        return word.strip() or word
    return _tag(node)


@concludes("circuit")
def conclusion(
    pair: Sequence[str],
    words: Sequence[tuple[str, float]],
    constants: float,
    nodes: Sequence[CircuitNode],
) -> str:
    """Which words of the text make a model prefer one word to another, and through which heads and
    neurons.

    Args:
        pair: labels of both words.
        words: of the text, each with what it brings, in logits.
        constants: what biases and frozen norms bring; with the words they add up to the difference.
        nodes: of the circuit.
    """
    total = sum(value for _, value in words) + constants
    named = " rather than ".join(quoted_apart(pair[0], pair[1]))
    if abs(total) < _SMALL:
        return f"Nothing stands out: the model hardly prefers {named} ({signed(total)})."
    sign = 1 if total > 0 else -1
    labels = [quoted(word) for word, _ in words]
    brought = [
        (label, f"token {index}, " if labels.count(label) > 1 else "", sign * value)
        for index, (label, (_, value)) in enumerate(zip(labels, words, strict=True), start=1)
    ]
    brought.append(("biases and frozen norms", "", sign * constants))
    ranked = sorted(brought, key=lambda item: -item[2])
    best = [item for item in ranked[:_N_NAMED] if item[2] > _SMALL]
    against = [item for item in ranked[::-1][:_N_NAMED] if item[2] < -_SMALL]
    n_against = sum(value for _, _, value in brought if value < 0)

    def said(parts: Sequence[tuple[str, str, float]]) -> str:
        return listed(
            [f"{name} ({position}{signed(sign * value)})" for name, position, value in parts]
        )

    if not best:
        return f"{named}: the lead is {signed(total)} logits; no single word explains it."
    through = list(dict.fromkeys(_tag(node) for node in _strongest(nodes, sign)))[:_N_NAMED]
    by = f", through {listed(through)}" if through else ""
    sentence = (
        f"{named}: the lead is {signed(total)} logits; {said(best)} "
        f"{'pushes' if len(best) == 1 else 'push'} most towards it{by}."
    )
    if not against or -n_against < CANCELS * abs(total):
        return sentence
    return f"{sentence} Against it: {said(against)}."


def _strongest(nodes: Sequence[CircuitNode], sign: int) -> list[CircuitNode]:
    """Heads and neurons that push towards the preferred word, the strongest first."""
    inner = [node for node in nodes if node.kind in _KINDS and sign * node.influence > 0]
    return sorted(inner, key=lambda node: -sign * node.influence)


def _tag(node: CircuitNode) -> str:
    """A head or a neuron as a list names it."""
    if node.kind == "head":
        return head_tag(node.layer, node.index)
    return f"neuron {node.index} of layer {node.layer}"


@concludes("circuit checked")
def agreement(influences: Sequence[float], really: Sequence[float | None], carried: float) -> str:
    """States what share of the influence the circuit's parts carry, and how well influences agree
    with ablations.
    """
    pairs = [
        (influence, -real)
        for influence, real in zip(influences, really, strict=True)
        if real is not None
    ]
    sentence = f"The parts drawn carry {percent(carried)} of the influence."
    correlation = float(np.corrcoef(np.array(pairs).T)[0, 1]) if len(pairs) >= 3 else float("nan")
    if np.isnan(correlation):
        return sentence
    share = f"correlation {decimal(correlation)} over {len(pairs)} parts"
    if correlation >= _AGREES:
        return f"Switching parts off confirms this drawing ({share}). {sentence}"
    if correlation >= _AGREES_IN_PART:
        return (
            f"Take this drawing with care: switching parts off confirms it in part ({share}). "
            f"{sentence}"
        )
    return (
        f"Do not trust this drawing here: switching parts off gives a different result ({share}). "
        f"{sentence}"
    )


def _difference(logits: Tensor, word: int, rival: int) -> float:
    return float(logits[word] - logits[rival])
