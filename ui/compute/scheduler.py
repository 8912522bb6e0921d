"""Continuous-batching scheduler: all texts of one model are decoded together, one forward pass per
token.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue

from gptcore.inference.batch import RunningBatch
from gptcore.inference.sequence import TokenSequence
from gptcore.model import GPT
from ui.compute.compute_thread import SLICE, ComputeThread
from ui.compute.token import Token

MOST_ROWS = 32  # texts in one pass; further ones wait until others end


@dataclass(eq=False)
class _Request:
    """One visitor's continuations and a queue of their results; None or an error ends it."""

    continuations: Sequence[TokenSequence]
    max_new_tokens: int
    arrived: SimpleQueue[list[Token] | BaseException | None] = field(default_factory=SimpleQueue)
    unsent: list[Token] = field(default_factory=list)
    sent_at: float = 0.0
    given_up: bool = False

    @property
    def over(self) -> bool:
        """Whether it is finished or cancelled."""
        return self.given_up or all(continuation.complete for continuation in self.continuations)

    def send(self, now: float) -> None:
        """Flushes the collected tokens in one batch: waking a handler for every token slows both
        threads.
        """
        if self.unsent:
            self.arrived.put(self.unsent)
            self.unsent = []
        self.sent_at = now


class Scheduler:
    """One job of the compute thread per model in use; texts join and leave the batch at any token.

    Attributes:
        n_texts: how many visitors are waiting for more of their texts.
    """

    def __init__(self, computing: ComputeThread) -> None:
        self._computing = computing
        self._lock = threading.Lock()
        self._waiting: dict[GPT, deque[_Request]] = {}  # of the models that are writing
        self.n_texts = 0

    def write(
        self, model: GPT, continuations: Sequence[TokenSequence], max_new_tokens: int
    ) -> Iterator[Token]:
        """Yields tokens, numbered as the continuations are; closing the iterator cancels all of
        them.

        Raises:
            SamplingError: settings that do not fit the model's vocabulary.
        """
        request = _Request(continuations, max_new_tokens)
        with self._lock:
            self.n_texts += 1
            begins = model not in self._waiting
            self._waiting.setdefault(model, deque()).append(request)
        if begins:
            self._computing.keep(self._steps(model))
        try:
            while (piece := self._computing.arrival(request.arrived)) is not None:
                if isinstance(piece, BaseException):
                    raise piece
                yield from piece
        finally:
            request.given_up = True
            with self._lock:
                self.n_texts -= 1

    def _steps(self, model: GPT) -> Iterator[None]:
        """The job: a token for every text of the model at each step, until there is none."""
        batch = RunningBatch(model)
        writing = list[_Request]()
        try:
            while self._admit(model, batch, writing):
                _step(batch, writing)
                yield
        except Exception as error:
            with self._lock:
                writing += self._waiting.pop(model, ())
            for request in writing:
                request.send(time.perf_counter())  # what was written before it counts
                request.arrived.put(error)

    def _admit(self, model: GPT, batch: RunningBatch, writing: list[_Request]) -> bool:
        """Evicts finished requests and admits waiting ones; False when there is nothing to do."""
        for request in [request for request in writing if request.over]:
            writing.remove(request)
            for continuation in request.continuations:
                batch.leave(continuation)
            request.arrived.put(None)
        while request := self._next(model, len(batch)):
            try:
                for continuation in request.continuations:
                    batch.join(continuation, request.max_new_tokens)
                writing.append(request)
            except Exception as error:
                for continuation in request.continuations:
                    batch.leave(continuation)
                request.arrived.put(error)
        with self._lock:
            if not writing and not self._waiting[model]:
                del self._waiting[model]
                return False
        return True

    def _next(self, model: GPT, n_rows: int) -> _Request | None:
        with self._lock:
            waiting = self._waiting[model]
            if not waiting or (n_rows and n_rows + len(waiting[0].continuations) > MOST_ROWS):
                return None
            return waiting.popleft()


def _step(batch: RunningBatch, writing: Sequence[_Request]) -> None:
    """Decodes one token for all texts and sends the tokens."""
    whose = {
        item: (request, index)
        for request in writing
        for index, item in enumerate(request.continuations)
    }
    began = time.perf_counter()
    last: dict[TokenSequence, float] = {}
    for continuation, token in batch.step():
        request, place = whose[continuation]
        now = time.perf_counter()
        request.unsent.append(Token(place, token, now - last.get(continuation, began)))
        last[continuation] = now
        if not request.sent_at:  # send the first token at once, to show progress
            request.send(now)
    now = time.perf_counter()
    for request in writing:
        if all(item.done for item in request.continuations) or now - request.sent_at >= SLICE:
            request.send(now)
