"""Interventions on a circuit: ablate nodes or cut a single edge, and recompute the rest of the model."""

from collections.abc import Sequence

import torch
from torch import Tensor

from gptcore.analysis.circuits import CircuitNode
from gptcore.attention import attention_weights
from gptcore.errors import ConfigError
from gptcore.model import GPT, activation, evaluating
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
            block, output = self._model.blocks[layer], output.clone()
            for node in here:
                read = block.ln_2(self.stream[:, node.place])
                inner = read @ block.mlp.c_fc.weight[node.index] + block.mlp.c_fc.bias[node.index]
                written = activation(block.mlp.activation, inner)[:, None] * block.mlp.c_proj.weight[:, node.index]
                output[:, node.place] -= written
        return output


@torch.inference_mode()
def logits_without_nodes(model: GPT, token_ids: Sequence[int], nodes: Sequence[CircuitNode]) -> Tensor:
    """Logits after the last position, float32 [V], with a circuit's heads and neurons ablated at their positions.

    The rest of the model is recomputed. Word and answer nodes cannot be ablated and are skipped.
    """
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)[None]
    with evaluating(model):
        hidden = model.hidden_states(ids, probe=_Without(model, nodes))
        return model.lm_head(hidden[0, -1]).float().cpu()


@torch.inference_mode()
def logits_without_edge(model: GPT, token_ids: Sequence[int], source: CircuitNode, target: CircuitNode) -> Tensor:
    """Logits after the last position, float32 [V], with one edge cut: the target does not see the source's output.

    The target is recomputed in full, including its attention or gate; all other nodes still see the source.
    """
    if target.kind not in ("head", "neuron") or source.kind == "answer":
        raise ConfigError("An edge that can be cut leads from a word, head or neuron to a head or neuron.")
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)[None]
    seen = _Seen(model, source, target)
    with evaluating(model):
        model.hidden_states(ids, probe=seen)
        hidden = model.hidden_states(ids, probe=_Instead(target, seen.value))
        return model.lm_head(hidden[0, -1]).float().cpu()


class _Seen(StreamProbe):
    """Computes the target's output without the source's contribution."""

    def __init__(self, model: GPT, source: CircuitNode, target: CircuitNode) -> None:
        self._model, self._source, self._target = model, source, target
        self._written = torch.empty(0)
        self.value = torch.empty(0)  # a head's output [D], or the change in a neuron's [C]

    def residual(self, depth: int, stream: Tensor) -> None:
        super().residual(depth, stream)
        if depth == 0 and self._source.kind == "word":
            self._written = stream[0, self._source.place]
        if depth == self._target.layer and self._target.kind == "head":
            block, node = self._model.blocks[depth], self._target
            read = block.ln_1(self._without(stream[0]))
            config = self._model.config
            query, key, value = (
                part.unflatten(-1, (config.n_head, -1))[:, node.index]
                for part in block.attn.c_attn(read).chunk(3, dim=-1)
            )
            weights = attention_weights(query[None], key[None], is_causal=config.causal)[0]
            self.value = weights[node.place] @ value

    def heads(self, layer: int, outputs: Tensor) -> Tensor:
        if self._source.kind == "head" and layer == self._source.layer:
            D, node = outputs.shape[-1], self._source
            weight = self._model.blocks[layer].attn.c_proj.weight[:, node.index * D : (node.index + 1) * D]
            self._written = weight @ outputs[0, node.index, node.place]
        return outputs

    def attention_output(self, layer: int, output: Tensor) -> Tensor:
        super().attention_output(layer, output)
        for node in (self._source, self._target):
            if node.kind != "neuron" or node.layer != layer:
                continue
            stream = self.stream[0]
            if node is self._source:
                self._written = self._of_neuron(node, stream)
            else:
                self.value = self._of_neuron(node, self._without(stream)) - self._of_neuron(node, stream)
        return output

    def _without(self, stream: Tensor) -> Tensor:
        stream = stream.clone()
        stream[self._source.place] -= self._written
        return stream

    def _of_neuron(self, node: CircuitNode, stream: Tensor) -> Tensor:
        block = self._model.blocks[node.layer]
        read = block.ln_2(stream[node.place])
        inner = block.mlp.c_fc.weight[node.index] @ read + block.mlp.c_fc.bias[node.index]
        return activation(block.mlp.activation, inner) * block.mlp.c_proj.weight[:, node.index]


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
