"""Head analysis from weights alone: OV copying or suppression, and composition with earlier heads."""

from collections.abc import Sequence
from typing import Annotated

from gptcore.analysis import HeadCircuits, head_circuits
from gptcore.tokenizers import describe_token
from ui.conclusions import concludes, listed, quoted
from ui.lenses.attention.payloads import HeadOfModel, HeadWeights
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.open_model import answering, open_model

_N, _N_NAMED = 10, 3
_COPIES = 0.5  # of a copying score: beyond it, either way, a head is said to copy or to suppress
_BUILDS = 3.0  # times the composition score of random weights, which is 1 / sqrt(width)
_KINDS = {"Q": "what it looks for", "K": "what it looks at", "V": "what it passes on"}


@answering
def head_weights(services: Services, request: Annotated[object, HeadOfModel]) -> HeadWeights:
    """A head from its weights alone; a message where it cannot be."""
    model, layer, head = fields(request, "model", "layer", "head")
    lm = open_model(services, model)
    config = lm.model.config
    at_layer = inputs.whole(layer, "The layer", low=0, high=config.n_layer - 1)
    at_head = inputs.whole(head, "The head", low=0, high=config.n_head - 1)
    circuits = services.now(lambda: head_circuits(lm.model, at_layer, at_head, n=_N))
    copied, suppressed = (
        [(describe_token(lm.tokenizer, token), round(logit, 2)) for token, logit in written]
        for written in (circuits.copied, circuits.suppressed)
    )
    return {
        "said": conclusion(f"{at_layer}.{at_head}", circuits, [label for label, _ in copied], width=config.n_embd),
        "copied": copied,
        "suppressed": suppressed,
        "copying": round(circuits.copying, 2),
        "compositions": [
            (f"head {one.layer}.{one.head}", _KINDS[one.kind], round(one.score, 2)) for one in circuits.compositions
        ],
    }


@concludes("a head's weights")
def conclusion(name: str, circuits: HeadCircuits, copied: Sequence[str], *, width: int) -> str:
    """Summarises what a head does, from its weights.

    Args:
        name: "5.4".
        circuits: its circuits.
        copied: labels of the tokens that it copies most.
        width: C, of the model.
    """
    most = listed([quoted(label) for label in copied[:_N_NAMED]])
    if circuits.copying >= _COPIES:
        sentence = f"Head {name} copies: a token that it looks at becomes likelier, most of all {most}."
    elif circuits.copying <= -_COPIES:
        sentence = f"Head {name} suppresses: most tokens that it looks at become less likely."
    else:
        sentence = f"Nothing stands out in what head {name} writes: it neither copies nor suppresses what it looks at."
    strong = [one for one in circuits.compositions if one.score >= _BUILDS / width**0.5][:_N_NAMED]
    if not strong:
        none = "It builds on no earlier head in particular" if circuits.compositions else "No head comes before it"
        return f"{sentence} {none}."
    named = [f"head {one.layer}.{one.head} in {_KINDS[one.kind]} ({one.score:.2f})" for one in strong]
    return f"{sentence} It builds on {listed(named)}."
