"""Weights as the decode step in C (`gptcore/native/decode.c`) reads them, and the step."""

import ctypes
from typing import Literal

import torch
from torch import Tensor

from gptcore.kv_cache import RaggedKVCache
from gptcore.model import GPT
from gptcore.native.compiling import Layer, Matrix, Model, Norm, Step, library

Format = Literal["fp32", "fp16", "int16"]
_FORMATS: dict[str, int] = {"fp32": 0, "fp16": 1, "int16": 2}
_ACTIVATIONS: dict[str, int] = {"gelu_new": 0, "gelu": 1, "relu": 2}
_LANES = 16
LARGEST_HALF = 6e4
_LARGEST_INT16 = 32_767


class NativeWeights:
    """A model's weights in one format, and steps with them.

    Args:
        model: on the CPU in fp32; its embeddings, norms and biases are read where they are.
        weight_format: of the matrices: fp32 and fp16 as they are, int16 with a scale for each row.
        lib: see `library`.
    """

    def __init__(self, model: GPT, weight_format: Format, lib: ctypes.CDLL) -> None:
        self._library = lib
        self.weight_format: Format = weight_format
        self._kept: list[Tensor | object] = []  # what the pointers point to
        config = model.config
        layers = (Layer * config.n_layer)()
        for at, block in enumerate(model.blocks):
            norm_1 = self._norm(block.ln_1)
            norm_2 = Norm()
            attention = (self._matrix(block.attn.c_attn), self._matrix(block.attn.c_proj))
            mlp = (Matrix(), Matrix())
            if block.use_mlp:
                norm_2 = self._norm(block.ln_2)
                mlp = (self._matrix(block.mlp.c_fc), self._matrix(block.mlp.c_proj))
            layers[at] = Layer(norm_1, norm_2, *attention, *mlp, int(block.use_mlp))
        self._kept.append(layers)
        self._model = Model(
            config.n_layer,
            config.n_head,
            config.head_dim,
            config.n_embd,
            config.inner_dim,
            int(config.norm_position == "pre"),
            _ACTIVATIONS[config.activation_function],
            self._pointer(model.wte.weight),
            self._pointer(model.wpe.weight) if config.use_positions else None,
            layers,
            self._norm(model.ln_f) if isinstance(model.ln_f, torch.nn.LayerNorm) else Norm(),
            self._matrix(model.lm_head),
        )
        self.config = config

    def step(self, token_ids: Tensor, cache: RaggedKVCache, threads: int) -> Tensor:
        """Logits after one more token in every row of the cache, float32 [B, V]; token_ids is int64
        [B].
        """
        config = self.config
        B = len(token_ids)
        token_ids = token_ids.contiguous()
        lengths = torch.tensor(cache.lengths, dtype=torch.int64)
        padded = self._library.gptcore_padded(B)
        own = padded * config.n_embd + -(-config.n_positions // _LANES) * _LANES
        widths = (config.n_embd, 3 * config.n_embd, config.n_embd, config.inner_dim)
        room = [torch.zeros(padded * width) for width in widths]  # zeros: what pads is computed too
        room = [torch.empty(B * config.vocab_size), *room, torch.empty(threads * own)]
        step = Step(
            ctypes.pointer(self._model),
            B,
            token_ids.data_ptr(),
            lengths.data_ptr(),
            cache.data.data_ptr(),
            cache.data.shape[2],
            cache.data.shape[4],
            *(item.data_ptr() for item in room),
            own,
            threads,
        )
        self._library.gptcore_step(ctypes.byref(step))
        cache.lengths[:] = [length + 1 for length in cache.lengths]
        return room[0].view(B, config.vocab_size)

    def _pointer(self, tensor: Tensor) -> int:
        plain = tensor.detach().contiguous()
        self._kept.append(plain)
        return plain.data_ptr()

    def _norm(self, norm: torch.nn.LayerNorm) -> Norm:
        return Norm(self._pointer(norm.weight), self._pointer(norm.bias), norm.eps, 1)

    def _matrix(self, linear: torch.nn.Linear) -> Matrix:
        weight, scale = quantised(linear.weight.detach(), self.weight_format)
        bias = None if linear.bias is None else self._pointer(linear.bias)
        scales = None if scale is None else self._pointer(scale)
        n, k = weight.shape
        return Matrix(self._pointer(weight), scales, bias, n, k, _FORMATS[self.weight_format])


def quantised(weight: Tensor, weight_format: Format) -> tuple[Tensor, Tensor | None]:
    """(a matrix float32 [n, k] in a format, the scale of every row float32 [n], or None for formats
    without).
    """
    if weight_format == "fp32":
        return weight.float(), None
    if weight_format == "fp16":
        return weight.half(), None
    scale = weight.abs().amax(dim=1).clamp(min=1e-30) / _LARGEST_INT16
    return (weight / scale[:, None]).round().clamp(-_LARGEST_INT16, _LARGEST_INT16).to(
        torch.int16
    ), scale


@torch.inference_mode()
def native_weights(model: GPT, weight_format: Format) -> NativeWeights | None:
    """The model for the step in C; None where it cannot run: no library, another device or type,
    weights that do not fit the format.
    """
    kernels = library()
    weight = model.wte.weight
    if kernels is None or weight.device.type != "cpu" or weight.dtype != torch.float32:
        return None
    if not kernels.gptcore_formats() >> _FORMATS[weight_format] & 1:
        return None
    matrices = [parameter for parameter in model.parameters() if parameter.ndim == 2]
    if not all(torch.isfinite(matrix).all() for matrix in matrices):
        return None
    if weight_format == "fp16" and not all(
        float(matrix.abs().max()) < LARGEST_HALF for matrix in matrices
    ):
        return None
    return NativeWeights(model, weight_format, kernels)
