"""CUDA graphs of decode steps: one replay launches a step's hundred small kernels.

Launching kernels one by one from Python takes longer than they run for one row. A CUDA graph
replays them with the addresses of its capture. So a step reads and writes fixed buffers, and it
attends to a fixed number of positions: the next power of two, with the later ones masked. The fixed
cache under a captured step follows gpt-fast (PyTorch, 2023).
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gptcore.inference.gpu_sampling import Chosen, Controls
from gptcore.kv_cache import RaggedKVCache

_FEWEST = 64  # positions that a graph attends to, at least
_WARM_UPS = 3  # runs before a capture, as torch requires
_log = logging.getLogger("gptlens")

Compute = Callable[[], Tensor]


def cuda_graph(compute: Compute) -> Compute:
    """Captures a computation; returns its replay, which returns the same tensor every time."""
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
class _CapturedStep:
    """A captured decode step: its input buffers, its replay and its output buffers."""

    token_ids: Tensor
    inputs: Tensor  # float64 [B, controls + 1]: each row's controls, and its position
    replay: Compute
    choice: list[Tensor]  # one entry per row, as `choose` returns it


class CapturedSteps:
    """Decode steps of one model, captured once for each number of rows and of positions.

    Args:
        step: (token_ids int64 [B], positions int64 [B], cache [L, 2, at least B, H, N, D],
            positions to attend to) -> logits [B, V]; writes the new keys and values there. It must
            compute on the cache's device alone.
        choose: (logits [B, V], controls float64 [B, controls], over all tokens rather than the most
            likely) -> the next token of each row.
        capture: returns the replay of a computation; `cuda_graph` outside tests.

    Attributes:
        works: False once a capture has failed.
        memory: the KV cache's buffer, to which the captured steps are bound.
    """

    def __init__(
        self,
        step: Callable[[Tensor, Tensor, Tensor, int], Tensor],
        choose: Callable[[Tensor, Tensor, bool], tuple[Tensor, Tensor]],
        *,
        capture: Callable[[Compute], Compute] = cuda_graph,
    ) -> None:
        self._step = step
        self._choose = choose
        self._capture = capture
        self._captured: dict[tuple[int, int, bool | None], _CapturedStep] = {}
        self.memory: Tensor | None = None
        self.works: bool = True

    def step(self, token_ids: Tensor, cache: RaggedKVCache) -> Tensor | None:
        """Runs one more token through every row of the cache: logits float32 [B, V]; None where
        a step cannot be captured.
        """
        captured = self._started(
            token_ids, torch.zeros(len(token_ids), len(Controls._fields)), None, cache
        )
        return None if captured is None else captured.replay().clone()

    def step_and_choose(
        self, token_ids: Sequence[int] | Chosen, controls: Sequence[Controls], cache: RaggedKVCache
    ) -> Chosen | None:
        """Runs `step` and samples each row's next token; launches both without waiting for them."""
        whole = any(control.top_k == 0 for control in controls)
        ids = (
            token_ids.ids
            if isinstance(token_ids, Chosen)
            else torch.tensor(token_ids, device=cache.data.device)
        )
        captured = self._started(ids, torch.tensor(controls, dtype=torch.float64), whole, cache)
        if captured is None:
            return None
        captured.replay()
        return Chosen(*captured.choice)

    def _started(
        self, token_ids: Tensor, controls: Tensor, whole: bool | None, cache: RaggedKVCache
    ) -> _CapturedStep | None:
        """Returns a captured step with filled input buffers; counts the new tokens in the cache."""
        if not self.works:
            return None
        # the cache has grown: earlier graphs write into its former buffer
        if self.memory is not cache.data:
            self._captured = {}
            self.memory = cache.data
        longest = positions_for(max(cache.lengths) + 1, cache.capacity)
        positions = torch.tensor(cache.lengths, dtype=torch.float64)[:, None]
        inputs = torch.cat([controls.double(), positions], dim=1)
        key = len(token_ids), longest, whole
        if key not in self._captured:
            try:
                self._captured[key] = self._make(
                    token_ids, inputs.to(token_ids.device), whole, cache.data, longest
                )
            except RuntimeError as error:
                _log.warning("A decode step cannot be captured as a CUDA graph: %s.", error)
                self.works = False
                self._captured = {}
                self.memory = None
                return None
        captured = self._captured[key]
        captured.token_ids.copy_(token_ids)
        captured.inputs.copy_(inputs)
        cache.lengths[:] = [length + 1 for length in cache.lengths]
        return captured

    def _make(
        self, token_ids: Tensor, inputs: Tensor, whole: bool | None, memory: Tensor, longest: int
    ) -> _CapturedStep:
        ids = token_ids.clone()
        kept = inputs.clone()
        choice = list[Tensor]()

        def compute() -> Tensor:
            logits = self._step(ids, kept[:, -1].long(), memory, longest)
            if whole is not None:
                choice[:] = self._choose(logits, kept[:, :-1], whole)
            return logits

        return _CapturedStep(ids, kept, self._capture(compute), choice)


def positions_for(n_tokens: int, capacity: int) -> int:
    """Number of positions that a captured step attends to: the next power of two, at most all."""
    return min(capacity, max(_FEWEST, 1 << (n_tokens - 1).bit_length()))
