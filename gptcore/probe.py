"""Probes: hooks for one forward pass, passed with the call so that a shared model is never
modified.
"""

from torch import Tensor


class Probe:
    """Observes the activations of one forward pass, and may change them. Override what you need;
    the rest does nothing.

    Letters: B batch, T tokens, S all tokens with the cached ones, C width, H heads, D head width.
    Layers count from 0.

    Attributes:
        needs_weights: makes attention take the explicit path, the only one that exposes its
            weights.
    """

    needs_weights = False

    def queries_and_keys(self, layer: int, query: Tensor, key: Tensor) -> None:
        """Receives queries and keys: query float [B, H, T, D], key float [B, H, S, D]."""

    def weights(self, layer: int, weights: Tensor) -> None:
        """The attention weights of every head, float [B, H, T, S]: rows sum to 1, masked cells are
        exactly 0.
        """

    def heads(self, layer: int, outputs: Tensor) -> Tensor:
        """The output of every head, float [B, H, T, D], before the output projection."""
        return outputs

    def attention_output(self, layer: int, output: Tensor) -> Tensor:
        """Receives the output of attention, which is added to the residual stream, float [B, T, C];
        returns the value to add.
        """
        return output

    def mlp_output(self, layer: int, output: Tensor) -> Tensor:
        """Receives the output of the MLP, which is added to the residual stream, float [B, T, C];
        returns the value to add.
        """
        return output

    def residual(self, depth: int, stream: Tensor) -> None:
        """The residual stream, float [B, T, C]: after the embeddings (depth 0), then after each
        block.
        """


NO_PROBE = Probe()  # no-op probe
