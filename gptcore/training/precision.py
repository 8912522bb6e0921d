"""Where 16 bits pay: on GPUs, and on processors that multiply bfloat16 matrices, if the matrices are large enough."""

from __future__ import annotations

import torch

from gptcore.training.config import Precision

# Tokens of a batch times width. Below, converting costs more than the products save; tests/benchmarks/training.py
# prints both sides.
_LARGE_ENOUGH = 200_000


def faster_precision(n_embd: int, batch_tokens: int, device: str = "cpu") -> Precision:
    """The precision in which an update is likely the faster, a fixed property of machine and shape.

    Args:
        n_embd: C, width of the model.
        batch_tokens: B * T, tokens in one forward pass.
        device: "cpu" or "cuda".
    """
    if device.startswith("cuda"):
        return "bf16" if torch.cuda.is_bf16_supported() else "fp32"
    capable = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "bf16" if capable and n_embd * batch_tokens >= _LARGE_ENOUGH else "fp32"
