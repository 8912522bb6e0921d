"""Where 16 bits pay: on GPUs, and on processors that multiply bfloat16 matrices, if the matrices are large enough."""

from __future__ import annotations

import torch

from gptcore.training.config import Precision

# Tokens of a batch times width. Below, converting costs more than the products save; tests/benchmarks/training.py
# prints both sides.
_LARGE_ENOUGH = 200_000


def multiplies_bf16(device: torch.device | str) -> bool:
    """Whether a device has instructions for products of bfloat16 matrices, which halve the bytes and more."""
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported()
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def faster_precision(n_embd: int, batch_tokens: int, device: str = "cpu") -> Precision:
    """The precision in which an update is likely the faster, a fixed property of machine and shape.

    Args:
        n_embd: C, width of the model.
        batch_tokens: B * T, tokens in one forward pass.
        device: "cpu" or "cuda".
    """
    large = device.startswith("cuda") or n_embd * batch_tokens >= _LARGE_ENOUGH
    return "bf16" if large and multiplies_bf16(device) else "fp32"
