"""The endpoint /attention."""

from dataclasses import dataclass
from typing import Any

from gptcore.analysis import head_scores, uniform_scores
from gptcore.language_model import DEFAULT_MODEL
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.forms import HeadsFields
from ui.services import Services
from ui.shared import inputs
from ui.shared.endpoint import MODEL, Endpoint, needed, written
from ui.shared.fields import Whole, declared, taken
from ui.shared.inputs import InputError

_MOST_PARTS = 100_000  # layers or heads of any model


@dataclass(frozen=True, kw_only=True)
class AttentionRequest:
    """The request of a program to /attention."""

    prompt: str = needed(written("Prompt", "text to read."))
    layer: int | None = declared(
        Whole(
            title="Layer",
            help="from 0; with head, its full map is returned too.",
            low=0,
            high=_MOST_PARTS,
        ),
        None,
    )
    head: int | None = declared(Whole(title="Head", help="from 0.", low=0, high=_MOST_PARTS), None)
    sink: str = taken(HeadsFields, "sink")
    keep: str = taken(HeadsFields, "keep")
    model: str = declared(MODEL, DEFAULT_MODEL)


def attention(services: Services, request: AttentionRequest) -> dict[str, Any]:
    """Where every head looks while the model reads a text, and what the heads do.

    Returns:
        model, tokens, token_ids, note (what was cut), n_layer, n_head, scores on this text and on
        repeated random tokens (name -> one number for each layer and head; null where there is no
        occasion), roles, and weights [reading token][looked-at token] of the chosen head, or null.
    """
    seen = maps.read(
        services,
        None,
        maps.AttentionForm(request.model, request.prompt, request.sink, request.keep),
    )
    reading = seen.kept.reading
    layer = request.layer
    head = request.head
    if (layer is None) != (head is None):
        raise InputError("Give both a layer and a head for a map, or neither for the scores alone.")
    if layer is not None:
        layer = inputs.whole(layer, "The layer", low=0, high=reading.n_layer - 1)
        head = inputs.whole(head, "The head", low=0, high=reading.n_head - 1)

    def described() -> dict[str, Any]:
        weights = None
        if layer is not None and head is not None:
            shown = maps.shown_as(reading.head_weights(layer, head), request.sink)
            weights = [
                [None if value != value else round(value, 6) for value in row]
                for row in shown.tolist()
            ]
        scores = head_scores(reading.layers(), reading.token_ids)
        places = range(reading.n_layer)
        chance = uniform_scores(reading.token_ids, causal=reading.causal)
        return {
            "model": seen.lm.name,
            "tokens": list(seen.kept.labels),
            "token_ids": list(reading.token_ids),
            "note": seen.note,
            "n_layer": reading.n_layer,
            "n_head": reading.n_head,
            "scores": scores.lists(),
            "random": services.attention_cache.profile(seen.lm).lists(),
            "roles": [
                [scores.role(at, which, chance) for which in range(reading.n_head)] for at in places
            ],
            "weights": weights,
        }

    return services.now(described)


ENDPOINTS = (Endpoint("attention", AttentionRequest, attention),)
