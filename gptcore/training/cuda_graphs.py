"""CUDA graphs of whole updates: launching the kernels of a small model takes longer than they run.

An update has two graphs, first gradients, then optimisers, so that the CPU sees loss and gradient
before the weights change. Source: Nguyen et al. 2021, "Accelerating PyTorch with CUDA Graphs".
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor

WARM_UPS = 3  # updates before a capture: optimisers make their state in the first
_log = logging.getLogger("gptlens")


class Gradients(NamedTuple):
    """Results of an update's backward pass, float32 [] each, still on the device: the loss in nats
    per token and its terms, and the gradient's norm before clipping.
    """

    loss: Tensor
    norm: Tensor
    terms: tuple[Tensor, ...]


class CapturedUpdates:
    """Captured updates with batches of one shape, on a CUDA stream of their own.

    Args:
        gradients: (inputs, targets int64 [B, T]) -> the clipped gradients of the parameters; must
            leave gradients unset that were unset.
        optimize: moves the parameters.
        device: a CUDA device.
    """

    def __init__(
        self,
        gradients: Callable[[Tensor, Tensor], Gradients],
        optimize: Callable[[], None],
        device: torch.device,
    ) -> None:
        self._gradients = gradients
        self._optimize = optimize
        self._stream = torch.cuda.Stream(device)
        self._graphs: tuple[torch.cuda.CUDAGraph, torch.cuda.CUDAGraph] | None = None
        self._batch: tuple[Tensor, Tensor] | None = None
        self._found: Gradients | None = None
        self._n_plain = 0
        self._refused = False

    @contextmanager
    def lane(self) -> Iterator[None]:
        """Queues the work of the `with` block on this stream, after all earlier work and before all
        later work of the current stream.
        """
        outside = torch.cuda.current_stream(self._stream.device)
        self._stream.wait_stream(outside)
        with torch.cuda.stream(self._stream):
            yield
        outside.wait_stream(self._stream)

    def gradients(self, inputs: Tensor, targets: Tensor) -> Gradients | None:
        """Replays the backward pass of a batch; None where the update must run without graphs."""
        if self._graphs is None and not self._capture(inputs, targets):
            return None
        if self._graphs is None or self._batch is None or self._batch[0].shape != inputs.shape:
            return None
        for fixed, new in zip(self._batch, (inputs, targets), strict=True):
            fixed.copy_(new, non_blocking=True)
        self._graphs[0].replay()
        return self._found

    def optimize(self) -> None:
        """Replays the optimisers, after `gradients`."""
        if self._graphs is not None:
            self._graphs[1].replay()

    def _capture(self, inputs: Tensor, targets: Tensor) -> bool:
        """Captures both graphs after a few updates without graphs; False before or on failure."""
        if self._refused or self._n_plain < WARM_UPS:
            self._n_plain += 1
            return False
        device = self._stream.device
        batch = inputs.to(device), targets.to(device)
        first = torch.cuda.CUDAGraph()
        second = torch.cuda.CUDAGraph()
        before = torch.cuda.get_rng_state(device)
        try:
            with torch.cuda.graph(first, stream=self._stream, capture_error_mode="thread_local"):
                gradients = self._gradients(*batch)
            with torch.cuda.graph(
                second, pool=first.pool(), stream=self._stream, capture_error_mode="thread_local"
            ):
                self._optimize()
        except RuntimeError as error:
            _log.warning("An update cannot be captured as a CUDA graph: %s.", error)
            self._refused = True
            # A failed capture leaves the generator registered with the graph; this gives it a
            # state of its own again.
            generator = torch.cuda.default_generators[device.index or torch.cuda.current_device()]
            generator.graphsafe_set_state(
                torch.Generator(device).manual_seed(0).graphsafe_get_state()
            )
            generator.set_state(before)
            return False
        self._graphs = (first, second)
        self._batch = batch
        self._found = gradients
        return True
