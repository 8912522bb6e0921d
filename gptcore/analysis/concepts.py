"""Concept swap: moves the residual stream's component along one word's direction to another word's.

A word's direction at a depth is the gradient of its logit there: its row of the output head times the mean Jacobian of
the final stream with respect to the stream at that depth. Directions are centred on their mean over the vocabulary:
otherwise nearly all words share most of theirs, and a swap does little.

Source: the Jacobian lens and its swap as in the repository ToonTalk/jlens-tinystories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gptcore.errors import ConfigError, TokenIdError
from gptcore.inference.generation import prompt_ids
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_length, context_start
from gptcore.inference.token import GeneratedToken
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.probe import Probe, StreamProbe

_CHANNELS_AT_ONCE = 8  # rows of a Jacobian between two checks for cancellation


@dataclass(frozen=True)
class ConceptSwap:
    """h + strength * (h . source) (target - source), at every position after `depth` blocks.

    Attributes:
        depth: 1 to n_layer.
        source, target: unit vectors, float32 [C].
        strength: 1 moves the whole component over; 2 is what works in small models.
    """

    depth: int
    source: Tensor
    target: Tensor
    strength: float

    def probe(self) -> Probe:
        """The probe that swaps the concept in a pass of a pre-norm model with MLPs."""
        return _Swap(self)


class _Swap(StreamProbe):
    """Applies the swap to the output of the last MLP before the depth."""

    def __init__(self, swap: ConceptSwap) -> None:
        self._swap = swap

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        swap = self._swap
        if layer != swap.depth - 1:
            return output
        towards = (self.stream + output) @ swap.source
        return output + swap.strength * towards[..., None] * (swap.target - swap.source)


def mean_jacobian(model: GPT, texts: Sequence[Sequence[int]], depth: int) -> Tensor:
    """Jacobian of the final residual stream with respect to that at a depth, averaged over tokens, float32 [C, C].

    Row i, column j: the change of channel i after the last block, summed over a token and all later ones, per unit
    change of channel j at the token.

    Args:
        model: in any mode; dropout is off.
        texts: token ids, all of one length, at most the window.
        depth: 0 to n_layer.

    Raises:
        ConfigError: an impossible depth. TokenIdError: texts of different lengths, and as the model does.
    """
    *_, whole = jacobian_steps(model, texts, depth)
    return whole


def jacobian_steps(model: GPT, texts: Sequence[Sequence[int]], depth: int) -> Iterator[Tensor]:
    """`mean_jacobian` in steps: yields the rows computed so far, float32 [n, C]; the last yield has all of them."""
    config = model.config
    if not 0 <= depth <= config.n_layer:
        raise ConfigError(f"The depth is {depth}; this model has 0 to {config.n_layer}.")
    if not texts or len({len(text) for text in texts}) != 1:
        raise TokenIdError("The texts for a Jacobian must be of one length, and at least one.")
    ids = torch.tensor([list(text) for text in texts], device=model.wte.weight.device)
    below, behind, rows = _At(depth), _At(config.n_layer), list[Tensor]()
    with evaluating(model), torch.no_grad():
        model.hidden_states(ids, probe=below)
    with evaluating(model), torch.enable_grad():
        stream = below.stream.clone().requires_grad_()
        model.resumed(stream, depth, probe=behind)
        sums = behind.stream.sum((0, 1)).unbind()  # C numbers
    for first in range(0, config.n_embd, _CHANNELS_AT_ONCE):
        for channel in range(first, min(first + _CHANNELS_AT_ONCE, config.n_embd)):
            (slope,) = torch.autograd.grad(sums[channel], stream, retain_graph=True)
            rows.append(slope.mean((0, 1)))
        yield torch.stack(rows).float().cpu()


class _At(Probe):
    """Keeps the stream at one depth."""

    def __init__(self, depth: int) -> None:
        self._depth, self.stream = depth, torch.empty(0)

    def residual(self, depth: int, stream: Tensor) -> None:
        if depth == self._depth:
            self.stream = stream


@torch.no_grad()
def concept_swap(
    model: GPT, jacobian: Tensor, depth: int, source: int, target: int, strength: float = 2.0
) -> ConceptSwap:
    """Makes a swap of two words.

    Args:
        model: pre-norm, with MLPs.
        jacobian: float [C, C], of this depth.
        depth: 1 to n_layer.
        source, target: token ids.
        strength: see ConceptSwap.

    Raises:
        ConfigError: another shape, an impossible depth, or a Jacobian of another width. TokenIdError: invalid or
            equal ids.
    """
    config = model.config
    if config.norm_position != "pre" or not config.use_mlp:
        raise ConfigError("Concepts are swapped in pre-norm models with MLPs; this one is another shape.")
    if not 1 <= depth <= config.n_layer or jacobian.shape != (config.n_embd, config.n_embd):
        raise ConfigError(
            f"Depth {depth} with a Jacobian of {list(jacobian.shape)} does not fit: this model has depths 1 to "
            f"{config.n_layer}, and is {config.n_embd} wide."
        )
    for token in (source, target):
        if not 0 <= token < config.vocab_size:
            raise TokenIdError(
                f"The token id {token} is outside this model's vocabulary, 0 to {config.vocab_size - 1}."
            )
    if source == target:
        raise TokenIdError("Both words are the same: there is nothing to swap.")
    head = model.lm_head.weight
    rows = head[[source, target]] - head.mean(0)  # centring rows centres the directions, which are linear in them
    if isinstance(model.ln_f, nn.LayerNorm):  # its gain, and the mean that it takes away
        rows = rows * model.ln_f.weight
        rows = rows - rows.mean(-1, keepdim=True)
    directions = nn.functional.normalize(rows @ jacobian.to(rows.device, rows.dtype), dim=-1)
    return ConceptSwap(depth, directions[0], directions[1], strength)


def swapped_text(
    lm: LanguageModel,
    prompt: str | Sequence[int],
    swap: ConceptSwap,
    *,
    max_new_tokens: int,
    sampling: SamplingSettings,
    seed: int | None = None,
) -> Iterator[GeneratedToken]:
    """Continues a prompt with a concept swapped, without a KV cache. Raises as `generate` does."""
    check_length(max_new_tokens)
    model, window = lm.model, lm.model.config.n_positions
    sequence = TokenSequence(prompt_ids(lm, prompt), sampling, seed=seed, tokenizer=lm.tokenizer)
    for left in range(max_new_tokens, 0, -1):
        sequence.start = context_start(len(sequence.ids), sequence.start, window)
        yield from sequence.choose(swapped_logits(model, sequence.ids[sequence.start :], swap), is_last=left == 1)
        if sequence.done:
            return


@torch.inference_mode()
def swapped_logits(model: GPT, token_ids: Sequence[int], swap: ConceptSwap) -> Tensor:
    """Logits after the last position with a concept swapped, float32 [V]."""
    ids = torch.tensor([list(token_ids)], device=model.wte.weight.device)
    with evaluating(model):
        return model.lm_head(model.hidden_states(ids, probe=swap.probe())[0, -1]).float().cpu()
