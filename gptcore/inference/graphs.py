"""Decode steps on a GPU as recorded graphs: one call starts the hundred small kernels of a step.

Starting kernels one by one from Python takes longer than they run for one row. A CUDA graph replays them with the
addresses that they had when it was recorded, so everything a step reads and writes stands at a fixed place, and it
attends to a fixed number of positions: the next power of two, later ones masked. The idea of a fixed cache under a
recorded step is gpt-fast's (PyTorch, 2023).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.kv_cache import RaggedKVCache

_FEWEST = 64  # positions that a graph attends to
_WARM_UPS = 3  # before recording, as torch asks for
log = logging.getLogger("gptlens")

Compute = Callable[[], Tensor]


def cuda_graph(compute: Compute) -> Compute:
    """Records a computation; the result replays it, and returns the same tensor every time."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(_WARM_UPS):
            compute()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        result = compute()

    def replay() -> Tensor:
        graph.replay()
        return result

    return replay


@dataclass(frozen=True)
class _Recorded:
    token_ids: Tensor
    places: Tensor
    replay: Compute


class RecordedSteps:
    """Steps of one model, recorded for every number of rows and of positions when they first occur.

    Args:
        step: (token_ids int64 [B], places int64 [B], cache [L, 2, at least B, H, N, D], positions to attend to) ->
            logits [B, V]; writes the new keys and values at the places. It must compute on the cache's device alone.
        record: makes a computation repeatable.
    """

    def __init__(
        self,
        step: Callable[[Tensor, Tensor, Tensor, int], Tensor],
        *,
        record: Callable[[Compute], Compute] = cuda_graph,
    ) -> None:
        self._step, self._record = step, record
        self._recorded: dict[tuple[int, int], _Recorded] = {}
        self._memory: Tensor | None = None
        self._refused = False

    def step(self, token_ids: Tensor, cache: RaggedKVCache) -> Tensor | None:
        """Logits after one more token in every row of the cache, float32 [B, V]; None where it cannot be recorded."""
        if self._refused:
            return None
        if self._memory is not cache.data:  # the cache has grown: what was recorded writes where it was
            self._recorded, self._memory = {}, cache.data
        n_rows, longest = len(token_ids), positions_for(max(cache.lengths) + 1, cache.capacity)
        places = torch.tensor(cache.lengths, device=token_ids.device)
        if (n_rows, longest) not in self._recorded:
            try:
                self._recorded[n_rows, longest] = self._make(token_ids, places, cache.data, longest)
            except RuntimeError as error:
                log.warning("A decode step cannot be recorded as a CUDA graph: %s.", error)
                self._refused, self._recorded, self._memory = True, {}, None
                return None
        recorded = self._recorded[n_rows, longest]
        recorded.token_ids.copy_(token_ids)
        recorded.places.copy_(places)
        logits = recorded.replay().clone()
        cache.lengths[:] = [length + 1 for length in cache.lengths]
        return logits

    def _make(self, token_ids: Tensor, places: Tensor, memory: Tensor, longest: int) -> _Recorded:
        fixed_ids, fixed_places = token_ids.clone(), places.clone()
        return _Recorded(
            fixed_ids, fixed_places, self._record(lambda: self._step(fixed_ids, fixed_places, memory, longest))
        )


def positions_for(n_tokens: int, capacity: int) -> int:
    """How many positions a recorded step attends to: the next power of two, at most all."""
    return min(capacity, max(_FEWEST, 1 << (n_tokens - 1).bit_length()))
