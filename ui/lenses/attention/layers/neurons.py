"""MLP neurons over a text: what activates one, and what it writes."""

from collections.abc import Sequence
from typing import Annotated

from gptcore.analysis import neuron_activations, neuron_writes, outstanding_neurons
from gptcore.analysis.circuits import CircuitNode, logits_without_nodes
from gptcore.inference.generation import text_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui.conclusions import concludes, decimal, listed, quoted
from ui.lenses.attention.payloads import InnerSizes, NeuronRequest, Neurons
from ui.payloads import Guess, fields, rounded
from ui.services import Services
from ui.shared import ancestors, inputs
from ui.shared.open_model import answering, open_text

_AWAKE = 0.3  # of a neuron's activation; below it the output is negligible
_MOST_NAMED = 3  # items in a list
_N_TOP = 10
_N_WRITTEN = 6
_MOST_TOKENS = 200


@answering
def neurons(services: Services, request: Annotated[object, NeuronRequest]) -> Neurons:
    """A neuron over a text; a message where it cannot be."""
    lm, text = open_text(services, request)
    layer, neuron = fields(request, "layer", "neuron")
    last = lm.model.config.n_layer - 1
    # The previous model may have had more layers.
    at = (
        last // 2 + last % 2
        if layer is None
        else min(last, inputs.whole(layer, "The layer", low=0, high=10_000))
    )
    ids = text_ids(lm, text)
    return services.now(lambda: _described(lm, ids, at, neuron))


@answering
def inner_sizes(services: Services, request: Annotated[object, None]) -> InnerSizes:
    """The recorded losses by inner width; ignores the request."""
    by_size = ancestors.inner_sizes()
    two, four, eight = (round(by_size[name].loss, 3) for name in "248")
    more = by_size["8"].parameters - by_size["4"].parameters
    gains = (
        f"Going from 2 to 4 times lowers the loss by {two - four:.3f}, from 4 to 8 times by "
        f"{four - eight:.3f}"
    )
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
    chosen = (
        top[0]
        if neuron is None
        else inputs.whole(neuron, "The neuron", low=0, high=of_text.shape[1] - 1)
    )
    written = neuron_writes(lm.model, layer, chosen)
    tokens = [describe_token(lm.tokenizer, token) for token in ids]
    activations = of_text[:, chosen].tolist()
    n_written = min(_N_WRITTEN, len(written))
    raised, lowered = (
        written.topk(n_written, largest=largest).indices.tolist() for largest in (True, False)
    )
    confirmed = None
    if lm.model.config.norm_position == "pre":  # in a post-norm model single neurons are not cut
        # Of the tokens that it writes most, those that are less likely where it is cut at its peak.
        index = int(of_text[:, chosen].argmax())
        cuts = [[], [CircuitNode("neuron", layer, chosen, index, 0.0)]]
        before, after = (
            logits_without_nodes(lm.model, ids[: index + 1], nodes).log_softmax(-1)
            for nodes in cuts
        )
        confirmed = [
            describe_token(lm.tokenizer, token) for token in raised if after[token] < before[token]
        ]

    def labelled(best: list[int]) -> list[Guess]:
        return [(describe_token(lm.tokenizer, token), rounded(written[token])) for token in best]

    return {
        "said": conclusion(layer, chosen, tokens, activations, confirmed),
        "layer": layer,
        "n_layer": lm.model.config.n_layer,
        "n_inner": of_text.shape[1],
        "note": cut,
        "top": top,
        "neuron": chosen,
        "tokens": tokens,
        "activations": [rounded(value) for value in activations],
        "more": labelled(raised),
        "less": labelled(lowered),
    }


@concludes("neuron")
def conclusion(
    layer: int,
    number: int,
    tokens: Sequence[str],
    activations: Sequence[float],
    more: Sequence[str] | None,
) -> str:
    """Names the tokens of a text that excite a neuron, and those that it makes likelier.

    Args:
        layer, number: where it is.
        tokens: of the text.
        activations: one a token, after the activation function.
        more: the tokens that it makes likelier most, the first the most; of those that it writes,
            the ones that are less likely once it is cut; None where that was not tried.
    """
    peak = max(activations)
    if peak < _AWAKE:
        most = f"(at most {decimal(peak)})"
        return (
            f"Nothing stands out: nothing in this text excites neuron {number} of layer {layer} "
            f"{most}."
        )
    exciting: dict[str, float] = {}
    for token, value in zip(tokens, activations, strict=True):
        exciting[token] = max(value, exciting.get(token, 0.0))
    ranked = sorted(exciting, key=lambda token: -exciting[token])
    strong = [token for token in ranked if exciting[token] >= peak / 2][:_MOST_NAMED]
    sentence = (
        f"Neuron {number} of layer {layer} reacts most to "
        f"{listed([quoted(token) for token in strong])}"
    )
    if more is None:
        return f"{sentence}."
    if not more:
        return f"{sentence}; of the tokens that it writes, none is less likely there without it."
    written = listed([quoted(token) for token in more[:_MOST_NAMED]])
    return (
        f"{sentence}; without it, {written} {'are' if len(more[:_MOST_NAMED]) > 1 else 'is'} less "
        "likely there."
    )
