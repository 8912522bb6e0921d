"""The endpoint /attribution."""

from dataclasses import dataclass, replace
from typing import Any

from gptcore.analysis import logit_attribution, logits_without
from gptcore.inference.generation import prompt_ids
from gptcore.language_model import DEFAULT_MODEL
from gptcore.tokenizers import describe_token
from ui.lenses.attention.handlers.single_token import LONGEST_TOKEN, token_id
from ui.services import Services
from ui.shared import inputs
from ui.shared.endpoint import MODEL, Endpoint, needed, written
from ui.shared.fields import Text, declared


@dataclass(frozen=True, kw_only=True)
class AttributionRequest:
    """The request of a program to /attribution."""

    prompt: str = needed(written("Prompt", "text that the token follows."))
    token: str = declared(
        Text(
            title="Token",
            help='one token\'s text, such as " ball"; "" for the likeliest.',
            most=LONGEST_TOKEN,
        ),
        "",
    )
    against: str = declared(
        Text(title="Rival", help='its rival; "" for the likeliest other one.', most=LONGEST_TOKEN),
        "",
    )
    model: str = declared(
        replace(MODEL, help="a name from the page's list; a pre-norm one."), DEFAULT_MODEL
    )


def attribution(services: Services, request: AttributionRequest) -> dict[str, Any]:
    """Why a token and not another: the difference of their logits as a sum over the parts of the
    model.

    Returns:
        model, token, against, total (the difference of both logits) and parts, [name, what it
        writes], the largest first: "token" and "position" for the embeddings, "L0H0" for a head,
        "L0 MLP", "constants" for biases.
    """
    lm = services.models.get(inputs.model_name(request.model))
    written = inputs.text(
        request.prompt, "The prompt", most=services.limits.max_prompt_chars, least=1
    )
    ids = prompt_ids(lm, written)[-lm.model.config.n_positions :]
    first, second = services.now(
        lambda: logits_without(lm.model, ids, [[]])[0].topk(2).indices.tolist()
    )
    word = first if not request.token else token_id(lm, request.token)
    rival = (
        (second if word == first else first)
        if not request.against
        else token_id(lm, request.against)
    )
    attributed = services.now(lambda: logit_attribution(lm.model, ids, word, rival))
    parts = sorted(
        zip(attributed.names, attributed.values.tolist(), strict=True),
        key=lambda part: -abs(part[1]),
    )
    return {
        "model": lm.name,
        "token": describe_token(lm.tokenizer, word),
        "against": describe_token(lm.tokenizer, rival),
        "total": round(attributed.total, 5),
        "parts": [[name, round(value, 5)] for name, value in parts],
    }


ENDPOINTS = (Endpoint("attribution", AttributionRequest, attribution),)
