"""Circuits: the few heads and neurons through which a text makes a model prefer one word to
another.

With attention weights, norm scales and neuron gates, activation(z) / z, frozen at their values in
one run, a pre-norm model is linear from the words to the difference of two logits. The influence of
a head or neuron is then its output times the gradient; the weight of an edge is what one node
writes directly into the input of another. Nodes are checked in the model itself: switched off, and
the rest recomputed.

Sources: Jafari et al. 2025, "RelP: Faithful and Efficient Circuit Discovery via Relevance
Patching"; neurons as nodes: arXiv 2601.22594; pruning by normalised influence: Ameisen et al. 2025,
"Circuit Tracing".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from gptcore.analysis.attention import attention_patterns
from gptcore.analysis.attribution import (
    final_norm,
    logit_direction,
    norm_scale,
    pull_back_through_norm,
)
from gptcore.analysis.reading import PartKind, PartProbe, read
from gptcore.errors import ConfigError, MemoryLimitError, TokenIdError
from gptcore.model import GPT, Block, activation, evaluating

NodeKind = Literal["word", "head", "neuron", "answer"]
_MOST_BYTES = 2 << 30  # of what is kept for the gradients
_CANDIDATES = 160  # heads and neurons that a circuit is selected from
_LEAST_Z = 1e-6  # smallest |z| for which a gate is computed as activation(z) / z
_NONE = torch.empty(0)
_PART_OF: dict[NodeKind, PartKind] = {"head": "head", "neuron": "mlp"}


@dataclass(frozen=True)
class CircuitNode:
    """A node of a circuit."""

    kind: NodeKind  # "word" is an embedding, "answer" the difference of both logits
    layer: int  # of a head or neuron; -1 for words, n_layer for the answer
    index: int  # number of the head or neuron; 0 for the others
    position: int  # the position where it writes
    influence: float  # its contribution in logits; for the answer, the logit difference itself

    @property
    def stage(self) -> int:
        """Its place in the forward pass: attention of a layer, then its MLP."""
        return 2 * self.layer + (self.kind == "neuron")


@dataclass(frozen=True)
class CircuitEdge:
    """The direct contribution of one node to another: its share of the target's influence, in
    logits.
    """

    source: int
    target: int
    weight: float


@dataclass(frozen=True)
class WordCircuit:
    """A circuit of words, heads, neurons and the answer."""

    nodes: tuple[CircuitNode, ...]  # words first, by layer, the answer last
    edges: tuple[CircuitEdge, ...]  # between indices into `nodes`, strongest first
    total: float  # the difference of both logits
    # float32 [T], the influence of every word of the text; with `constants` they sum to `total`
    words: Tensor
    constants: float  # what biases and frozen norms add
    carried: float  # the kept nodes' share of the influence of all candidates


@dataclass
class _Parts:
    """The heads or the neurons of one layer in the frozen pass over T tokens: N parts with D
    channels each; a neuron has one.
    """

    norm: nn.LayerNorm  # before them
    scale: Tensor  # [T, 1], what it divides by
    reads: Tensor  # [N, D, C], their weights
    gates: Tensor  # of heads their attention weights, [N, T, T]; of neurons [N, T]
    found: Tensor  # [T, N, D], behind these
    writes: Tensor  # [C, N, D], their weights
    slopes: Tensor = _NONE  # [T, N, D], of the answer


@dataclass
class _Frozen:
    """The whole frozen pass."""

    embedded: Tensor  # [T, C]
    parts: dict[tuple[NodeKind, int], _Parts]  # by kind and layer
    ending: Tensor  # [C], the direction in which the last position's stream is read
    answer: Tensor  # the difference of both logits, without what the final norm's bias adds
    constant: float  # what that adds


def word_circuit(
    model: GPT,
    token_ids: Sequence[int],
    token: int,
    against: int,
    *,
    share: float = 0.8,
    most: int = 24,
) -> WordCircuit:
    """Finds the circuit behind a logit difference, pruned to the nodes that carry most of the
    influence.

    Args:
        model: pre-norm.
        token_ids: int [T], at most the window.
        token, against: the difference is the logit of the one minus that of the other, after the
            last position.
        share: fraction of the candidates' influence to keep.
        most: maximum number of heads and neurons.

    Raises:
        ConfigError: a post-norm model, or an invalid share or most. TokenIdError,
            ContextLengthError: as the model does, and for invalid tokens. MemoryLimitError: a text
            that is too long for so large a model.
    """
    norm = final_norm(model, "its norms rescale the whole stream, so that no circuit is linear.")
    if not 0 < share <= 1 or most < 1:
        raise ConfigError(
            f"share is {share} and most {most}; a share is above 0 and at most 1, most at least 1."
        )
    if not len(token_ids):
        raise TokenIdError("The text is empty.")
    _check_memory(model, len(token_ids))
    direction = logit_direction(model, token, against)
    with torch.enable_grad(), evaluating(model):
        frozen = _frozen_pass(model, norm, token_ids, direction)
        parts = frozen.parts.values()
        slopes = torch.autograd.grad(
            frozen.answer, [frozen.embedded, *(part.found for part in parts)]
        )
    with torch.no_grad():
        words = (slopes[0] * frozen.embedded).sum(-1)  # [T]
        for part, slope in zip(parts, slopes[1:], strict=True):
            part.slopes = slope
        total = float(frozen.answer) + frozen.constant
        nodes = [
            *(
                CircuitNode("word", -1, 0, index, float(words[index]))
                for index in range(len(words))
            ),
            *_candidates(frozen),
            CircuitNode("answer", model.config.n_layer, 0, len(token_ids) - 1, total),
        ]
        matrix = _direct(frozen, nodes)  # [N, N], from column to row
    kept, carried = _pruned(matrix, nodes, share, most)
    chosen = tuple(nodes[index] for index in kept)
    constants = total - float(words.sum())
    return WordCircuit(chosen, _edges(matrix, kept), total, words.float().cpu(), constants, carried)


def _check_memory(model: GPT, n_tokens: int) -> None:
    """Raises MemoryLimitError where the maps and hidden layers that are kept for the gradients are
    too large.
    """
    config = model.config
    kept = (
        config.n_layer
        * n_tokens
        * (config.n_head * n_tokens + 3 * config.inner_dim + 4 * config.n_embd)
        * 4
    )
    if kept > _MOST_BYTES:
        raise MemoryLimitError(
            f"The circuit of {n_tokens:,} tokens takes {kept / 1e9:.1f} GB in this model; "
            f"{_MOST_BYTES / 1e9:.1f} GB are allowed. Shorten the text."
        )


def _frozen_pass(
    model: GPT, norm: nn.LayerNorm, token_ids: Sequence[int], direction: Tensor
) -> _Frozen:
    """One forward pass with everything nonlinear frozen; its autograd graph gives the gradients."""
    ids = torch.as_tensor(token_ids, dtype=torch.long, device=model.wte.weight.device)[None]
    # A copy, since autograd takes no tensors of inference mode.
    patterns = attention_patterns(model, ids).to(model.wte.weight.dtype, copy=True)
    with torch.no_grad():
        stream = model.wte(ids)[0]
        if model.config.use_positions:
            stream = stream + model.wpe.weight[: ids.shape[1]]
    embedded = stream.clone().requires_grad_()
    stream = embedded
    parts = dict[tuple[NodeKind, int], _Parts]()
    for layer, (block, weights) in enumerate(zip(model.blocks, patterns, strict=True)):
        attn = block.attn
        scale = norm_scale(block.ln_1, stream).detach()
        split = (attn.n_head, -1)
        # [T, H, D]
        values = (
            attn.c_attn(_normed(block.ln_1, stream, scale)).chunk(3, dim=-1)[2].unflatten(-1, split)
        )
        found = torch.einsum("hqk,khd->qhd", weights, values)
        stream = stream + attn.c_proj(found.flatten(1))
        reads = attn.c_attn.weight.chunk(3)[2].unflatten(0, split)
        writes = attn.c_proj.weight.unflatten(1, split)
        parts["head", layer] = _Parts(block.ln_1, scale, reads, weights, found, writes)
        if block.use_mlp:
            mlp = block.mlp
            scale = norm_scale(block.ln_2, stream).detach()
            inner = mlp.c_fc(_normed(block.ln_2, stream, scale))  # [T, F]
            gates = _gates(block, inner.detach())
            found = (inner * gates)[..., None]
            stream = stream + mlp.c_proj(found[..., 0])
            reads = mlp.c_fc.weight[:, None]
            writes = mlp.c_proj.weight[..., None]
            parts["neuron", layer] = _Parts(block.ln_2, scale, reads, gates.T, found, writes)
    ending = (pull_back_through_norm(norm, direction) / norm_scale(norm, stream[-1])).detach()
    return _Frozen(
        embedded, parts, ending, stream[-1] @ ending, float((norm.bias @ direction).detach())
    )


def _normed(norm: nn.LayerNorm, stream: Tensor, scale: Tensor) -> Tensor:
    return (stream - stream.mean(-1, keepdim=True)) / scale * norm.weight + norm.bias


def _gates(block: Block, inner: Tensor) -> Tensor:
    """activation(z) / z; its limit where z is 0."""
    safe = torch.where(inner.abs() < _LEAST_Z, torch.full_like(inner, _LEAST_Z), inner)
    return activation(block.mlp.activation, safe) / safe


def _candidates(frozen: _Frozen) -> list[CircuitNode]:
    """The heads and neurons, each at one position, with the largest influence, in forward order."""
    nodes: list[CircuitNode] = []
    for (kind, layer), part in frozen.parts.items():
        influences = (part.slopes * part.found).sum(-1)  # [T, N]
        for at in (
            influences.abs().flatten().topk(min(_CANDIDATES, influences.numel())).indices.tolist()
        ):
            position, index = divmod(at, influences.shape[1])
            nodes.append(
                CircuitNode(kind, layer, index, position, float(influences[position, index]))
            )
    nodes.sort(key=lambda node: -abs(node.influence))
    return sorted(nodes[:_CANDIDATES], key=lambda node: (node.stage, node.position, node.index))


def _writes(frozen: _Frozen, node: CircuitNode) -> Tensor:
    """Computes the vector that a node adds to the residual stream at its position, [C]; zeros for
    an answer.
    """
    if node.kind == "word":
        return frozen.embedded[node.position]
    if node.kind == "answer":
        return torch.zeros_like(frozen.ending)
    part = frozen.parts[node.kind, node.layer]
    return part.writes[:, node.index] @ part.found[node.position, node.index]


def _reads(frozen: _Frozen, node: CircuitNode) -> tuple[Tensor, Tensor]:
    """A node's linear read-out of the stream: a direction [C], and a factor for every position
    [T].
    """
    factors = torch.zeros(len(frozen.embedded), device=frozen.ending.device)
    if node.kind == "word":
        return torch.zeros_like(frozen.ending), factors
    if node.kind == "answer":
        factors[-1] = 1
        return frozen.ending, factors
    part = frozen.parts[node.kind, node.layer]
    gates = part.gates[node.index, node.position] / part.scale[:, 0]  # [T]
    if node.kind == "neuron":
        factors[node.position] = gates[node.position]
    else:
        factors = gates
    return pull_back_through_norm(
        part.norm, part.slopes[node.position, node.index] @ part.reads[node.index]
    ), factors


def _direct(frozen: _Frozen, nodes: Sequence[CircuitNode]) -> Tensor:
    """Direct contributions in logits from each column's node to each row's, float32 [N, N]."""
    written = torch.stack([_writes(frozen, node) for node in nodes])  # [N, C]
    directions, factors = (
        torch.stack(side) for side in zip(*(_reads(frozen, node) for node in nodes), strict=True)
    )
    positions = torch.tensor([node.position for node in nodes], device=written.device)
    stages = torch.tensor([node.stage for node in nodes], device=written.device)
    return (directions @ written.T) * factors[:, positions] * (stages[None] < stages[:, None])


def _pruned(
    matrix: Tensor, nodes: Sequence[CircuitNode], share: float, most: int
) -> tuple[list[int], float]:
    """Indices of the kept nodes, and the share of the influence on the answer that they carry.

    Influence sums over all paths to the answer, with absolute edge weights normalised per target
    node.
    """
    shares = matrix.abs()
    shares = shares / shares.sum(1, keepdim=True).clamp_min(1e-12)
    reach = shares[-1].clone()  # paths of one edge, then of two, ...
    step = reach
    for _ in range(max(2, 2 * nodes[-1].layer)):
        step = step @ shares
        reach = reach + step
    inner = [index for index, node in enumerate(nodes) if node.kind in ("head", "neuron")]
    whole = float(reach[inner].sum()) or 1.0
    kept = []
    carried = 0.0
    for index in sorted(inner, key=lambda index: -float(reach[index])):
        if carried >= share * whole or len(kept) >= most:
            break
        kept.append(index)
        carried += float(reach[index])
    # The words with the strongest direct edges into the kept nodes or the answer.
    words = [index for index, node in enumerate(nodes) if node.kind == "word"]
    into = matrix[[*kept, len(nodes) - 1]][:, words].abs().amax(0)
    strongest = [
        words[i]
        for i in into.argsort(descending=True).tolist()
        if float(into[i]) > 0.1 * float(into.max())
    ]
    return sorted([*strongest[:8], *kept, len(nodes) - 1]), carried / whole


def _edges(matrix: Tensor, kept: Sequence[int]) -> tuple[CircuitEdge, ...]:
    """The edges between kept nodes, strongest first, without negligible ones."""
    small = matrix[list(kept)][:, list(kept)]
    floor = 0.02 * float(small.abs().max())
    found = (small.abs() > floor).nonzero().tolist()
    edges = [CircuitEdge(source, target, float(small[target, source])) for target, source in found]
    return tuple(sorted(edges, key=lambda edge: -abs(edge.weight)))


class _Without(PartProbe):
    """Ablates nodes: heads and neurons write nothing at their positions."""

    # float [B, T, C], before any norm: what attention reads; once that has written, what the MLP
    # reads
    _stream: Tensor

    def __init__(self, model: GPT, nodes: Sequence[CircuitNode]) -> None:
        self._model = model
        self._nodes = nodes

    def residual(self, depth: int, stream: Tensor) -> None:
        self._stream = stream

    def part(self, kind: PartKind, layer: int, value: Tensor) -> Tensor:
        if kind == "attention":
            self._stream = self._stream + value
        for node in self._nodes:
            if (_PART_OF.get(node.kind), node.layer) == (kind, layer):
                value = value.clone()
                if kind == "head":
                    value[0, node.index, node.position] = 0
                else:
                    mlp = self._model.blocks[layer].mlp
                    norm = self._model.blocks[layer].ln_2
                    inner = (
                        mlp.c_fc.weight[node.index] @ norm(self._stream[0, node.position])
                        + mlp.c_fc.bias[node.index]
                    )
                    value[0, node.position] -= (
                        activation(mlp.activation, inner) * mlp.c_proj.weight[:, node.index]
                    )
        return value


@torch.inference_mode()
def logits_without_nodes(
    model: GPT, token_ids: Sequence[int], nodes: Sequence[CircuitNode]
) -> Tensor:
    """Logits after the last position, float32 [V], with a circuit's heads and neurons ablated at
    their positions.

    The rest of the model is recomputed. Word and answer nodes cannot be ablated and are skipped.
    """
    return model.lm_head(read(model, token_ids, _Without(model, nodes))[-1]).float().cpu()
