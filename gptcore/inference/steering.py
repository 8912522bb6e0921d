"""Steering: a vector that is added to the residual stream at one depth, at every position.

Adding a constant to the stream equals adding it to a bias, so a steered model is the same model
with one changed bias and works with every decoder.

Source: Turner et al. 2023, "Steering Language Models With Activation Engineering".
"""

from dataclasses import dataclass

from torch import Tensor

from gptcore.errors import ConfigError
from gptcore.model import GPT
from gptcore.weights.hf_format import model_from_tensors


@dataclass(frozen=True)
class Steering:
    """A vector that is added to the residual stream, and the depth at which it is added."""

    depth: int  # number of blocks before the addition, 1 to n_layer
    vector: Tensor  # float32 [C]

    def scaled(self, strength: float) -> "Steering":
        """The vector times `strength`; a negative one reverses the direction."""
        return Steering(self.depth, strength * self.vector)

    def applied(self, model: GPT) -> GPT:
        """The steered model; it shares all weights but one bias with the model, which is not
        changed.

        Raises:
            ConfigError: a depth that the model does not have, a vector of another width, or blocks
            without a last bias.
        """
        config = model.config
        if not 1 <= self.depth <= config.n_layer:
            raise ConfigError(f"The depth is {self.depth}; this model has 1 to {config.n_layer}.")
        if self.vector.shape != (config.n_embd,):
            raise ConfigError(
                f"The vector has {list(self.vector.shape)} numbers; this model is "
                f"{config.n_embd} wide."
            )
        state = model.state_dict()
        name = f"h.{self.depth - 1}.{_last_bias(model)}"
        if name not in state:
            raise ConfigError(
                "This model has neither MLPs nor biases in attention, so no vector can be "
                "added to it."
            )
        bias = state[name]
        state[name] = bias + self.vector.to(bias.device, bias.dtype)
        return model_from_tensors(config, state).train(model.training).requires_grad_(False)


def _last_bias(model: GPT) -> str:
    """The name of the bias that is added last in a block."""
    if model.config.norm_position == "post":
        return "ln_2.bias" if model.config.use_mlp else "ln_1.bias"
    return "mlp.c_proj.bias" if model.config.use_mlp else "attn.c_proj.bias"
