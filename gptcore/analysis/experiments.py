"""Small live experiments on the pieces that a GPT is made of; each returns the numbers of one
figure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.analysis.reading import Recorder, record_activations
from gptcore.config import GPTConfig
from gptcore.errors import ConfigError
from gptcore.model import GPT, activation, random_model


@dataclass(frozen=True)
class ActivationCurves:
    """Activations and their slopes at x, float [N] each. `gate` is Phi(x), by which GELU multiplies
    its input.
    """

    x: Tensor
    values: dict[str, Tensor]
    slopes: dict[str, Tensor]
    gate: Tensor


def activation_curves() -> ActivationCurves:
    """ReLU, exact GELU and its tanh approximation. Source: Hendrycks and Gimpel 2016, "Gaussian
    Error Linear Units".
    """
    x = torch.linspace(-4, 4, 401)
    values = {}
    slopes = {}
    for name in ("relu", "gelu", "gelu_new"):
        at = x.clone().requires_grad_(True)
        y = activation(name, at)
        values[name], slopes[name] = y.detach(), torch.autograd.grad(y.sum(), at)[0]
    return ActivationCurves(x, values, slopes, 0.5 * (1 + torch.erf(x / 2**0.5)))


def gelu_by_hand(x: Tensor) -> Tensor:
    """GELU's tanh form, term by term: half of x times a gate. Source: Hendrycks and Gimpel 2016,
    section 2.
    """
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


def layer_norm_by_hand(x: Tensor, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """LayerNorm over the last dimension, term by term; x float [..., C]. Source: Ba et al. 2016,
    equation 3.
    """
    mean = x.mean(dim=-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)  # divided by C, not by C - 1
    return (x - mean) / torch.sqrt(variance + epsilon) * weight + bias


@dataclass(frozen=True)
class TwoNorms:
    """N tokens of C channels, float [N, C], and as BatchNorm (each channel over the tokens) and
    LayerNorm (each token over its channels) make them, before scale and shift; and how far the
    first token moves under each, on average over its channels, when another token of the batch is
    replaced.
    """

    before: Tensor
    by_batch: Tensor
    by_layer: Tensor
    moved_by_batch: float
    moved_by_layer: float


def two_norms() -> TwoNorms:
    """BatchNorm and LayerNorm on the same small batch. Source: Ioffe and Szegedy 2015; Ba et al.
    2016.
    """
    n = 4
    channels = 6
    generator = torch.Generator().manual_seed(0)
    before = 3 * torch.randn(n, channels, generator=generator) + torch.linspace(-4, 4, n)[:, None]
    other = before.clone()
    other[-1] = 12 * torch.randn(channels, generator=generator)

    by_batch = partial(F.batch_norm, running_mean=None, running_var=None, training=True)
    by_layer = partial(F.layer_norm, normalized_shape=(channels,))
    moved = [
        float((norm(other)[0] - norm(before)[0]).abs().mean()) for norm in (by_batch, by_layer)
    ]
    return TwoNorms(before, by_batch(before), by_layer(before), *moved)


@dataclass(frozen=True)
class NormExample:
    """A real activation before and after a LayerNorm, float [T, C] each; its mean and deviation by
    token, [T].
    """

    before: Tensor
    after: Tensor
    mean: Tensor
    deviation: Tensor


@torch.inference_mode()
def layer_norm_example(model: GPT, token_ids: Sequence[int], layer: int) -> NormExample:
    """The effect of a layer's ln_1 on the residual stream of a text. In post-norm models it gets
    the same stream.

    Raises:
        ConfigError: no such layer. TokenIdError, ContextLengthError: as the model does.
    """
    if not 0 <= layer < model.config.n_layer:
        raise ConfigError(
            f"There is no layer {layer}; this model has layers 0 to {model.config.n_layer - 1}."
        )
    stream = record_activations(model, token_ids, "residual")["residual"][layer][0]
    after = model.blocks[layer].ln_1(stream)
    return NormExample(
        stream.cpu(), after.cpu(), stream.mean(-1).cpu(), stream.std(-1, correction=0).cpu()
    )


@torch.inference_mode()
def future_leak(config: GPTConfig) -> dict[bool, Tensor]:
    """Measures how much every position's prediction changes when the last token is replaced, with
    and without the causal mask.

    Both use the same random weights and T tokens, 16 or the window.

    Returns:
        {causal: float [T], Euclidean distance of the logits}.
    """
    n_tokens = min(16, config.n_positions)
    ids = torch.randint(
        config.vocab_size, (1, n_tokens), generator=torch.Generator().manual_seed(0)
    )
    other = ids.clone()
    other[0, -1] = (other[0, -1] + 1) % config.vocab_size
    leaks = {}
    for causal in (True, False):
        model = random_model(replace(config, causal=causal), 0).eval()
        leaks[causal] = (model(ids).logits - model(other).logits)[0].norm(dim=-1)
    return leaks


def gradient_by_depth(config: GPTConfig) -> dict[str, Tensor]:
    """The gradient's size in every block at initialisation, pre-norm against post-norm, measured as
    Xiong et al. do.

    Matrices get Xavier initialisation, and the gradient of the MLP's second matrix is averaged over
    batches before its norm is taken. Source: Xiong et al. 2020, "On Layer Normalization in the
    Transformer Architecture", section 3.

    The shape's norm position and residual scaling are ignored; four batches of 4 sequences of
    random tokens.

    Returns:
        {"pre" | "post": float [n_layer], Frobenius norm of the mean gradient of mlp.c_proj.weight}.
    """
    n_tokens = min(32, config.n_positions)
    n_batches = 4
    norms = {}
    for position in ("pre", "post"):
        generator = torch.Generator().manual_seed(0)
        model = random_model(
            replace(config, norm_position=position, residual_scaling=False, use_mlp=True), 0
        ).eval()
        _draw_as_xavier(model, generator)
        for _ in range(n_batches):
            ids = torch.randint(config.vocab_size, (4, n_tokens + 1), generator=generator)
            loss = F.cross_entropy(model(ids[:, :-1]).logits.flatten(0, 1), ids[:, 1:].flatten())
            (loss / n_batches).backward()
        gradients = [block.mlp.c_proj.weight.grad for block in model.blocks]
        norms[position] = torch.stack(
            [gradient.norm() for gradient in gradients if gradient is not None]
        )
    return norms


@torch.no_grad()
def _draw_as_xavier(model: GPT, generator: torch.Generator) -> None:
    """Xavier uniform initialisation of the blocks' matrices, q, k and v separately; embeddings from
    N(0, 1/C).
    """
    C = model.config.n_embd
    for block in model.blocks:
        for name, matrix in block.named_parameters():
            for part in matrix.split(C) if "c_attn" in name else [matrix]:
                if part.dim() == 2:
                    nn.init.xavier_uniform_(part, generator=generator)
    for table in [model.wte, *([model.wpe] if model.config.use_positions else [])]:
        table.weight.normal_(std=C**-0.5, generator=generator)


@torch.inference_mode()
def stream_by_depth(config: GPTConfig) -> dict[bool, Tensor]:
    """The residual stream's standard deviation after every depth at initialisation, with GPT-2's
    scaling and without.

    Source: Radford et al. 2019, section 2.3: residual projections start smaller by the root of
    their number.

    Returns:
        {scaled: float [n_layer + 1]}.
    """
    size = (4, min(32, config.n_positions))
    sizes = {}
    ids = torch.randint(config.vocab_size, size, generator=torch.Generator().manual_seed(0))
    for scaled in (True, False):
        model = random_model(
            replace(config, norm_position="pre", residual_scaling=scaled), 0
        ).eval()
        probe = Recorder("residual")
        model.hidden_states(ids, probe=probe)
        sizes[scaled] = torch.stack([stream.std() for stream in probe.found["residual"]])
    return sizes


@torch.inference_mode()
def position_similarity(model: GPT, *, most: int = 256) -> Tensor:
    """Cosine similarity of the learned position embeddings, float [P, P], at up to `most` evenly
    spaced positions.

    Raises:
        ConfigError: a model without positions.
    """
    if not model.config.use_positions:
        raise ConfigError("This model has no position embeddings.")
    table = model.wpe.weight.float().cpu()
    chosen = table[torch.linspace(0, len(table) - 1, min(most, len(table))).round().long()]
    unit = F.normalize(chosen, dim=-1)
    return unit @ unit.T
