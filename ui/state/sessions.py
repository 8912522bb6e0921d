"""Session store: each visitor's text being written, the logits after it, and what they have running."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from torch import Tensor

from gptcore.inference.sampling import SamplingSettings
from ui.state.limits import Limits
from ui.state.token_stream import Line, serialise

MAX_UNDO = 50
_LONGEST_TURN = 10.0
_NEWS = 0.5  # seconds after which one who waits is asked whether to go on waiting
_MOST_LEFT, _RELOADING = 50, 300.0  # texts of closed pages, and seconds for which they wait for a reload


@dataclass(frozen=True)
class Document:
    """A text being written.

    Attributes:
        model: name of the model that writes it.
        prompt: what the visitor wrote.
        n_prompt: its tokens.
        ids: all tokens, prompt included.
        lines: of its token stream, for showing it again.
        seed: of the generated part.
    """

    model: str
    prompt: str
    n_prompt: int
    ids: tuple[int, ...]
    lines: tuple[Line, ...]
    seed: int

    @property
    def written(self) -> list[Line]:
        """The lines of its generated tokens."""
        return [line for line in self.lines if line.kind == "token"]

    @property
    def stream(self) -> str:
        """Its token stream, as it is sent."""
        return serialise(self.lines)

    def noted(self, *lines: Line) -> Document:
        """The same with further lines, none of which is a token."""
        return replace(self, lines=(*self.lines, *lines))


@dataclass(frozen=True)
class NextToken:
    """The model's logits after some tokens, float32 [V]: what the distribution is drawn from while sliders move."""

    model: str
    ids: tuple[int, ...]
    n_prompt: int
    logits: Tensor


class Turn:
    """One action of a visitor that takes a while.

    Attributes:
        step: it adds a single token; a further step waits for it instead of ending it.
        stopped: it should end at its next token.
        superseded: it was ended by another action, which is waiting for its turn.
        abandoned: it did not come back in time, and must not touch the text any more.
    """

    def __init__(self, *, step: bool) -> None:
        self.step, self.stopped, self.superseded, self.abandoned = step, False, False, False

    @property
    def wanted(self) -> bool:
        """Whether it should go on."""
        return not self.stopped


@dataclass
class Session:
    """One visitor. Actions take turns: the one before ends, or is ended, before the next one reads the text.

    Attributes:
        document: the text on the page, if any.
        next_token: what the distribution is drawn from.
        undo: texts before it.
        own_prompt: the prompt that was put on the page unasked; one that differs is the visitor's.
        own_texts: of models, that the page has put into Attention unasked.
        shown_by: id of the model object that wrote the text; a model in training is a new object at every snapshot.
        moved: where the sliders have been moved to since the last text began, if they have been.
        visit: a name that the browser keeps over a reload, or "".
        cut: its text was being written when its page went.
        opened: the model that the page has opened last, or "" before it has told.
    """

    document: Document | None = None
    next_token: NextToken | None = None
    undo: list[Document] = field(default_factory=list)
    own_prompt: str = ""
    own_texts: set[str] = field(default_factory=set)
    shown_by: int = 0
    moved: SamplingSettings | None = None
    visit: str = ""
    cut: bool = False
    opened: str = ""
    last_seen: float = 0.0
    _runs: set[Turn] = field(default_factory=set)
    _asked: dict[str, int] = field(default_factory=dict)  # view -> how often it was asked
    _newest: dict[str, int] = field(default_factory=dict)  # view -> the page's number of its newest question
    _guard: threading.Condition = field(default_factory=threading.Condition)  # of these two, held for a moment
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _opening: threading.Lock = field(default_factory=threading.Lock)

    @property
    def busy(self) -> bool:
        """Whether an action is in progress, which another one would end."""
        return bool(self._runs)

    @contextmanager
    def turn(self, *, step: bool = False) -> Iterator[Turn]:
        """Runs one action: ends those in progress (a step lets earlier steps finish) and waits until they have."""
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

    def first(self, view: str) -> bool:
        """Whether nothing has been asked in this view of the page so far; from now on something has."""
        with self._guard:
            known = view in self._asked
            self._asked[view] = self._asked.get(view, 0) + 1
        return not known

    def newest(self, view: str, order: int | None = None) -> Callable[[], bool]:
        """Notes that a view is asked; gives whether nobody has asked it since: an old answer must not land last.

        Args:
            view: its name.
            order: the page's own number of the question, larger for a newer one: two that it asks at once may arrive
                in any order. None where the order of arrival counts.
        """
        self.first(view)
        if order is not None:
            newest = self._newest[view] = max(order, self._newest.get(view, order))
            if order < newest:
                return lambda: False
        number = self._asked[view]
        return lambda: self._asked[view] == number or (order is not None and self._newest[view] == order)

    @contextmanager
    def waiting(self) -> Iterator[Iterator[None]]:
        """What a view asks by itself waits here until nothing else of the visitor is under way, and ends nothing.

        The block gets an iterator that gives something now and then while it waits, and ends when it may begin. A view
        that opened earlier comes first.
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
        """Ends what is in progress at its next token, and what waits for its turn; what was made stays."""
        with self._guard:
            for run in self._runs:
                run.stopped = True

    def leave(self) -> None:
        """Ends what is in progress, since its page is gone."""
        self.cut = self.cut or bool(self._runs)
        self.stop()

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
        self._left: OrderedDict[str, Session] = OrderedDict()

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

    def resume(self, session_id: str | None, visit: object) -> Session | None:
        """Gives a page the text that the same browser tab showed before it was reloaded; None where there is none.

        Args:
            session_id: of the page that has just been opened.
            visit: the browser tab's own name, at most 64 characters; anything else is nobody's.
        """
        session = self.get(session_id)
        if not isinstance(visit, str) or not 16 <= len(visit) <= 64:
            return None
        session.visit = visit
        with self._lock:
            live = (other for other in self._sessions.values() if other.visit == visit and other is not session)
            before = next(live, None) or self._left.pop(visit, None)
        if before is None:
            return None
        before.leave()
        session.document, session.next_token, session.undo = before.document, before.next_token, before.undo
        session.own_prompt, session.shown_by, session.cut = before.own_prompt, before.shown_by, before.cut
        session.own_texts = before.own_texts
        session.opened = before.document.model if before.document is not None else ""
        return session

    def forget(self, session_id: str | None) -> None:
        """Drops a visitor who has closed the page, and stops what still runs; a reload may come for the text."""
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
        """Ends what is in progress for all visitors, at its next token."""
        with self._lock:
            sessions = list(self._sessions.values())
        for session in sessions:
            session.stop()

    def __len__(self) -> int:
        return len(self._sessions)
