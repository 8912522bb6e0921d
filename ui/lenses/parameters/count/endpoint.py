"""The endpoint /parameters."""

from dataclasses import asdict, dataclass
from typing import Any

from gptcore import analysis
from gptcore.config import PRESETS
from ui.lenses.parameters.handlers.shapes import ShapeForm
from ui.payloads import within_json
from ui.services import Services
from ui.shared import inputs
from ui.shared.endpoint import Endpoint, spelled_out
from ui.shared.fields import Choice, Whole, declared

_MOST = 1_000_000  # sequences of a training step
_LONGEST = 10**12  # tokens, as the largest window of a shape


@dataclass(frozen=True, kw_only=True)
class ParametersRequest:
    """The request of a program to /parameters."""

    preset: str | None = declared(
        Choice(
            title="Preset",
            help="gpt1, gpt1-preln, gpt2, gpt2-medium, gpt2-large, gpt2-xl and others; the fields "
            "after it then do not count.",
            options={name: name for name in PRESETS},
        ),
        None,
    )
    shape: ShapeForm = spelled_out(ShapeForm)
    batch_size: int = declared(
        Whole(title="Batch", help="sequences of a training step.", low=1, high=_MOST), 8
    )
    n_tokens: int | None = declared(
        Whole(
            title="Sequence length",
            help="tokens in each, at most the window; null means 256, or the window if that is "
            "shorter.",
            low=1,
            high=_LONGEST,
        ),
        None,
    )


def parameters(services: Services, request: ParametersRequest) -> dict[str, Any]:
    """What a shape is made of and what it costs, without building it.

    Returns:
        total; without_positions and without_embeddings (less those tables); components (name,
        formula, numbers, count); bytes (weights at 32, 16 and 8 bits, AdamW's gradients and
        moments, KV cache of a token and of the window, activations with and without attention
        maps); flops of a token, forward and in training.
    """
    config = request.shape.config if request.preset is None else PRESETS[request.preset]
    B = request.batch_size
    length = min(256, config.n_positions) if request.n_tokens is None else request.n_tokens
    T = inputs.whole(length, "The sequence length", low=1, high=config.n_positions)
    count = analysis.count_parameters(config)
    answer = {
        "total": count.total,
        "without_positions": count.total - count.position_embedding,
        "without_embeddings": count.without_embeddings,
        "components": [asdict(component) for component in count.components],
        "bytes": {
            "weights": {
                str(bits): analysis.weight_bytes(config, bits=bits) for bits in (32, 16, 8)
            },
            "adamw": analysis.optimizer_bytes(config),
            "kv_cache_token": analysis.kv_cache_bytes(config),
            "kv_cache_window": analysis.kv_cache_bytes(config, config.n_positions),
            "activations": analysis.activation_bytes(config, batch_size=B, n_tokens=T),
            "activations_with_maps": analysis.activation_bytes(
                config, batch_size=B, n_tokens=T, attention_maps=True
            ),
        },
        "flops": {
            "forward": analysis.forward_flops(config, T),
            "training": analysis.training_flops(config, T),
        },
    }
    return within_json(answer)


ENDPOINTS = (Endpoint("parameters", ParametersRequest, parameters),)
