"""Circuits: the few heads and neurons through which a text makes a model prefer one word to another.

With attention weights, norm scales and neuron gates, activation(z) / z, frozen at their values in one run, a pre-norm
model is linear from the words to the difference of two logits. The influence of a head or neuron is then its output
times the gradient; the weight of an edge is what one node writes directly into the input of another.

Sources: Jafari et al. 2025, "RelP: Faithful and Efficient Circuit Discovery via Relevance Patching"; neurons as nodes:
arXiv 2601.22594; pruning by normalised influence: Ameisen et al. 2025, "Circuit Tracing".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from gptcore.analysis.attention import attention_patterns
from gptcore.analysis.attribution import behind, final_norm, logit_direction, norm_scale
from gptcore.errors import ConfigError, MemoryLimitError, TokenIdError
from gptcore.model import GPT, Block, activation, evaluating

NodeKind = Literal["word", "head", "neuron", "answer"]
_MOST_BYTES = 2 << 30  # of what is kept for the gradients
_CANDIDATES = 160  # heads and neurons that a circuit is selected from
_LEAST_Z = 1e-6  # smallest |z| for which a gate is computed as activation(z) / z
_NONE = torch.empty(0)


@dataclass(frozen=True)
class CircuitNode:
    """A node of a circuit.

    Attributes:
        kind: "word" is an embedding, "answer" the difference of both logits.
        layer: of a head or neuron; -1 for words, n_layer for the answer.
        index: number of the head or neuron; 0 for the others.
        place: the position where it writes.
        influence: its contribution in logits; for the answer, the logit difference itself.
    """

    kind: NodeKind
    layer: int
    index: int
    place: int
    influence: float


@dataclass(frozen=True)
class CircuitEdge:
    """The direct contribution of one node to another: its share of the target's influence, in logits."""

    source: int
    target: int
    weight: float


@dataclass(frozen=True)
class WordCircuit:
    """A circuit of words, heads, neurons and the answer.

    Attributes:
        nodes: words first, by layer, the answer last.
        edges: between indices into `nodes`, strongest first.
        total: the difference of both logits.
        words: float32 [T], the influence of every word of the text; with `constants` they sum to `total`.
        constants: what biases and frozen norms add.
        carried: the kept nodes' share of the influence of all candidates.
    """

    nodes: tuple[CircuitNode, ...]
    edges: tuple[CircuitEdge, ...]
    total: float
    words: Tensor
    constants: float
    carried: float


@dataclass
class _Layer:
    """One layer of the frozen pass. H heads, T tokens, D head width, F neurons, C width."""

    weights: Tensor  # [H, T, T]
    scale_1: Tensor  # [T, 1], of the norm before attention
    found: Tensor  # [H, T, D], what the heads found
    # Of the MLP; empty in a model without any, of which no node of a circuit is a neuron.
    scale_2: Tensor = _NONE  # [T, 1], of the norm before it
    gates: Tensor = _NONE  # [T, F]
    neurons: Tensor = _NONE  # [T, F], behind the gates


@dataclass
class _Frozen:
    """The whole frozen pass."""

    embedded: Tensor  # [T, C]
    layers: list[_Layer]
    answer: Tensor  # the difference of both logits, without what the final norm's bias adds
    constant: float  # what that adds
    scale: Tensor  # [1], what the final norm divides the last position by


def word_circuit(
    model: GPT, token_ids: Sequence[int], token: int, against: int, *, share: float = 0.8, most: int = 24
) -> WordCircuit:
    """Finds the circuit behind a logit difference, pruned to the nodes that carry most of the influence.

    Args:
        model: pre-norm.
        token_ids: int [T], at most the window.
        token, against: the difference is the logit of the one minus that of the other, after the last position.
        share: fraction of the candidates' influence to keep.
        most: maximum number of heads and neurons.

    Raises:
        ConfigError: a post-norm model, or an invalid share or most. TokenIdError, ContextLengthError: as the model
            does, and for invalid tokens. MemoryLimitError: a text that is too long for so large a model.
    """
    norm = final_norm(model, "its norms rescale the whole stream, so that no circuit is linear.")
    if not 0 < share <= 1 or most < 1:
        raise ConfigError(f"share is {share} and most {most}; a share is above 0 and at most 1, most at least 1.")
    if not len(token_ids):
        raise TokenIdError("The text is empty.")
    _check_memory(model, len(token_ids))
    direction = logit_direction(model, token, against)
    with torch.enable_grad(), evaluating(model):
        frozen = _frozen_pass(model, norm, token_ids, direction)
        layers = frozen.layers
        parts = [layer.found for layer in layers] + [layer.neurons for layer in layers if model.config.use_mlp]
        slopes = torch.autograd.grad(frozen.answer, [frozen.embedded, *parts])
    with torch.no_grad():
        words = (slopes[0] * frozen.embedded).sum(-1)  # [T]
        heads, neurons = slopes[1 : 1 + len(layers)], slopes[1 + len(layers) :]
        total = float(frozen.answer) + frozen.constant
        nodes = [
            *(CircuitNode("word", -1, 0, place, float(words[place])) for place in range(len(words))),
            *_candidates(layers, heads, neurons),
            CircuitNode("answer", model.config.n_layer, 0, len(token_ids) - 1, total),
        ]
        matrix = _Reader(model, norm, frozen, heads, neurons, direction).edges(nodes)  # [N, N], from column to row
    kept, carried = _pruned(matrix, nodes, share, most)
    chosen, constants = tuple(nodes[place] for place in kept), total - float(words.sum())
    return WordCircuit(chosen, _edges(matrix, kept), total, words.float().cpu(), constants, carried)


def _check_memory(model: GPT, n_tokens: int) -> None:
    """Raises MemoryLimitError where the maps and hidden layers that are kept for the gradients are too large."""
    config = model.config
    kept = config.n_layer * n_tokens * (config.n_head * n_tokens + 3 * config.inner_dim + 4 * config.n_embd) * 4
    if kept > _MOST_BYTES:
        raise MemoryLimitError(
            f"The circuit of {n_tokens:,} tokens takes {kept / 1e9:.1f} GB in this model; {_MOST_BYTES / 1e9:.1f} GB "
            "are allowed. Shorten the text."
        )


def _frozen_pass(model: GPT, norm: nn.LayerNorm, token_ids: Sequence[int], direction: Tensor) -> _Frozen:
    """One forward pass with everything nonlinear frozen; its autograd graph gives the gradients."""
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)[None]
    # A copy, since autograd takes no tensors of inference mode.
    patterns = attention_patterns(model, ids).to(model.wte.weight.dtype, copy=True)
    with torch.no_grad():
        stream = model.wte(ids)[0]
        if model.config.use_positions:
            stream = stream + model.wpe.weight[: ids.shape[1]]
    embedded = stream.clone().requires_grad_()
    stream, layers = embedded, []
    for block, weights in zip(model.blocks, patterns, strict=True):
        scale_1 = norm_scale(block.ln_1, stream).detach()
        mixed = weights @ _values(block, _normed(block.ln_1, stream, scale_1))
        stream = stream + block.attn.c_proj(mixed.transpose(0, 1).flatten(1))
        layer = _Layer(weights, scale_1, mixed)
        if block.use_mlp:
            layer.scale_2 = norm_scale(block.ln_2, stream).detach()
            inner = block.mlp.c_fc(_normed(block.ln_2, stream, layer.scale_2))
            layer.gates = _gates(block, inner.detach())
            layer.neurons = inner * layer.gates
            stream = stream + block.mlp.c_proj(layer.neurons)
        layers.append(layer)
    scale = norm_scale(norm, stream[-1:]).detach()
    centred = (stream[-1] - stream[-1].mean()) / scale[0] * norm.weight
    return _Frozen(embedded, layers, centred @ direction, float((norm.bias @ direction).detach()), scale[0])


def _normed(norm: nn.LayerNorm, stream: Tensor, scale: Tensor) -> Tensor:
    return (stream - stream.mean(-1, keepdim=True)) / scale * norm.weight + norm.bias


def _values(block: Block, read: Tensor) -> Tensor:
    """The heads' value vectors, [H, T, D]."""
    n_head = block.attn.n_head
    return block.attn.c_attn(read).chunk(3, dim=-1)[2].unflatten(-1, (n_head, -1)).transpose(0, 1)


def _gates(block: Block, inner: Tensor) -> Tensor:
    """activation(z) / z; its limit where z is 0."""
    name = block.mlp.activation
    safe = torch.where(inner.abs() < _LEAST_Z, torch.full_like(inner, _LEAST_Z), inner)
    return activation(name, safe) / safe


def _candidates(layers: Sequence[_Layer], heads: Sequence[Tensor], neurons: Sequence[Tensor]) -> list[CircuitNode]:
    """The heads and neurons, each at one position, with the largest influence, in forward order."""
    nodes: list[CircuitNode] = []
    for number, layer in enumerate(layers):
        nodes += _largest("head", number, (heads[number] * layer.found).sum(-1).T)  # [T, H]
        if neurons:  # all layers have some, or none has
            nodes += _largest("neuron", number, neurons[number] * layer.neurons)  # [T, F]
    nodes.sort(key=lambda node: -abs(node.influence))
    return sorted(nodes[:_CANDIDATES], key=lambda node: (node.layer, node.kind == "neuron", node.place, node.index))


def _largest(kind: NodeKind, layer: int, influences: Tensor) -> list[CircuitNode]:
    """The most influential nodes of a layer, given influences [T, N]."""
    nodes = []
    for at in influences.abs().flatten().topk(min(_CANDIDATES, influences.numel())).indices.tolist():
        place, index = divmod(at, influences.shape[1])
        nodes.append(CircuitNode(kind, layer, index, place, float(influences[place, index])))
    return nodes


class _Reader:
    """Computes what each node writes into the stream, and how strongly other nodes read it."""

    def __init__(
        self, model: GPT, norm: nn.LayerNorm, frozen: _Frozen, heads: Sequence[Tensor], neurons: Sequence[Tensor],
        direction: Tensor,
    ) -> None:  # fmt: skip
        self._model, self._norm, self._frozen, self._layers = model, norm, frozen, frozen.layers
        self._heads, self._neurons, self._direction = heads, neurons, direction

    def written(self, node: CircuitNode) -> Tensor:
        """What a node adds to the stream at its place, [C]; an answer adds nothing."""
        if node.kind == "word":
            return self._frozen.embedded[node.place]
        if node.kind == "answer":
            return torch.zeros_like(self._direction)
        block, layer = self._model.blocks[node.layer], self._layers[node.layer]
        if node.kind == "head":
            weight = block.attn.c_proj.weight.unflatten(1, (len(layer.found), -1))  # [C, H, D]
            return weight[:, node.index] @ layer.found[node.index, node.place]
        return block.mlp.c_proj.weight[:, node.index] * layer.neurons[node.place, node.index]

    def read(self, node: CircuitNode) -> tuple[Tensor, Tensor]:
        """A node's linear read-out of the stream: a direction [C], and a factor for every position [T]."""
        factors = torch.zeros(self._layers[0].weights.shape[-1], device=self._direction.device)
        if node.kind == "word":
            return torch.zeros_like(self._direction), factors
        if node.kind == "answer":
            factors[-1] = 1
            return behind(self._norm, self._direction) / self._frozen.scale, factors
        block, layer = self._model.blocks[node.layer], self._layers[node.layer]
        if node.kind == "head":
            values = block.attn.c_attn.weight.unflatten(0, (3, len(layer.found), -1))[2, node.index]  # [D, C]
            slope = self._heads[node.layer][node.index, node.place]  # [D]
            return behind(block.ln_1, slope @ values), layer.weights[node.index, node.place] / layer.scale_1[:, 0]
        slope = self._neurons[node.layer][node.place, node.index]
        factors[node.place] = slope * layer.gates[node.place, node.index] / layer.scale_2[node.place, 0]
        return behind(block.ln_2, block.mlp.c_fc.weight[node.index]), factors

    def edges(self, nodes: Sequence[CircuitNode]) -> Tensor:
        """Direct contributions in logits from each column's node to each row's, float32 [N, N]."""
        written = torch.stack([self.written(node) for node in nodes])  # [N, C]
        directions, factors = (torch.stack(side) for side in zip(*(self.read(node) for node in nodes), strict=True))
        here = self._direction.device
        places = torch.tensor([node.place for node in nodes], device=here)
        stages = torch.tensor([2 * node.layer + (node.kind == "neuron") for node in nodes], device=here)
        before = stages[None] < stages[:, None]
        return (directions @ written.T) * factors[:, places] * before


def _pruned(matrix: Tensor, nodes: Sequence[CircuitNode], share: float, most: int) -> tuple[list[int], float]:
    """Indices of the kept nodes, and the share of the influence on the answer that they carry.

    Influence sums over all paths to the answer, with absolute edge weights normalised per target node.
    """
    shares = matrix.abs()
    shares = shares / shares.sum(1, keepdim=True).clamp_min(1e-12)
    reach = shares[-1].clone()  # paths of one edge, then of two, ...
    step = reach
    for _ in range(max(2, 2 * nodes[-1].layer)):
        step = step @ shares
        reach = reach + step
    inner = [place for place, node in enumerate(nodes) if node.kind in ("head", "neuron")]
    whole = float(reach[inner].sum()) or 1.0
    kept, carried = [], 0.0
    for place in sorted(inner, key=lambda place: -float(reach[place])):
        if carried >= share * whole or len(kept) >= most:
            break
        kept.append(place)
        carried += float(reach[place])
    # The words with the strongest direct edges into the kept nodes or the answer.
    words = [place for place, node in enumerate(nodes) if node.kind == "word"]
    into = matrix[[*kept, len(nodes) - 1]][:, words].abs().amax(0)
    strongest = [words[i] for i in into.argsort(descending=True).tolist() if float(into[i]) > 0.1 * float(into.max())]
    return sorted([*strongest[:8], *kept, len(nodes) - 1]), carried / whole


def _edges(matrix: Tensor, kept: Sequence[int]) -> tuple[CircuitEdge, ...]:
    """The edges between kept nodes, strongest first, without negligible ones."""
    small = matrix[list(kept)][:, list(kept)]
    floor = 0.02 * float(small.abs().max())
    found = (small.abs() > floor).nonzero().tolist()
    edges = [CircuitEdge(source, target, float(small[target, source])) for target, source in found]
    return tuple(sorted(edges, key=lambda edge: -abs(edge.weight)))
