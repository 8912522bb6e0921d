"""The named endpoints: plain values in, plain values out, the same checks as on the page."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gptcore.analysis import (
    activation_bytes,
    count_parameters,
    forward_flops,
    kv_cache_bytes,
    optimizer_bytes,
    training_flops,
    uniform_scores,
    weight_bytes,
)
from gptcore.config import PRESETS
from gptcore.generation import Continuation, check_seed, continue_together, last_logits, prompt_ids
from ui.handlers import attention, distribution, inputs, shapes
from ui.handlers.inputs import InputError
from ui.services import Services
from ui.sessions import NextToken


def generate(services: Services, model: str, prompt: str, n: int, values: dict[str, Any]) -> dict[str, Any]:
    """One or several continuations of a prompt, with every token's figures.

    Returns:
        {"model", "prompt", "seed", "texts": [str], "tokens": [[{id, text, logprob, rank}]], "ends": [str]}
    """
    how = inputs.writing(values, services.limits)
    lm = services.models.get(inputs.model_name(model))
    settings = inputs.settings(values, lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    n_texts = inputs.whole(n, "The number of texts", low=1, high=4)
    seed = check_seed(how.seed)
    continuations = [
        Continuation(ids, settings, seed=seed + i, tokenizer=lm.tokenizer, stop=how.stop, n_alternatives=1)
        for i in range(n_texts)
    ]
    tokens: list[list[dict[str, Any]]] = [[] for _ in continuations]
    steps = continue_together(lm.model, continuations, max_new_tokens=how.max_new_tokens, use_cache=how.use_cache)
    for (index, made), _ in services.compute(steps):
        tokens[index].append({"id": made.id, "text": made.text, "logprob": round(made.logprob, 6), "rank": made.rank})
    texts = ["".join(token["text"] for token in row) for row in tokens]
    return {
        "model": lm.name,
        "prompt": prompt,
        "seed": seed,
        "texts": texts,
        "tokens": tokens,
        "ends": [c.end for c in continuations],
    }


def next_token(services: Services, model: str, prompt: str, n_rows: int, values: dict[str, Any]) -> dict[str, Any]:
    """The distribution of the token after a prompt, stage by stage, over the full vocabulary.

    Returns:
        {"vocab_size", "stages": [{name, candidates, entropy in bits, removed}], "rows": [{id, label, p of each stage}]}
    """
    lm = services.models.get(inputs.model_name(model))
    settings = inputs.settings(values, lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    rows = inputs.whole(n_rows, "The number of rows", low=1, high=1000)
    with services.slots:
        seen = NextToken(lm.name, tuple(ids), len(ids), last_logits(lm.model, ids))
    return distribution.table(lm.tokenizer, seen, settings, rows)


def attention_maps(
    services: Services, model: str, prompt: str, layer: object, head: object, sink: str, keep: str
) -> dict[str, Any]:
    """Every head's scores on a text, and the map of one head.

    Returns:
        {"model", "tokens", "token_ids", "note", "n_layer", "n_head", "scores", "random", "roles" [L][H], "weights"}
    """
    seen = attention.read(services, None, model, prompt, sink, keep)
    reading = seen.kept.reading
    weights = None
    if (layer is None) != (head is None):
        raise InputError("Give both a layer and a head for a map, or neither for the scores alone.")
    if layer is not None:
        at = inputs.whole(layer, "The layer", low=0, high=reading.n_layer - 1)
        which = inputs.whole(head, "The head", low=0, high=reading.n_head - 1)
        shown = attention.shown_as(reading.head_weights(at, which), sink)
        weights = [[None if value != value else round(value, 6) for value in row] for row in shown.tolist()]
    with services.slots:
        profile = services.readings.profile(seen.lm)
    scores = attention.scores_of(seen.kept)
    chance = uniform_scores(reading.token_ids, causal=reading.causal)
    return {
        "model": seen.lm.name,
        "tokens": list(seen.kept.labels),
        "token_ids": list(reading.token_ids),
        "note": seen.note,
        "n_layer": reading.n_layer,
        "n_head": reading.n_head,
        "scores": attention.plain(scores),
        "random": attention.plain(profile),
        "roles": [[scores.role(at, which, chance) for which in range(reading.n_head)] for at in range(reading.n_layer)],
        "weights": weights,
    }


def parameters(preset: object, controls: dict[str, object], batch_size: object, n_tokens: object) -> dict[str, Any]:
    """A shape's parameters, bytes and operations.

    Returns:
        {"total", "components": [{name, formula, numbers, count}], "bytes": {...}, "flops": {...}}
    """
    if preset is not None and not (isinstance(preset, str) and preset in PRESETS):
        raise InputError(f"There is no preset {str(preset)[:60]!r}; choose one of {', '.join(PRESETS)}.")
    config = shapes.shape(controls) if preset is None else PRESETS[str(preset)]
    B = inputs.whole(batch_size, "The batch", low=1, high=1_000_000)
    asked = min(256, config.n_positions) if n_tokens is None else n_tokens
    T = inputs.whole(asked, "The sequence length", low=1, high=config.n_positions)
    count = count_parameters(config)
    found = {
        "total": count.total,
        "components": [asdict(component) for component in count.components],
        "bytes": {
            "weights": {str(bits): weight_bytes(config, bits=bits) for bits in (32, 16, 8)},
            "adamw": optimizer_bytes(config),
            "kv_cache_token": kv_cache_bytes(config),
            "kv_cache_window": kv_cache_bytes(config, config.n_positions),
            "activations": activation_bytes(config, batch_size=B, n_tokens=T),
            "activations_with_maps": activation_bytes(config, batch_size=B, n_tokens=T, attention_maps=True),
        },
        "flops": {"forward": forward_flops(config, T), "training": training_flops(config, T)},
    }
    return _within_json(found)


def _within_json(value: Any) -> Any:
    """Whole numbers beyond 64 bits as floats: JSON of this server has no larger ones."""
    if isinstance(value, dict):
        return {key: _within_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_within_json(entry) for entry in value]
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value
