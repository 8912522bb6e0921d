"""A look inside a forward pass that travels with the call, so that a model shared by many is never touched."""

from __future__ import annotations

from torch import Tensor


class Probe:
    """Sees the inside of one forward pass, and may change it. Override what you need; the rest does nothing.

    Letters: B batch, T tokens, S all tokens with the cached ones, C width, H heads, D head width. Layers count from 0.

    Attributes:
        needs_weights: attention must take the explicit path, which is the one that has weights to show.
    """

    needs_weights = False

    def queries_and_keys(self, layer: int, query: Tensor, key: Tensor) -> None:
        """What attention compares: query float [B, H, T, D], key float [B, H, S, D]."""

    def room_for_weights(self, layer: int) -> Tensor | None:
        """Where the weights shall be written, float32 [B, H, T, S], to spare a copy; None for a new tensor."""
        return None

    def weights(self, layer: int, weights: Tensor) -> None:
        """Where every head looks, float [B, H, T, S]: rows sum to 1, masked cells are exactly 0."""

    def heads(self, layer: int, found: Tensor) -> Tensor:
        """What every head found, float [B, H, T, D], before the output projection mixes them."""
        return found

    def attention_output(self, layer: int, output: Tensor) -> Tensor:
        """What attention adds to the residual stream, float [B, T, C]."""
        return output

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        """What the MLP adds to the residual stream, float [B, T, C]."""
        return output

    def residual(self, depth: int, stream: Tensor) -> None:
        """The residual stream, float [B, T, C]: after the embeddings (depth 0), then after each block."""


class StreamProbe(Probe):
    """Follows the residual stream of a pre-norm model into its blocks.

    Attributes:
        stream: float [B, T, C], before any norm: what attention reads; once attention has written, what the MLP reads.
    """

    stream: Tensor

    def residual(self, depth: int, stream: Tensor) -> None:
        self.stream = stream

    def attention_output(self, layer: int, output: Tensor) -> Tensor:
        self.stream = self.stream + output
        return output


UNSEEN = Probe()  # the pass of a model that nobody looks into
