"""API handler of the endpoint /parameters."""

from dataclasses import asdict
from typing import Any

from gptcore import analysis
from gptcore.config import PRESETS
from ui.lenses.parameters.handlers import shapes
from ui.payloads import within_json
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError


def parameters(
    services: Services, preset: str | None = None, batch_size: int = 8, n_tokens: int | None = None, **shape: Any
) -> dict[str, Any]:
    """What a shape is made of and what it costs, without building it.

    Args:
        preset: gpt1, gpt1-preln, gpt2, gpt2-medium, gpt2-large, gpt2-xl and others; the fields after it then do
            not count.
        batch_size: sequences of a training step.
        n_tokens: tokens in each, at most the window; null means 256, or the window if that is shorter.
        **shape: fields of `shapes.ShapeForm`.

    Returns:
        total; without_positions and without_embeddings (less those tables); components (name, formula, numbers,
        count); bytes (weights at 32, 16 and 8 bits, AdamW's gradients and moments, KV cache of a token and of the
        window, activations with and without attention maps); flops of a token, forward and in training.
    """
    if preset is not None and not (isinstance(preset, str) and preset in PRESETS):
        raise InputError(f"There is no preset {str(preset)[:60]!r}; choose one of {', '.join(PRESETS)}.")
    config = shapes.shape(shape) if preset is None else PRESETS[str(preset)]
    B = inputs.whole(batch_size, "The batch", low=1, high=1_000_000)
    length = min(256, config.n_positions) if n_tokens is None else n_tokens
    T = inputs.whole(length, "The sequence length", low=1, high=config.n_positions)
    count = analysis.count_parameters(config)
    answer = {
        "total": count.total,
        "without_positions": count.total - count.position_embedding,
        "without_embeddings": count.without_embeddings,
        "components": [asdict(component) for component in count.components],
        "bytes": {
            "weights": {str(bits): analysis.weight_bytes(config, bits=bits) for bits in (32, 16, 8)},
            "adamw": analysis.optimizer_bytes(config),
            "kv_cache_token": analysis.kv_cache_bytes(config),
            "kv_cache_window": analysis.kv_cache_bytes(config, config.n_positions),
            "activations": analysis.activation_bytes(config, batch_size=B, n_tokens=T),
            "activations_with_maps": analysis.activation_bytes(config, batch_size=B, n_tokens=T, attention_maps=True),
        },
        "flops": {"forward": analysis.forward_flops(config, T), "training": analysis.training_flops(config, T)},
    }
    return within_json(answer)
