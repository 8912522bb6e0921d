"""Trace of one forward pass: what every part writes at one position, the attention weights, and the
logit lens.

Sources: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits" (the residual
stream as a sum of what heads and MLPs write); nostalgebraist 2020 (the logit lens).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.analysis.ablation import ModelPart, SwitchedOff, check_part
from gptcore.analysis.reading import Kind, Recorder, read
from gptcore.errors import TokenIdError
from gptcore.model import GPT


@dataclass(frozen=True)
class ForwardTrace:
    """The record of a forward pass at one position of a text. L layers, H heads, T tokens, S tokens
    up to the position, V vocabulary.

    Norms are 2-norms over the width, of the position alone.

    Attributes:
        at: the position, counted from 0.
        logits: float32 [T, V], after every token.
        attended: float32 [T, T], the largest attention weight of any head from one token to
            another.
        looks: float32 [L, H, S], every head's attention weights from the position.
        token_norm, position_norm: of both embeddings; 0 where the shape has no positions.
        head_norms: float32 [L, H], of what each head adds to its attention's output, without the
            bias.
        attention_norms: float32 [L], of attention's output.
        mlp_norms: float32 [L], of the MLP's; 0 in a shape without MLPs.
        stream_norms: float32 [L + 1], of the residual stream: after the embeddings, then after each
            block.
        final_norm: float, of what the output head multiplies.
        lens: float32 [L + 1, V], log-probabilities that the output head would give the stream after
            each depth; the last row is the model's own.
    """

    at: int
    logits: Tensor
    attended: Tensor
    looks: Tensor
    token_norm: float
    position_norm: float
    head_norms: Tensor
    attention_norms: Tensor
    mlp_norms: Tensor
    stream_norms: Tensor
    final_norm: float
    lens: Tensor


class _Tracer(Recorder):
    """Records a pass's activations at one position and its attention weights, with the given parts
    of the model ablated.
    """

    needs_weights = True

    def __init__(self, model: GPT, at: int, without: Collection[ModelPart]) -> None:
        super().__init__("residual", "attention", "mlp", "head", at=[at])
        self._off = SwitchedOff([without])
        self._from = at
        self.looks: list[Tensor] = []
        # [T, T] after the first layer
        self.attended = torch.zeros(1, device=model.wte.weight.device)

    def part(self, kind: Kind, layer: int, value: Tensor) -> Tensor:
        written = value if kind == "residual" else self._off.part(kind, layer, value)
        return super().part(kind, layer, written)

    def weights(self, layer: int, weights: Tensor) -> None:
        self.attended = torch.maximum(self.attended, weights[0].amax(dim=0))
        self.looks.append(weights[0, :, self._from, : self._from + 1].clone())


@torch.inference_mode()
def trace(
    model: GPT, token_ids: Sequence[int], at: int = -1, *, without: Collection[ModelPart] = ()
) -> ForwardTrace:
    """Traces one forward pass at one position.

    Args:
        model: of any shape. Post-norm models have no final norm; there the output head alone reads
            the stream.
        token_ids: int [T], at most the window.
        at: the position; -1 for the last one, whose guess is the next token.
        without: parts of the model that write nothing in this pass.

    Raises:
        TokenIdError, ContextLengthError: as the model does, and for a position outside the text.
        ConfigError: a part that this model does not have.
    """
    n_tokens = len(token_ids)
    if not -n_tokens <= at < n_tokens:
        raise TokenIdError(f"The position is {at}; the text has {n_tokens} tokens.")
    at %= n_tokens
    for part in without:
        check_part(model, part)
    tracer = _Tracer(model, at, without)
    hidden = read(model, token_ids, tracer)  # [T, C]
    logits = model.lm_head(hidden).float()
    found = tracer.found
    none = torch.zeros(model.config.n_layer)
    head_norms = list[Tensor]()
    for block, heads in zip(model.blocks, found["head"], strict=True):
        here = heads[0, :, 0]  # [H, D]
        projection = block.attn.c_proj.weight.unflatten(1, here.shape)  # [C, H, D]
        head_norms.append(torch.einsum("hd,chd->hc", here, projection).norm(dim=-1))
    streams = torch.cat(found["residual"])[:, 0]  # [L + 1, C]
    lens = model.lm_head(model.ln_f(streams)).float().log_softmax(-1)
    return ForwardTrace(
        at,
        logits.cpu(),
        tracer.attended.float().cpu(),
        torch.stack(tracer.looks).float().cpu(),
        float(model.wte.weight[token_ids[at]].norm()),
        float(model.wpe.weight[at].norm()) if model.config.use_positions else 0.0,
        torch.stack(head_norms).float().cpu(),
        torch.cat(found["attention"])[:, 0].norm(dim=-1).float().cpu(),
        torch.cat(found["mlp"])[:, 0].norm(dim=-1).float().cpu() if found["mlp"] else none,
        streams.norm(dim=-1).float().cpu(),
        float(hidden[at].norm()),
        lens.cpu(),
    )
