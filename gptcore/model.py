"""The GPT itself: token and position embeddings, blocks, final norm, output head.

GPT-1 and GPT-2 are one class with two configs. GPT-2 has a LayerNorm before each sublayer and one
more, ln_f, after the last block; GPT-1, as released, has one after each residual sum. Parameters
are named as in OpenAI's GPT-2 and in transformers: wte, wpe, h, ln_1, attn, ln_2, mlp, ln_f.

Shapes: B rows of a batch, T new tokens, S all tokens with the cached ones, C width (n_embd), H
heads, D width of a head, V vocabulary.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.attention import CausalSelfAttention, ForwardContext, additive_mask
from gptcore.config import GPTConfig
from gptcore.errors import ContextLengthError, TokenIdError
from gptcore.kv_cache import KVCache
from gptcore.linear import Linear
from gptcore.probe import NO_PROBE, Probe

IGNORED_TARGET = -100


def activation(name: str, x: Tensor) -> Tensor:
    """gelu_new (tanh approximation), gelu (exact) or relu, elementwise."""
    return (
        F.relu(x)
        if name == "relu"
        else F.gelu(x, approximate="tanh" if name == "gelu_new" else "none")
    )


@dataclass(frozen=True)
class GPTOutput:
    """The result of a forward pass."""

    logits: Tensor  # float [B, T, V], for every position
    loss: Tensor | None  # mean cross-entropy in nats per predicted token, or None without targets


class Embedding(nn.Embedding):
    """nn.Embedding without torch's default initialisation: GPT.initialise sets every weight
    itself.
    """

    def reset_parameters(self) -> None:
        pass


class MLP(nn.Module):
    """Two linear maps with an activation between, applied to every position separately."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.activation = config.activation_function
        self.c_fc: Linear = Linear(config.n_embd, config.inner_dim)
        self.c_proj: Linear = Linear(config.inner_dim, config.n_embd)
        self.dropout: nn.Dropout = nn.Dropout(config.resid_pdrop)

    def forward(self, x: Tensor) -> Tensor:
        """float [B, T, C] -> float [B, T, C]."""
        return self.dropout(self.c_proj(activation(self.activation, self.c_fc(x))))


class Block(nn.Module):
    """Attention, then MLP, each added to the residual stream; the norm comes before or after."""

    def __init__(self, config: GPTConfig, layer: int) -> None:
        super().__init__()
        self.pre_norm: bool = config.norm_position == "pre"
        self.ln_1: nn.LayerNorm = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.attn: CausalSelfAttention = CausalSelfAttention(config, layer)
        if config.use_mlp:
            self.ln_2: nn.LayerNorm = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
            self.mlp: MLP = MLP(config)
        self.use_mlp: bool = config.use_mlp

    def forward(self, x: Tensor, context: ForwardContext) -> Tensor:
        """float [B, T, C] -> float [B, T, C]."""
        if self.pre_norm:  # GPT-2: x + f(norm(x))
            x = x + self._attention(self.ln_1(x), context)
            return x + self._mlp(self.ln_2(x), context) if self.use_mlp else x
        # GPT-1: norm(x + f(x))
        x = self.ln_1(x + self._attention(x, context))
        return self.ln_2(x + self._mlp(x, context)) if self.use_mlp else x

    def _attention(self, x: Tensor, context: ForwardContext) -> Tensor:
        return context.probe.attention_output(self.attn.layer, self.attn(x, context))

    def _mlp(self, x: Tensor, context: ForwardContext) -> Tensor:
        return context.probe.mlp_output(self.attn.layer, self.mlp(x))


class GPT(nn.Module):
    """A decoder-only transformer language model, GPT-1 or GPT-2 by its config.

    Weights are random, as the papers say; under `torch.device("meta")` they are left empty.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.wte: Embedding = Embedding(config.vocab_size, config.n_embd)
        if config.use_positions:
            self.wpe: Embedding = Embedding(config.n_positions, config.n_embd)
        self.drop: nn.Dropout = nn.Dropout(config.embd_pdrop)
        self.h: nn.ModuleList = nn.ModuleList(
            Block(config, layer) for layer in range(config.n_layer)
        )
        final_norm = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_f: nn.LayerNorm | nn.Identity = final_norm if config.final_norm else nn.Identity()
        self.lm_head: Linear = Linear(config.n_embd, config.vocab_size, bias=False)
        self.tie()
        if not self.wte.weight.is_meta:
            self.initialise()

    @property
    def blocks(self) -> list[Block]:
        """The blocks in order: `h` with a precise type."""
        return [block for block in self.h if isinstance(block, Block)]

    def tie(self) -> None:
        """Makes the output head share the token embedding's matrix, if the config says so. Needed
        again after `to_empty` and `load_state_dict(assign=True)`, which separate the two.
        """
        if self.config.tie_word_embeddings:
            self.lm_head.weight = self.wte.weight

    def initialise(self, generator: torch.Generator | None = None) -> None:
        """Draws all parameters afresh.

        Matrices and embeddings are normal with standard deviation initializer_range, biases 0, norm
        gains 1. With residual_scaling, the projections into the residual stream (c_proj) get a
        standard deviation smaller by sqrt(2 * n_layer): 2 * n_layer of their outputs are
        summed on the stream (GPT-2 paper, section 2.3).
        """
        std = self.config.initializer_range
        for name, parameter in self.named_parameters():
            if parameter.dim() < 2:  # a bias or a norm
                is_gain = ".ln_" in f".{name}" and name.endswith("weight")
                nn.init.constant_(parameter, 1.0 if is_gain else 0.0)
            else:  # a matrix or an embedding
                is_residual = self.config.residual_scaling and name.endswith("c_proj.weight")
                divisor = math.sqrt(2 * self.config.n_layer) if is_residual else 1.0
                nn.init.normal_(parameter, std=std / divisor, generator=generator)

    def forward(
        self,
        token_ids: Tensor,
        targets: Tensor | None = None,
        *,
        attention_mask: Tensor | None = None,
        probe: Probe = NO_PROBE,
    ) -> GPTOutput:
        """Predicts the token after each position.

        Args:
            token_ids: int64 [B, T].
            targets: int64 [B, T], targets[:, t] is the token after position t. The data are already
                shifted; nothing is shifted here. Positions at -100 carry no loss.
            attention_mask: [B, T], 1 or true where a token is real, 0 or false where it is padding.
                Positions are counted from each row's first real token.
            probe: observes this pass's activations, and may change them.

        Returns:
            GPTOutput with logits for all positions.

        Raises:
            ContextLengthError: T exceeds n_positions. TokenIdError: an id outside the vocabulary,
            or T is 0.
        """
        hidden = self.hidden_states(token_ids, attention_mask=attention_mask, probe=probe)
        logits = self.lm_head(hidden)  # [B, T, V]
        if targets is None:
            return GPTOutput(logits, None)
        loss = F.cross_entropy(
            logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED_TARGET
        )
        return GPTOutput(logits, loss)

    def hidden_states(
        self,
        token_ids: Tensor,
        *,
        attention_mask: Tensor | None = None,
        cache: KVCache | None = None,
        probe: Probe = NO_PROBE,
    ) -> Tensor:
        """Runs everything but the output head; returns the residual stream after the final norm,
        float [B, T, C].

        Args:
            token_ids, probe: as in `forward`.
            attention_mask: as in `forward`; with a cache [B, S], the cached tokens first.
            cache: keys and values of earlier tokens, to which those of the new ones are appended.
        """
        past = 0 if cache is None else cache.length
        check_token_ids(token_ids, past, self.config)
        T = token_ids.shape[1]

        # Embed the tokens and their positions.
        x = self.wte(token_ids)  # [B, T, C]
        if self.config.use_positions:
            x = x + self.wpe(_positions(token_ids, past, attention_mask))
        x = self.drop(x)

        # Without padding or cached tokens, the attention kernels' own causal mask will do.
        context = ForwardContext(None, self.config.causal, cache, probe)
        if attention_mask is not None or past:
            causal = self.config.causal
            device = token_ids.device
            mask = additive_mask(
                T, past + T, causal=causal, attention_mask=attention_mask, device=device
            )
            context = ForwardContext(mask, False, cache, probe)

        x = self._run_blocks(x, 0, context)
        if cache is not None:
            cache.advance(T)
        return self.ln_f(x)

    def resumed(self, stream: Tensor, depth: int, *, probe: Probe = NO_PROBE) -> Tensor:
        """Runs the rest of a pass, from block `depth` to the final norm; returns as `hidden_states`
        does. stream: float [B, T, C], the residual stream before that block.
        """
        return self.ln_f(
            self._run_blocks(stream, depth, ForwardContext(None, self.config.causal, None, probe))
        )

    def _run_blocks(self, x: Tensor, first: int, context: ForwardContext) -> Tensor:
        for depth, block in enumerate(self.h[first:], start=first):
            context.probe.residual(depth, x)
            x = block(x, context)
        context.probe.residual(self.config.n_layer, x)
        return x


def random_model(config: GPTConfig, seed: int) -> GPT:
    """A freshly initialised model, determined by the seed alone, whatever else draws random numbers
    meanwhile.
    """
    with torch.device("meta"):
        model = GPT(config)
    model = model.to_empty(device="cpu")
    model.tie()
    model.initialise(torch.Generator().manual_seed(seed))
    return model


@contextmanager
def evaluating(model: GPT) -> Iterator[None]:
    """Context manager: evaluation mode (no dropout) inside, the previous mode afterwards."""
    was_training = model.training
    if was_training:
        model.eval()
    try:
        yield
    finally:
        if was_training:
            model.train()


def _positions(token_ids: Tensor, past: int, attention_mask: Tensor | None) -> Tensor:
    """The position of each new token, int64 [T]; with an attention mask [B, T], counted from each
    row's first real token, and 0 for padding before it.
    """
    T = token_ids.shape[1]
    if attention_mask is None:
        return torch.arange(past, past + T, device=token_ids.device)
    return (attention_mask.long().cumsum(dim=1) - 1).clamp(min=0)[:, -T:]


def check_token_ids(token_ids: Tensor, past: int, config: GPTConfig) -> None:
    """Validates token ids and raises a readable error; `past` cached tokens come before them."""
    if not isinstance(token_ids, Tensor):
        kind = type(token_ids).__name__
        raise TokenIdError(
            f"token_ids is {kind}; a model takes a tensor [B, T], such as torch.tensor([[1, 2]])."
        )
    if torch.compiler.is_compiling() or (
        token_ids.is_cuda and torch.cuda.is_current_stream_capturing()
    ):
        return  # reading values on the CPU would break the compiled graph, or fail the capture
    if token_ids.is_floating_point() or token_ids.dtype is torch.bool:
        raise TokenIdError(
            f"token_ids has the type {token_ids.dtype}; token ids are whole numbers, such as int64."
        )
    n_tokens = past + token_ids.shape[-1]
    limit = config.n_positions
    if token_ids.dim() != 2 or token_ids.numel() == 0:
        shape = list(token_ids.shape)
        raise TokenIdError(
            f"token_ids has the shape {shape}; it must be [B, T] with at least one token."
        )
    if n_tokens > limit:
        raise ContextLengthError(
            f"The text has {n_tokens} tokens; this model reads {limit}. Shorten it."
        )
    low, high = (int(bound) for bound in token_ids.aminmax())
    if low < 0 or high >= config.vocab_size:
        raise TokenIdError(
            f"The token id {low if low < 0 else high} is outside this model's vocabulary, "
            f"0 to {config.vocab_size - 1}. Is this the right tokenizer?"
        )
