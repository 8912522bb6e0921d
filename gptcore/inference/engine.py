"""Decode engine: each step reads the weights once, however many sequences it decodes.

Two phases share a KV cache with one row per sequence. `read` prefills a row: a pass of the model
over a whole context. `step` decodes: one more token in every row, over packed weights, in C
(`native`) where there is a compiler, else with torch's functions; on a GPU it replays a CUDA graph,
and `step_and_choose` samples there too. The engine knows token ids only: `batch` decides which
sequences run, and `sequence` when each one ends.
"""

import threading
from collections.abc import Sequence
from functools import partial
from weakref import finalize

import torch
from torch import Tensor

from gptcore.errors import ContextLengthError, TokenIdError
from gptcore.inference.gpu_sampling import Chosen, Controls, sample_on_gpu
from gptcore.inference.graphs import CapturedSteps
from gptcore.inference.packed import (
    PackedWeights,
    WeightFormat,
    decode_one,
    decode_step,
    packed_weights,
    precision_of,
)
from gptcore.kv_cache import RaggedKVCache
from gptcore.model import GPT, evaluating
from gptcore.threads import ThreadGovernor, adapted

_MOST_IDLE = 4  # captured steps that are kept for later generations
# guards the lists of idle steps; reentrant, because a finalizer may run in the thread that holds it
_IDLE = threading.RLock()


class DecodeEngine:
    """Decodes with a KV cache: a step computes one row per sequence and reads the weights once.

    Args:
        model: may be shared between users; not changed.
        precision: "exact" uses the weights as they are, in fp32; "fast" may use 16-bit copies of
            them for the products of single steps; on a GPU keys, values and what stands between two
            products are 16-bit too. The residual stream, norms and logits stay fp32. "auto" is
            "fast" from 30M parameters, where reading the weights is the bottleneck.
        capacity: tokens that fit in a row; the window when left out.

    Attributes:
        cache: where rows are added, removed and copied.
    """

    def __init__(
        self, model: GPT, *, precision: WeightFormat = "auto", capacity: int | None = None
    ) -> None:
        self.model = model
        device = model.wte.weight.device
        self._precision: WeightFormat = precision_of(model) if precision == "auto" else precision
        dtype = (
            packed_weights(model, self._precision).dtype if device.type == "cuda" else torch.float32
        )
        self.cache: RaggedKVCache = RaggedKVCache(
            model.config, capacity=capacity, device=device, dtype=dtype
        )
        self._engines: dict[bool, tuple[PackedWeights, ThreadGovernor]] = {}
        self._graphs: CapturedSteps | None = None

    def read(self, row: int, token_ids: Sequence[int]) -> Tensor:
        """Prefills a row with a context of at least one token, in place of what it held; returns
        the logits after it, float32 [V].
        """
        return self._read(row, [token_ids])[0]

    def read_together(self, contexts: Sequence[Sequence[int]]) -> Tensor:
        """Appends a row for each context and prefills them in one pass; returns the logits after
        each, float32 [B, V].

        Raises:
            ContextLengthError, TokenIdError: as the model does.
        """
        first = len(self.cache)
        for _ in contexts:
            self.cache.add()
        if self.model.config.causal:
            return self._read(first, contexts)
        # Without a causal mask a token would see the padding, so each context has its own pass.
        return torch.stack(
            [self.read(first + index, context) for index, context in enumerate(contexts)]
        )

    @adapted()
    @torch.inference_mode()
    def _read(self, first: int, contexts: Sequence[Sequence[int]]) -> Tensor:
        """Prefills rows next to each other, from `first` on. Shorter contexts are padded at the
        end, which a causal model does not see.
        """
        lengths = [len(context) for context in contexts]
        if 0 in lengths:
            raise TokenIdError("A context has no tokens; there must be at least one.")
        padded = [[*context, *[0] * (max(lengths) - len(context))] for context in contexts]
        ids = torch.tensor(padded, device=self.model.wte.weight.device)
        with evaluating(self.model):
            rows = self.cache.rows(first, len(contexts))
            hidden = self.model.hidden_states(ids, cache=rows)  # [B, T, C]
            self.cache.lengths[first : first + len(contexts)] = lengths  # without the padding
            index = torch.arange(len(lengths), device=ids.device)
            last = torch.tensor(lengths, device=ids.device) - 1
            return self.model.lm_head(hidden[index, last])  # [B, V]

    @torch.inference_mode()
    def step(self, token_ids: Sequence[int]) -> Tensor:
        """Decodes: appends one token to each of the B rows; returns the logits after them, float32
        [B, V].

        Raises:
            ContextLengthError: a row is full.
        """
        if max(self.cache.lengths) >= self.cache.capacity:
            raise ContextLengthError(
                f"The cache holds {self.cache.capacity} tokens, and a row is full."
            )
        packed, threads = self._engine(len(token_ids))
        ids = torch.tensor(token_ids, device=packed.wte.device)
        with threads.step():
            if (
                self._graphs is not None
                and (logits := self._graphs.step(ids, self.cache)) is not None
            ):
                return logits
            return decode_one(packed, ids, self.cache)

    @property
    def chooses(self) -> bool:
        """Whether `step_and_choose` is available: on a GPU, for one row or more.

        On a GPU the first call packs the weights and prepares the CUDA graphs; until then
        `step_and_choose` returns None.
        """
        if self.model.wte.weight.device.type == "cuda" and len(self.cache):
            self._engine(len(self.cache))
        return self._graphs is not None and self._graphs.works

    @torch.inference_mode()
    def step_and_choose(
        self, token_ids: Sequence[int] | Chosen, controls: Sequence[Controls]
    ) -> Chosen | None:
        """Launches a step that also samples every row's next token on the GPU, without waiting.

        Args:
            token_ids: of the B rows; or the result of the step before, which the CPU need not know
                yet.
            controls: of each row.

        Returns:
            The sampled tokens, once they are there; None where steps cannot be captured.

        Raises:
            ContextLengthError: a row is full.
        """
        if max(self.cache.lengths) >= self.cache.capacity:
            raise ContextLengthError(
                f"The cache holds {self.cache.capacity} tokens, and a row is full."
            )
        return (
            None
            if self._graphs is None
            else self._graphs.step_and_choose(token_ids, controls, self.cache)
        )

    def discard_step(self) -> None:
        """Drops the last token of every row from the cache, so that it is read again."""
        self.cache.lengths[:] = [length - 1 for length in self.cache.lengths]

    def _engine(self, n_rows: int) -> tuple[PackedWeights, ThreadGovernor]:
        several = n_rows > 1
        if several not in self._engines:
            packed = packed_weights(self.model, self._precision)
            self._engines[several] = packed, ThreadGovernor(packed.threads_found[several])
            if packed.wte.is_cuda and self._graphs is None:
                self._graphs = self._captured(packed)
        return self._engines[several]

    def _captured(self, packed: PackedWeights) -> CapturedSteps:
        """Returns CUDA graphs released by a finished generation, with their KV cache, or captures
        new ones.
        """
        steps = _reuse(packed.idle, self.cache)
        if steps is None:
            steps = CapturedSteps(partial(decode_step, packed), sample_on_gpu)
        finalize(self, _release, packed.idle, steps).atexit = False
        return steps


def _reuse(idle: list[CapturedSteps], cache: RaggedKVCache) -> CapturedSteps | None:
    """Takes idle steps whose buffer has room for a cache and moves the cache there; None if there
    are none.
    """
    with _IDLE:
        for steps in idle:
            memory = steps.memory  # [L, 2, rows, H, capacity, D]
            if (
                memory is not None
                and memory.shape[4] == cache.capacity
                and memory.shape[2] >= len(cache)
            ):
                idle.remove(steps)
                cache.move_to(memory)
                return steps
    return None


def _release(idle: list[CapturedSteps], steps: CapturedSteps) -> None:
    """Keeps captured steps for the next generation: a capture takes as long as thirty tokens."""
    with _IDLE:
        if steps.works and steps.memory is not None and len(idle) < _MOST_IDLE:
            idle.append(steps)
