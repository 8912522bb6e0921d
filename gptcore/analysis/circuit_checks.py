"""Interventions on a circuit: ablate nodes or cut a single edge, and recompute the rest of the model."""

from collections.abc import Sequence

import torch
from torch import Tensor

from gptcore.analysis.circuits import CircuitNode
from gptcore.analysis.reading import Kind, read, recorded
from gptcore.attention import attention_weights
from gptcore.errors import ConfigError
from gptcore.model import GPT, activation
from gptcore.probe import Probe, StreamProbe


class _Without(StreamProbe):
    """Ablates nodes: heads and neurons write nothing at their positions."""

    def __init__(self, model: GPT, nodes: Sequence[CircuitNode]) -> None:
        self._model = model
        self._heads = [node for node in nodes if node.kind == "head"]
        self._neurons = [node for node in nodes if node.kind == "neuron"]

    def heads(self, layer: int, outputs: Tensor) -> Tensor:
        here = [node for node in self._heads if node.layer == layer]
        if here:
            outputs = outputs.clone()
            for node in here:
                outputs[:, node.index, node.place] = 0
        return outputs

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        here = [node for node in self._neurons if node.layer == layer]
        if here:
            output = output.clone()
            for node in here:
                output[0, node.place] -= _of_neuron(self._model, node, self.stream[0])
        return output


class _Instead(Probe):
    """Replaces the output of a target head, or adds a change to a target neuron's."""

    def __init__(self, target: CircuitNode, value: Tensor) -> None:
        self._target, self._value = target, value

    def heads(self, layer: int, outputs: Tensor) -> Tensor:
        if self._target.kind == "head" and layer == self._target.layer:
            outputs = outputs.clone()
            outputs[0, self._target.index, self._target.place] = self._value
        return outputs

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        if self._target.kind == "neuron" and layer == self._target.layer:
            output = output.clone()
            output[0, self._target.place] += self._value
        return output


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
