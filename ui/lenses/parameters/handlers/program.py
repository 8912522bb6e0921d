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
    services: Services,
    preset: str | None = None,
    vocab_size: int = 50257,
    n_positions: int = 1024,
    n_layer: int = 12,
    n_head: int = 12,
    n_embd: int = 768,
    n_inner: int = 0,
    tie_word_embeddings: bool = True,
    attention_bias: bool = True,
    use_mlp: bool = True,
    use_positions: bool = True,
    norm_position: str = "pre",
    batch_size: int = 8,
    n_tokens: int | None = None,
) -> dict[str, Any]:
    """What a shape is made of and what it costs, without building it.

    Args:
        preset: gpt1, gpt1-preln, gpt2, gpt2-medium, gpt2-large, gpt2-xl and others; the fields after it then do
            not count.
        vocab_size: V.
        n_positions: window in tokens.
        n_layer: blocks.
        n_head: heads in a block; divides n_embd.
        n_embd: C, width.
        n_inner: width inside the MLP; 0 means four times n_embd.
        tie_word_embeddings: the output head is the token embedding again.
        attention_bias: biases in attention.
        use_mlp: MLPs in the blocks.
        use_positions: learned positions.
        norm_position: "pre" (GPT-2) or "post" (GPT-1).
        batch_size: sequences of a training step.
        n_tokens: tokens in each, at most the window; null means 256, or the window if that is shorter.

    Returns:
        total; without_positions and without_embeddings (less those tables); components (name, formula, numbers,
        count); bytes (weights at 32, 16 and 8 bits, AdamW's gradients and moments, KV cache of a token and of the
        window, activations with and without attention maps); flops of a token, forward and in training.
    """
    controls = {
        "vocab_size": vocab_size, "n_positions": n_positions, "n_layer": n_layer, "n_head": n_head, "n_embd": n_embd,
        "n_inner": n_inner, "tie_word_embeddings": tie_word_embeddings, "attention_bias": attention_bias,
        "use_mlp": use_mlp, "use_positions": use_positions, "norm_position": norm_position,
    }  # fmt: skip
    if preset is not None and not (isinstance(preset, str) and preset in PRESETS):
        raise InputError(f"There is no preset {str(preset)[:60]!r}; choose one of {', '.join(PRESETS)}.")
    config = shapes.shape(controls) if preset is None else PRESETS[str(preset)]
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
