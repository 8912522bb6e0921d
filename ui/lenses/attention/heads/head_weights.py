"""Head analysis from weights alone: OV copying or suppression."""

from collections.abc import Sequence
from typing import Annotated

from gptcore.analysis import HeadCircuits, head_circuits
from gptcore.tokenizers import describe_token
from ui.conclusions import capital, concludes, head_name, listed, quoted
from ui.lenses.attention.payloads import HeadOfModel, HeadWeights
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.open_model import answering, open_model

_N = 10
_N_NAMED = 3
_COPIES = 0.5  # of a copying score: beyond it, either way, a head is said to copy or to suppress


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
        "said": conclusion(head_name(at_layer, at_head), circuits, [label for label, _ in copied]),
        "copied": copied,
        "suppressed": suppressed,
        "copying": round(circuits.copying, 2),
    }


@concludes("a head's weights")
def conclusion(name: str, circuits: HeadCircuits, copied: Sequence[str]) -> str:
    """Summarises what a head does, from its weights.

    Args:
        name: of the head, as sentences have it.
        circuits: its circuits.
        copied: labels of the tokens that it copies most.
    """
    most = listed([quoted(label) for label in copied[:_N_NAMED]])
    if circuits.copying >= _COPIES:
        return (
            f"{capital(name)} copies: a token that it looks at becomes likelier, most of all "
            f"{most}."
        )
    if circuits.copying <= -_COPIES:
        return f"{capital(name)} suppresses: most tokens that it looks at become less likely."
    return (
        f"Nothing stands out in what {name} writes: it neither copies nor suppresses what it looks "
        "at."
    )
