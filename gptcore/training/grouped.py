"""Base class of the optimisers: parameter groups, and states that can be saved.

Names and state_dict are those of torch.optim.Optimizer, so that states can be exchanged. The original imports torch's
compiler at first use, which is not needed here and costs a second and 70 MB.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor


class GroupedOptimizer(ABC):
    """An optimiser over groups of parameters.

    Args:
        params: tensors, or groups of them: {"params": tensors, and settings that are not the defaults}.
        defaults: settings of every group, "lr" among them.

    Attributes:
        param_groups: the groups with all their settings, which may be changed between steps.
        state: the optimiser state of each parameter, tensors by name.
    """

    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]], defaults: dict[str, Any]) -> None:
        given = list(params)
        groups: list[Any] = given if given and isinstance(given[0], dict) else [{"params": given}]
        self.param_groups = [{**defaults, **group, "params": list(group["params"])} for group in groups]
        self.state: defaultdict[Tensor, dict[str, Tensor]] = defaultdict(dict)

    @abstractmethod
    def step(self) -> None:
        """One update of every parameter that has a gradient."""

    def zero_grad(self) -> None:
        """Clears the gradients."""
        for parameter in self._parameters():
            parameter.grad = None

    def state_dict(self) -> dict[str, Any]:
        """{"state": {place of a parameter: its state}, "param_groups": groups with places for their tensors}."""
        places = {parameter: place for place, parameter in enumerate(self._parameters())}
        return {
            "state": {places[parameter]: dict(state) for parameter, state in self.state.items()},
            "param_groups": [
                {**group, "params": [places[parameter] for parameter in group["params"]]} for group in self.param_groups
            ],
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Restores a `state_dict` of this class or of torch's.

        Raises:
            ValueError: its groups do not match.
        """
        sizes, theirs = ([len(group["params"]) for group in one] for one in (self.param_groups, saved["param_groups"]))
        if sizes != theirs:
            raise ValueError(f"the states are of groups of {theirs} parameters, these have {sizes}")
        for group, settings in zip(self.param_groups, saved["param_groups"], strict=True):
            group.update({name: value for name, value in settings.items() if name != "params"})
        parameters = list(self._parameters())
        self.state.clear()
        for place, state in saved["state"].items():
            parameter = parameters[place]
            self.state[parameter] = {name: value.to(parameter.device, copy=True) for name, value in state.items()}

    def _parameters(self) -> Iterator[Tensor]:
        return (parameter for group in self.param_groups for parameter in group["params"])
