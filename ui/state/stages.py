"""Stages: what a speaker's page shows, for the pages that follow it."""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ui.payloads import Scene
from ui.state.clients import of_most

_HERE_SECONDS = 10.0  # a page that has not asked for so long follows no longer
_SILENT_SECONDS = 15.0  # a speaker not heard of for so long leads no longer
_LONGEST_WRITTEN = 1_000_000  # characters of a token stream
_MOST_FOLLOWERS = 1_000  # counted on one stage


@dataclass(frozen=True)
class SpokenTalk:
    """A talk that a server was started with: everybody may open it, and who knows its key reads the notes, too."""

    text: str = ""  # without notes; "" for no talk
    notes: tuple[str, ...] = ()  # of the speaker, by scene
    key: str = ""  # unguessable, printed where the server was started


NO_TALK = SpokenTalk()


@dataclass(eq=False)
class Stage:
    """A speaker's page."""

    scene: Scene | None = None  # what it shows; None before it has said so
    version: int = 0  # of the scene; it grows by one with every other scene
    number: int = 0  # of the generated text; 0 before there is one
    written: str = ""  # the generated text, lines of a token stream
    seen: dict[str, float] = field(default_factory=dict)  # by page that follows, when it last asked
    heard: float = 0.0  # when the speaker last said anything
    state: Literal["on", "away", "left"] = "on"  # "away": the speaker is not heard of now; "left": they have ended it
    client: str = ""  # of the speaker
    workspace: str = ""  # of the speaker's runs, or ""


class Stages:
    """The stages of all speakers. A new one takes the room of the client that has most of them: of its longest unused
    one, those that nobody follows first.

    A speaker's page draws a secret, with which it says what it shows; pages follow by a name that is made of the
    secret and does not tell it.

    Args:
        most: stages that are kept.
        clock: seconds.
    """

    def __init__(self, most: int = 50, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._stages: OrderedDict[str, Stage] = OrderedDict()
        self._lock = threading.Lock()

    def lead(
        self, secret: str, scene: Scene | None, client: str = "", workspace: str = "", *, left: bool = False
    ) -> tuple[str, int]:
        """Says what a client's page shows; returns the stage's name and its followers.

        Args:
            scene: None for what it showed before, which stays: who is heard leads, whatever the page shows.
            workspace: id of the one that holds the page's runs, or "".
            left: whether it leads no longer.
        """
        name = name_of(secret)
        with self._lock:
            stage = self._stages.setdefault(name, Stage())
            self._stages.move_to_end(name)
            if (scene or stage.scene) != stage.scene or left != (stage.state == "left"):
                stage.version += 1
            stage.scene, stage.heard, stage.client = scene or stage.scene, self._clock(), client
            stage.workspace = workspace
            stage.state = "left" if left else "on"
            while len(self._stages) > self._most:
                del self._stages[self._least_wanted()]
            return name, self._followers(stage)

    def write(self, secret: str, number: int, start: int, lines: str) -> int:
        """Adds to the text that a speaker's page has generated; returns how many characters of it are known.

        Args:
            number: of the text, 1 or more; another number begins another text. 0 adds nothing.
            start: characters that stand before `lines`; where that is not what is known, nothing is added.
        """
        with self._lock:
            stage = self._stages.get(name_of(secret))
            if stage is None or not number:
                return 0
            if number != stage.number:
                stage.number, stage.written = number, ""
            if start == len(stage.written) and start + len(lines) <= _LONGEST_WRITTEN:
                stage.written += lines
            return len(stage.written)

    def follow(self, name: str, page: str) -> Stage | None:
        """The stage of this name, which a page follows; None for one that is unknown or gone."""
        with self._lock:
            stage = self._stages.get(name)
            if stage is not None and (page in stage.seen or len(stage.seen) < _MOST_FOLLOWERS):
                stage.seen[page] = self._clock()
            if stage is not None:  # what followers wrote stays when a silent speaker is heard again
                is_silent = self._clock() - stage.heard > _SILENT_SECONDS
                stage.state = "left" if stage.state == "left" else "away" if is_silent else "on"
            return stage

    def leads(self, workspace: str) -> bool:
        """Tells whether a workspace is of a speaker who leads now."""
        now = self._clock()
        with self._lock:
            mine = [stage for stage in self._stages.values() if stage.workspace == workspace]
            return any(stage.state != "left" and now - stage.heard <= _SILENT_SECONDS for stage in mine)

    def _least_wanted(self) -> str:
        theirs = of_most(self._stages, lambda name: self._stages[name].client)
        return next((name for name in theirs if not self._stages[name].seen), theirs[0])

    def _followers(self, stage: Stage) -> int:
        now = self._clock()
        stage.seen = {page: at for page, at in stage.seen.items() if now - at < _HERE_SECONDS}
        return len(stage.seen)


def name_of(secret: str) -> str:
    """The name by which pages follow whoever knows the secret."""
    return hashlib.sha256(f"stage {secret}".encode()).hexdigest()[:20]
