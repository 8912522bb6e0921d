"""Attention for programs: what the endpoint /attention answers."""

from __future__ import annotations

from typing import Any

from gptcore.analysis import uniform_scores
from ui.handlers import inputs
from ui.handlers.attention import maps
from ui.handlers.attention.maps import ReadText
from ui.handlers.inputs import InputError
from ui.services import Services


def attention_maps(
    services: Services, model: str, prompt: str, layer: object, head: object, sink: str, keep: str
) -> dict[str, Any]:
    """Every head's scores on a text, and the map of one head.

    Returns:
        {"model", "tokens", "token_ids", "note", "n_layer", "n_head", "scores", "random", "roles" [L][H], "weights"}
    """
    seen = maps.read(services, None, maps.AttentionForm(model, prompt, sink, keep))
    reading = seen.kept.reading
    if (layer is None) != (head is None):
        raise InputError("Give both a layer and a head for a map, or neither for the scores alone.")
    at = which = None
    if layer is not None:
        at = inputs.whole(layer, "The layer", low=0, high=reading.n_layer - 1)
        which = inputs.whole(head, "The head", low=0, high=reading.n_head - 1)
    return services.now(lambda: _described(services, seen, at, which, sink))


def _described(services: Services, seen: ReadText, layer: int | None, head: int | None, sink: str) -> dict[str, Any]:
    reading = seen.kept.reading
    weights = None
    if layer is not None and head is not None:
        shown = maps.shown_as(reading.head_weights(layer, head), sink)
        weights = [[None if value != value else round(value, 6) for value in row] for row in shown.tolist()]
    scores = maps.scores_of(seen.kept)
    chance = uniform_scores(reading.token_ids, causal=reading.causal)
    return {
        "model": seen.lm.name,
        "tokens": list(seen.kept.labels),
        "token_ids": list(reading.token_ids),
        "note": seen.note,
        "n_layer": reading.n_layer,
        "n_head": reading.n_head,
        "scores": maps.plain(scores),
        "random": maps.plain(services.attention_cache.profile(seen.lm)),
        "roles": [[scores.role(at, which, chance) for which in range(reading.n_head)] for at in range(reading.n_layer)],
        "weights": weights,
    }
