"""Whole updates as CUDA graphs: where a model is small, starting its kernels takes longer than they
run.

Two graphs an update, so that the host sees loss and gradient before the weights change: gradients,
then optimisers. Source: Nguyen et al. 2021, "Accelerating PyTorch with CUDA Graphs".
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor

WARM_UPS = 3  # updates before recording: optimisers make their state in the first
_log = logging.getLogger("gptlens")


class Gradients(NamedTuple):
    """What one update finds before it moves a weight, float32 [] each, so that nothing waits for
    the device: the loss in nats per token and its terms, and the gradient's norm before clipping.
    """

    loss: Tensor
    norm: Tensor
    terms: tuple[Tensor, ...]


class RecordedUpdates:
    """Updates with batches of one shape, on a stream of their own.

    Args:
        gradients: (inputs, targets int64 [B, T]) -> the clipped gradients of the parameters; must
            leave those gradients unset that it finds unset.
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
        """Inside, work is queued on this stream; what was queued before comes first, what is queued
        after waits.
        """
        outside = torch.cuda.current_stream(self._stream.device)
        self._stream.wait_stream(outside)
        with torch.cuda.stream(self._stream):
            yield
        outside.wait_stream(self._stream)

    def gradients(self, inputs: Tensor, targets: Tensor) -> Gradients | None:
        """Replays the gradients of a batch on the device; None where an update must be computed
        plainly.
        """
        if self._graphs is None and not self._recorded(inputs, targets):
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

    def _recorded(self, inputs: Tensor, targets: Tensor) -> bool:
        """Records both graphs, once enough updates were computed plainly."""
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
            _log.warning("An update cannot be recorded as a CUDA graph: %s.", error)
            self._refused = True
            # A recording that breaks off leaves the generator in its midst; this gives it a state
            # of its own again.
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
