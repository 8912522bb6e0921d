"""Interventions on a circuit: ablate nodes or cut a single edge, and recompute the rest of the model."""

from collections.abc import Sequence

import torch
from torch import Tensor

from gptcore.analysis.circuits import CircuitNode, NodeKind
from gptcore.analysis.reading import Kind, PartKind, PartProbe, read, recorded
from gptcore.attention import attention_weights
from gptcore.errors import ConfigError
from gptcore.model import GPT, activation

_PART_OF: dict[NodeKind, PartKind] = {"head": "head", "neuron": "mlp"}


class _Without(PartProbe):
    """Ablates nodes: heads and neurons write nothing at their positions."""

    _stream: Tensor  # float [B, T, C], before any norm: what attention reads; once that has written, what the MLP reads

    def __init__(self, model: GPT, nodes: Sequence[CircuitNode]) -> None:
        self._model, self._nodes = model, nodes

    def residual(self, depth: int, stream: Tensor) -> None:
        self._stream = stream

    def part(self, kind: PartKind, layer: int, value: Tensor) -> Tensor:
        if kind == "attention":
            self._stream = self._stream + value
        for node in self._nodes:
            if (_PART_OF.get(node.kind), node.layer) == (kind, layer):
                value = value.clone()
                if kind == "head":
                    value[:, node.index, node.place] = 0
                else:
                    value[0, node.place] -= _of_neuron(self._model, node, self._stream[0])
        return value


class _Instead(PartProbe):
    """Replaces the output of a target head, or adds a change to a target neuron's."""

    def __init__(self, target: CircuitNode, value: Tensor) -> None:
        self._target, self._value = target, value

    def part(self, kind: PartKind, layer: int, value: Tensor) -> Tensor:
        target = self._target
        if (kind, layer) == (_PART_OF[target.kind], target.layer):
            value = value.clone()
            if kind == "head":
                value[0, target.index, target.place] = self._value
            else:
                value[0, target.place] += self._value
        return value


@torch.inference_mode()
def logits_without_nodes(model: GPT, token_ids: Sequence[int], nodes: Sequence[CircuitNode]) -> Tensor:
    """Logits after the last position, float32 [V], with a circuit's heads and neurons ablated at their positions.

    The rest of the model is recomputed. Word and answer nodes cannot be ablated and are skipped.
    """
    return model.lm_head(read(model, token_ids, _Without(model, nodes))[-1]).float().cpu()


@torch.inference_mode()
def logits_without_edge(model: GPT, token_ids: Sequence[int], source: CircuitNode, target: CircuitNode) -> Tensor:
    """Logits after the last position, float32 [V], with one edge cut: the target does not see the source's output.

    The target is recomputed in full, including its attention or gate; all other nodes still see the source.
    """
    stages = [2 * node.layer + (node.kind == "neuron") for node in (source, target)]
    if target.kind not in ("head", "neuron") or source.kind == "answer" or stages[0] >= stages[1]:
        raise ConfigError("An edge that can be cut leads from a word, head or neuron to a later head or neuron.")
    found = recorded(model, token_ids, "residual", "attention", "head")
    seen = _read_by(found, target)
    without = seen.clone()
    without[source.place] -= _written(model, found, source)
    if target.kind == "neuron":
        value = _of_neuron(model, target, without) - _of_neuron(model, target, seen)
    else:
        block, n_head = model.blocks[target.layer], model.config.n_head
        parts = block.attn.c_attn(block.ln_1(without)).chunk(3, dim=-1)
        query, key, values = (part.unflatten(-1, (n_head, -1))[:, target.index] for part in parts)  # [T, D] each
        weights = attention_weights(query[None], key[None], is_causal=model.config.causal)[0]
        value = weights[target.place] @ values
    return model.lm_head(read(model, token_ids, _Instead(target, value))[-1]).float().cpu()


def _read_by(found: dict[Kind, list[Tensor]], node: CircuitNode) -> Tensor:
    """The stream that a head or neuron reads, before its norm, [T, C]."""
    stream = found["residual"][node.layer][0]
    return stream + found["attention"][node.layer][0] if node.kind == "neuron" else stream


def _written(model: GPT, found: dict[Kind, list[Tensor]], node: CircuitNode) -> Tensor:
    """What a word, head or neuron adds to the stream at its place, [C]."""
    if node.kind == "word":
        return found["residual"][0][0, node.place]
    if node.kind == "neuron":
        return _of_neuron(model, node, _read_by(found, node))
    weight = model.blocks[node.layer].attn.c_proj.weight.unflatten(1, (model.config.n_head, -1))  # [C, H, D]
    return weight[:, node.index] @ found["head"][node.layer][0, node.index, node.place]


def _of_neuron(model: GPT, node: CircuitNode, stream: Tensor) -> Tensor:
    """What a neuron writes, [C], when its norm reads this stream, [T, C]."""
    block = model.blocks[node.layer]
    inner = block.mlp.c_fc.weight[node.index] @ block.ln_2(stream[node.place]) + block.mlp.c_fc.bias[node.index]
    return activation(block.mlp.activation, inner) * block.mlp.c_proj.weight[:, node.index]
