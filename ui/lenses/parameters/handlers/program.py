"""API handler of the endpoint /parameters."""

from dataclasses import asdict
from typing import Any

from gptcore.analysis import (
    activation_bytes,
    count_parameters,
    forward_flops,
    kv_cache_bytes,
    optimizer_bytes,
    training_flops,
    weight_bytes,
)
from gptcore.config import PRESETS
from ui.lenses.parameters.handlers import shapes
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.numbers import within_json


def parameters(preset: object, controls: dict[str, object], batch_size: object, n_tokens: object) -> dict[str, Any]:
    """A shape's parameters, bytes and operations.

    Returns:
        {"total", "components": [{name, formula, numbers, count}], "bytes": {...}, "flops": {...}}
    """
    if preset is not None and not (isinstance(preset, str) and preset in PRESETS):
        raise InputError(f"There is no preset {str(preset)[:60]!r}; choose one of {', '.join(PRESETS)}.")
    config = shapes.shape(controls) if preset is None else PRESETS[str(preset)]
    B = inputs.whole(batch_size, "The batch", low=1, high=1_000_000)
    length = min(256, config.n_positions) if n_tokens is None else n_tokens
    T = inputs.whole(length, "The sequence length", low=1, high=config.n_positions)
    count = count_parameters(config)
    answer = {
        "total": count.total,
        "without_positions": count.total - count.position_embedding,
        "without_embeddings": count.without_embeddings,
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
    return within_json(answer)
