"""What the server remembers of each visitor: the text being written and the logits after it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from ui.limits import Limits

MAX_UNDO = 50


@dataclass(frozen=True)
class Document:
    """A text being written.

    Attributes:
        model: name of the model that writes it.
        prompt: what the visitor wrote.
        n_prompt: its tokens.
        ids: all tokens, prompt included.
        records: the token stream's lines, for showing it again.
        seed: of the generated part.
    """

    model: str
    prompt: str
    n_prompt: int
    ids: tuple[int, ...]
    records: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class NextToken:
    """The model's logits after some tokens, float32 [V]: what the distribution is drawn from while sliders move."""

    model: str
    ids: tuple[int, ...]
    n_prompt: int
    logits: Tensor


class Run:
    """One action that takes a while. It ends early when it is stopped, or when the visitor begins another."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.stopped = False

    @property
    def current(self) -> bool:
        """Whether the page still shows this run."""
        return self._session.run is self

    @property
    def wanted(self) -> bool:
        """Whether it should go on."""
        return self.current and not self.stopped


@dataclass
class Session:
    """One visitor."""

    document: Document | None = None
    next_token: NextToken | None = None
    undo: list[Document] = field(default_factory=list)
    run: Run | None = None
    last_seen: float = 0.0

    def begin(self) -> Run:
        """Starts an action; the one before it ends at its next token."""
        self.run = Run(self)
        return self.run

    def stop(self) -> None:
        """Ends the action in progress at its next token; what it made stays."""
        if self.run is not None:
            self.run.stopped = True

    def remember(self, document: Document | None) -> None:
        """Keeps a document for Undo."""
        if document is not None:
            self.undo = [*self.undo[-(MAX_UNDO - 1) :], document]


class SessionStore:
    """Sessions by id, at most so many, each for so long."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def get(self, session_id: str | None) -> Session:
        """The visitor's session, new when unknown or expired. A caller without an id gets one that nobody keeps."""
        if not session_id:
            return Session()
        now = self._clock()
        with self._lock:
            session = self._sessions.setdefault(session_id, Session())
            session.last_seen = now
            self._sessions.move_to_end(session_id)
            oldest = next(iter(self._sessions.values()))
            while len(self._sessions) > self._limits.sessions or now - oldest.last_seen > self._limits.session_seconds:
                self._sessions.popitem(last=False)[1].stop()
                oldest = next(iter(self._sessions.values()))
            return session

    def forget(self, session_id: str | None) -> None:
        """Drops a visitor who has closed the page, and stops what still runs for them."""
        with self._lock:
            session = self._sessions.pop(session_id or "", None)
        if session is not None:
            session.stop()

    def __len__(self) -> int:
        return len(self._sessions)
