"""MLP neurons over a text: what activates one, and what it writes."""

from typing import Annotated

from gptcore.analysis import neuron_activations, neuron_writes, outstanding_neurons
from gptcore.analysis.circuits import CircuitNode, logits_without_nodes
from gptcore.inference.generation import text_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui import conclusions
from ui.lenses.attention.payloads import InnerSizes, NeuronRequest, Neurons
from ui.payloads import Guess, fields, rounded
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
    by_size = ancestors.inner_sizes()
    two, four, eight = (round(by_size[name].loss, 3) for name in "248")
    more = by_size["8"].parameters - by_size["4"].parameters
    gains = f"From 2 to 4 times it gains {two - four:.3f}, from 4 to 8 times {four - eight:.3f}"
    return {
        "how": f"{ancestors.how()} {gains} for {more:,} parameters more.",
        "sizes": [(name, size.loss, size.parameters) for name, size in by_size.items()],
    }


def _described(lm: LanguageModel, ids: list[int], layer: int, neuron: object) -> Neurons:
    most = min(_MOST_TOKENS, lm.model.config.n_positions)
    cut = f"The last {most} of {len(ids):,} tokens are shown." if len(ids) > most else ""
    ids = ids[-most:]
    of_text = neuron_activations(lm.model, ids, layer)  # [T, F]
    top = outstanding_neurons(of_text, _N_TOP)
    chosen = top[0] if neuron is None else inputs.whole(neuron, "The neuron", low=0, high=of_text.shape[1] - 1)
    written = neuron_writes(lm.model, layer, chosen)
    tokens, activations = [describe_token(lm.tokenizer, token) for token in ids], of_text[:, chosen].tolist()
    n_written = min(_N_WRITTEN, len(written))
    raised, lowered = (written.topk(n_written, largest=largest).indices.tolist() for largest in (True, False))
    confirmed = None
    if lm.model.config.norm_position == "pre":  # in a post-norm model single neurons are not cut
        # Of the tokens that it writes most, those that are less likely where it is cut at its peak.
        place = int(of_text[:, chosen].argmax())
        cuts = [[], [CircuitNode("neuron", layer, chosen, place, 0.0)]]
        before, after = (logits_without_nodes(lm.model, ids[: place + 1], nodes).log_softmax(-1) for nodes in cuts)
        confirmed = [describe_token(lm.tokenizer, token) for token in raised if after[token] < before[token]]

    def labelled(best: list[int]) -> list[Guess]:
        return [(describe_token(lm.tokenizer, token), rounded(written[token])) for token in best]

    return {
        "said": conclusions.neuron(layer, chosen, tokens, activations, confirmed),
        "layer": layer, "n_layer": lm.model.config.n_layer, "n_inner": of_text.shape[1], "note": cut, "top": top,
        "neuron": chosen, "tokens": tokens, "activations": [rounded(value) for value in activations],
        "more": labelled(raised), "less": labelled(lowered),
    }  # fmt: skip
