"""MLP neurons over a text: what activates one, and what it writes."""

from typing import Annotated

from torch import Tensor

from gptcore.analysis import neuron_activations, neuron_writes, outstanding_neurons
from gptcore.analysis.circuit_checks import logits_without_nodes
from gptcore.analysis.circuits import CircuitNode
from gptcore.inference.generation import text_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui import conclusions
from ui.lenses.attention.payloads import InnerSizes, NeuronRequest, Neurons
from ui.payloads import fields, rounded
from ui.services import Services
from ui.shared import ancestors, inputs
from ui.shared.open_model import answering, open_text

_N_TOP, _N_WRITTEN, _MOST_TOKENS = 10, 6, 200


@answering
def neurons(services: Services, request: Annotated[object, NeuronRequest]) -> Neurons:
    """A neuron over a text; a message where it cannot be."""
    lm, text = open_text(services, request)
    layer, neuron = fields(request, "layer", "neuron")
    last = lm.model.config.n_layer - 1
    # The previous model may have had more layers.
    at = last // 2 + last % 2 if layer is None else min(last, inputs.whole(layer, "The layer", low=0, high=10_000))
    ids = text_ids(lm, text)
    return services.now(lambda: _described(lm, ids, at, neuron))


@answering
def inner_sizes(services: Services, request: Annotated[object, None]) -> InnerSizes:
    """The recorded losses by inner width; ignores the request."""
    sizes = [(name, size.loss, size.parameters) for name, size in ancestors.inner_sizes().items()]
    by_size = ancestors.inner_sizes()
    gains = [
        round(by_size[smaller].loss, 3) - round(by_size[larger].loss, 3) for smaller, larger in (("2", "4"), ("4", "8"))
    ]
    more = by_size["8"].parameters - by_size["4"].parameters
    sentence = (
        f"From 2 to 4 times it gains {gains[0]:.3f}, from 4 to 8 times {gains[1]:.3f} for {more:,} parameters more."
    )
    return {"how": f"{ancestors.how()} {sentence}", "sizes": sizes}


def _described(lm: LanguageModel, ids: list[int], layer: int, neuron: object) -> Neurons:
    most = min(_MOST_TOKENS, lm.model.config.n_positions)
    cut = f"The last {most} of {len(ids):,} tokens are shown." if len(ids) > most else ""
    ids = ids[-most:]
    of_text = neuron_activations(lm.model, ids, layer)  # [T, F]
    top = outstanding_neurons(of_text, _N_TOP)
    chosen = top[0] if neuron is None else inputs.whole(neuron, "The neuron", low=0, high=of_text.shape[1] - 1)
    written = neuron_writes(lm.model, layer, chosen)
    tokens, activations = [describe_token(lm.tokenizer, token) for token in ids], of_text[:, chosen].tolist()
    more, confirmed = _labelled(lm, written, largest=True), _confirmed(lm, ids, of_text, layer, chosen, written)
    return {
        "said": conclusions.neuron(layer, chosen, tokens, activations, confirmed),
        "layer": layer, "n_layer": lm.model.config.n_layer, "n_inner": of_text.shape[1], "note": cut, "top": top,
        "neuron": chosen, "tokens": tokens, "activations": [rounded(value) for value in activations],
        "more": more, "less": _labelled(lm, written, largest=False),
    }  # fmt: skip


def _confirmed(
    lm: LanguageModel, ids: list[int], activations: Tensor, layer: int, neuron: int, written: Tensor
) -> list[str] | None:
    """Of the tokens that a neuron writes most, those that are less likely where it is cut at its peak.

    None for a post-norm model, in which single neurons are not cut.
    """
    if lm.model.config.norm_position != "pre":
        return None
    place = int(activations[:, neuron].argmax())
    node = CircuitNode("neuron", layer, neuron, place, 0.0)
    before, after = (logits_without_nodes(lm.model, ids[: place + 1], nodes).log_softmax(-1) for nodes in ([], [node]))
    best = written.topk(min(_N_WRITTEN, len(written))).indices.tolist()
    return [describe_token(lm.tokenizer, token) for token in best if after[token] < before[token]]


def _labelled(lm: LanguageModel, written: Tensor, *, largest: bool) -> list[tuple[str, float]]:
    best = written.topk(min(_N_WRITTEN, len(written)), largest=largest)
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return [(describe_token(lm.tokenizer, token), rounded(value)) for token, value in pairs]
