"""Computations on a GPU as recorded graphs, decode steps above all: one call starts a step's
hundred small kernels.

Starting kernels one by one from Python takes longer than they run for one row. A CUDA graph replays
them with the addresses that they had when it was recorded, so everything a step reads and writes
stands at a fixed place, and it attends to a fixed number of positions: the next power of two, later
ones masked. The idea of a fixed cache under a recorded step is gpt-fast's (PyTorch, 2023).
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.inference.gpu_sampling import Chosen, Controls
from gptcore.kv_cache import RaggedKVCache

_FEWEST = 64  # positions that a graph attends to
_WARM_UPS = 3  # before recording, as torch asks for
_log = logging.getLogger("gptlens")

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
    """A recorded step: where it reads its tokens and places, and what it leaves behind."""

    token_ids: Tensor
    inputs: Tensor  # float64 [B, controls + 1]: each row's controls, and its place
    replay: Compute
    choice: list[Tensor]  # of every row, as `choose` returns it


class RecordedSteps:
    """Steps of one model, recorded for every number of rows and of positions when they first occur.

    Args:
        step: (token_ids int64 [B], places int64 [B], cache [L, 2, at least B, H, N, D], positions
            to attend to) -> logits [B, V]; writes the new keys and values at the places. It must
            compute on the cache's device alone.
        choose: (logits [B, V], controls float64 [B, controls], over all tokens rather than the most
            likely) -> the next token of each row.
        record: makes a computation repeatable.

    Attributes:
        works: False once a step could not be recorded.
        memory: the cache's, which the recorded steps are bound to.
    """

    def __init__(
        self,
        step: Callable[[Tensor, Tensor, Tensor, int], Tensor],
        choose: Callable[[Tensor, Tensor, bool], tuple[Tensor, Tensor]],
        *,
        record: Callable[[Compute], Compute] = cuda_graph,
    ) -> None:
        self._step = step
        self._choose = choose
        self._record = record
        self._recorded: dict[tuple[int, int, bool | None], _Recorded] = {}
        self.memory: Tensor | None = None
        self.works: bool = True

    def step(self, token_ids: Tensor, cache: RaggedKVCache) -> Tensor | None:
        """Logits after one more token in every row of the cache, float32 [B, V]; None where it
        cannot be recorded.
        """
        recorded = self._started(
            token_ids, torch.zeros(len(token_ids), len(Controls._fields)), None, cache
        )
        return None if recorded is None else recorded.replay().clone()

    def step_and_choose(
        self, token_ids: Sequence[int] | Chosen, controls: Sequence[Controls], cache: RaggedKVCache
    ) -> Chosen | None:
        """The same with the choice of each row's next token, started but not waited for."""
        whole = any(one.top_k == 0 for one in controls)
        ids = (
            token_ids.ids
            if isinstance(token_ids, Chosen)
            else torch.tensor(token_ids, device=cache.data.device)
        )
        recorded = self._started(ids, torch.tensor(controls, dtype=torch.float64), whole, cache)
        if recorded is None:
            return None
        recorded.replay()
        return Chosen(*recorded.choice)

    def _started(
        self, token_ids: Tensor, controls: Tensor, whole: bool | None, cache: RaggedKVCache
    ) -> _Recorded | None:
        """A recorded step with its inputs in place; the cache counts the new tokens as read."""
        if not self.works:
            return None
        # the cache has grown: what was recorded writes where it was
        if self.memory is not cache.data:
            self._recorded = {}
            self.memory = cache.data
        longest = positions_for(max(cache.lengths) + 1, cache.capacity)
        places = torch.tensor(cache.lengths, dtype=torch.float64)[:, None]
        inputs = torch.cat([controls.double(), places], dim=1)
        key = len(token_ids), longest, whole
        if key not in self._recorded:
            try:
                self._recorded[key] = self._make(
                    token_ids, inputs.to(token_ids.device), whole, cache.data, longest
                )
            except RuntimeError as error:
                _log.warning("A decode step cannot be recorded as a CUDA graph: %s.", error)
                self.works = False
                self._recorded = {}
                self.memory = None
                return None
        recorded = self._recorded[key]
        recorded.token_ids.copy_(token_ids)
        recorded.inputs.copy_(inputs)
        cache.lengths[:] = [length + 1 for length in cache.lengths]
        return recorded

    def _make(
        self, token_ids: Tensor, inputs: Tensor, whole: bool | None, memory: Tensor, longest: int
    ) -> _Recorded:
        ids = token_ids.clone()
        kept = inputs.clone()
        choice = list[Tensor]()

        def compute() -> Tensor:
            logits = self._step(ids, kept[:, -1].long(), memory, longest)
            if whole is not None:
                choice[:] = self._choose(logits, kept[:, :-1], whole)
            return logits

        return _Recorded(ids, kept, self._record(compute), choice)


def positions_for(n_tokens: int, capacity: int) -> int:
    """How many positions a recorded step attends to: the next power of two, at most all."""
    return min(capacity, max(_FEWEST, 1 << (n_tokens - 1).bit_length()))
