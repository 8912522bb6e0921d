"""Session store: each visitor's text being written, the logits after it, and what they have
running.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from torch import Tensor

from gptcore.inference.sampling_settings import SamplingSettings
from ui.state.clients import of_most
from ui.state.limits import Limits
from ui.state.token_stream import Line, serialise

MAX_UNDO = 50
_LONGEST_TURN = 10.0
_NEWS = 0.5  # seconds between two checks whether to keep waiting
# texts of closed pages kept for a reload, and for how many seconds
_MOST_LEFT = 50
_RELOADING = 300.0


@dataclass(frozen=True)
class Document:
    """A text being written."""

    model: str  # name of the model that writes it
    prompt: str  # what the visitor wrote
    n_prompt: int  # its tokens
    ids: tuple[int, ...]  # all tokens, prompt included
    lines: tuple[Line, ...]  # of its token stream, for showing it again
    seed: int  # of the generated part

    @property
    def written(self) -> list[Line]:
        """The lines of its generated tokens."""
        return [line for line in self.lines if line.kind == "token"]

    @property
    def stream(self) -> str:
        """Its token stream, as it is sent."""
        return serialise(self.lines)

    def noted(self, *lines: Line) -> "Document":
        """A copy with further lines, none of them tokens."""
        return replace(self, lines=(*self.lines, *lines))


@dataclass(frozen=True)
class NextToken:
    """Cached logits after some tokens, float32 [V], from which slider moves redraw the
    distribution.
    """

    model: str
    ids: tuple[int, ...]
    n_prompt: int
    logits: Tensor


@dataclass(eq=False)
class Turn:
    """A long-running action of a visitor."""

    step: bool  # it adds a single token; a further step waits for it instead of ending it
    stopped: bool = False  # it should end at its next token
    superseded: bool = False  # it was ended by another action, which is waiting for its turn
    abandoned: bool = False  # it timed out, and must not change the text any more

    @property
    def wanted(self) -> bool:
        """Whether it should go on."""
        return not self.stopped


@dataclass
class Session:
    """One visitor. Actions take turns: the one before ends, or is ended, before the next one reads
    the text.
    """

    document: Document | None = None  # the text on the page, if any
    next_token: NextToken | None = None  # what the distribution is drawn from
    undo: list[Document] = field(default_factory=list)  # texts before it
    own_prompt: str = ""  # the prompt that the page inserted; any other is the visitor's
    # default texts that the page inserted into Attention
    own_texts: set[str] = field(default_factory=set)
    # id of the model object that wrote the text; a model in training is a new object at every
    # snapshot
    shown_by: int = 0
    moved: SamplingSettings | None = (
        None  # slider settings changed since the last text began, or None
    )
    visit: str = ""  # a name that the browser keeps over a reload, or ""
    cut: bool = False  # the page closed while its text was being written
    opened: str = ""  # the model that the page opened last, or "" if not yet known
    last_seen: float = 0.0
    _runs: set[Turn] = field(default_factory=set)
    # of the runs, held for a moment
    _guard: threading.Condition = field(default_factory=threading.Condition)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _opening: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def turn(self, *, step: bool = False) -> Iterator[Turn]:
        """Runs one action: ends those in progress (a step lets earlier steps finish) and waits
        until they have.
        """
        run = Turn(step=step)
        with self._guard:
            for other in self._runs:
                if not (step and other.step):
                    other.stopped = other.superseded = True
            self._runs.add(run)
        taken = self._turn.acquire(timeout=_LONGEST_TURN)
        if not taken:
            with self._guard:
                for other in self._runs - {run}:
                    other.abandoned = True
        try:
            yield run
        finally:
            if taken:
                self._turn.release()
            with self._guard:
                self._runs.discard(run)
                self._guard.notify_all()

    @contextmanager
    def waiting(self) -> Iterator[Iterator[None]]:
        """Delays an automatic request of a view until the visitor's other actions have ended,
        without stopping them.

        The block gets an iterator that yields periodically while it waits, and ends when the
        request may start. Views are served in the order in which they opened.
        """
        held = False

        def until_free() -> Iterator[None]:
            nonlocal held
            while not held:
                held = self._opening.acquire(timeout=_NEWS)
                if not held:
                    yield
            while not self._is_idle_within(_NEWS):
                yield

        try:
            yield until_free()
        finally:
            if held:
                self._opening.release()

    def _is_idle_within(self, seconds: float) -> bool:
        with self._guard:
            return self._guard.wait_for(lambda: not self._runs, seconds)

    def stop(self) -> None:
        """Stops running actions at their next token, and waiting ones; keeps the results so far."""
        with self._guard:
            for run in self._runs:
                run.stopped = True

    def leave(self) -> None:
        """Stops running actions after the page has closed."""
        self.cut = self.cut or bool(self._runs)
        self.stop()

    def remember(self, document: Document | None) -> None:
        """Keeps a document for Undo."""
        if document is not None:
            self.undo = [*self.undo[-(MAX_UNDO - 1) :], document]


class SessionStore:
    """LRU store of sessions with a size limit and an expiry time.

    Attributes:
        holder: the client of a session; the one that holds most loses its oldest first.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self.holder: Callable[[str], str] = lambda _: ""
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._left: OrderedDict[str, Session] = OrderedDict()

    def get(self, session_id: str | None) -> Session:
        """The visitor's session, new if unknown or expired. A caller without an id gets a throwaway
        one.
        """
        if not session_id:
            return Session()
        now = self._clock()
        with self._lock:
            session = self._sessions.setdefault(session_id, Session())
            session.last_seen = now
            self._sessions.move_to_end(session_id)
            while (
                now - next(iter(self._sessions.values())).last_seen > self._limits.session_seconds
            ):
                self._sessions.popitem(last=False)[1].stop()
            while len(self._sessions) > self._limits.sessions:  # who holds most gives way first
                self._sessions.pop(of_most(self._sessions, self.holder)[0]).stop()
            return session

    def resume(self, session_id: str | None, visit: object) -> Session | None:
        """Restores the text of the same browser tab after a reload; None if there is none.

        Args:
            session_id: of the page that has just been opened.
            visit: the browser tab's id, 16 to 64 characters; anything else is ignored.
        """
        session = self.get(session_id)
        if not isinstance(visit, str) or not 16 <= len(visit) <= 64:
            return None
        session.visit = visit
        with self._lock:
            live = (
                other
                for other in self._sessions.values()
                if other.visit == visit and other is not session
            )
            before = self._left.pop(visit, None) or next(live, None)
            if before is None:
                return None
            before.visit = ""  # when its page is heard to close, this one has the text
        before.leave()
        session.document = before.document
        session.next_token = before.next_token
        session.undo = before.undo
        session.own_prompt = before.own_prompt
        session.shown_by = before.shown_by
        session.cut = before.cut
        session.own_texts = before.own_texts
        session.opened = before.document.model if before.document is not None else ""
        return session

    def forget(self, session_id: str | None) -> None:
        """Drops the session of a closed page and stops its actions; the text is kept for a
        reload.
        """
        now = self._clock()
        with self._lock:
            session = self._sessions.pop(session_id or "", None)
            if session is not None and session.visit:
                session.last_seen = now
                self._left[session.visit] = session
                self._left.move_to_end(session.visit)
            while self._left:
                oldest = next(iter(self._left.values()))
                if len(self._left) <= _MOST_LEFT and now - oldest.last_seen <= _RELOADING:
                    break
                self._left.popitem(last=False)
        if session is not None:
            session.leave()

    def stop_all(self) -> None:
        """Stops all visitors' actions at their next token."""
        with self._lock:
            sessions = list(self._sessions.values())
        for session in sessions:
            session.stop()

    def __len__(self) -> int:
        return len(self._sessions)
