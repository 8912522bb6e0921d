"""What a speaker's page shows, broadcast to the pages that follow it, and what their visitors
answer.
"""

import hashlib
import threading
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ui.payloads import Scene
from ui.state.clients import of_most

_HERE_SECONDS = 10.0  # a page that has not asked for so long follows no longer
_SILENT_SECONDS = 15.0  # a speaker not heard of for so long leads no longer
_LONGEST_WRITTEN = 1_000_000  # characters of a token stream
_MOST_FOLLOWERS = 1_000  # counted on one broadcast
_MOST_WRONG = 300  # different wrong answers to an exercise
_MOST_WRONG_EACH = 20  # of one page


@dataclass(frozen=True)
class SpokenTalk:
    """A talk that a server was started with: everybody may open it, and who knows its key reads the
    notes, too.
    """

    text: str = ""  # without notes; "" for no talk
    notes: tuple[str, ...] = ()  # of the speaker, by scene
    key: str = ""  # unguessable, printed where the server was started


NO_TALK = SpokenTalk()


@dataclass(frozen=True)
class Audience:
    """The followers of a broadcast, and their guesses."""

    name: str  # of the broadcast, by which pages follow
    followers: int
    # each answer that was offered last, and how many pages guess it
    guesses: tuple[tuple[str, int], ...]


@dataclass
class Attempts:
    """The answers of the pages of a room to an exercise."""

    solved: set[str] = field(default_factory=set)  # pages
    wrong: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # answer -> pages

    def note(self, page: str, wrong: str | None) -> None:
        """Notes a page's answer: a wrong one, or None for a right one."""
        if wrong is None:
            if len(self.solved) < _MOST_FOLLOWERS:
                self.solved.add(page)
            return
        n_own = sum(page in pages for pages in self.wrong.values())
        is_known = wrong in self.wrong
        has_room = is_known or len(self.wrong) < _MOST_WRONG
        is_full = is_known and len(self.wrong[wrong]) >= _MOST_FOLLOWERS
        if n_own < _MOST_WRONG_EACH and has_room and not is_full:
            self.wrong[wrong].add(page)

    def commonest_wrong(self, most: int) -> list[tuple[str, int]]:
        """The wrong answers that most pages gave, and how many did."""
        return Counter({answer: len(pages) for answer, pages in self.wrong.items()}).most_common(
            most
        )


@dataclass(eq=False)
class Broadcast:
    """A speaker's page."""

    scene: Scene | None = None  # what it shows; None before it has said so
    version: int = 0  # of the scene; it grows by one with every other scene
    number: int = 0  # of the generated text; 0 before there is one
    written: str = ""  # the generated text, lines of a token stream
    seen: dict[str, float] = field(default_factory=dict)  # by page that follows, when it last asked
    heard: float = 0.0  # when the speaker last said anything
    state: Literal["on", "away", "left"] = (
        "on"  # "away": the speaker is not heard of now; "left": they have ended it
    )
    client: str = ""  # of the speaker
    workspace: str = ""  # of the speaker's runs, or ""
    asked: tuple[str, ...] = ()  # the answers that its last question offered
    guesses: dict[str, int] = field(default_factory=dict)  # by page, the place of what it guesses
    # by exercise
    attempts: dict[str, Attempts] = field(default_factory=lambda: defaultdict(Attempts))


class Broadcasts:
    """The broadcasts of all speakers.

    Beyond `most`, evicts from the client that has most of them: its least recently used broadcast,
    those without followers first.

    A speaker's page publishes under a random secret; followers subscribe by a name, a hash of the
    secret, which does not reveal it.

    Args:
        most: maximum number of broadcasts.
        clock: seconds.
    """

    def __init__(self, most: int = 50, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._broadcasts: OrderedDict[str, Broadcast] = OrderedDict()
        self._lock = threading.Lock()

    def lead(
        self,
        secret: str,
        scene: Scene | None,
        client: str = "",
        workspace: str = "",
        *,
        left: bool = False,
    ) -> Audience:
        """Publishes what a speaker's page shows; returns its audience.

        Args:
            scene: None keeps the last one; the call still shows that the speaker is connected.
            workspace: id of the workspace that holds the page's runs, or "".
            left: whether the speaker has ended the broadcast.
        """
        name = name_of(secret)
        with self._lock:
            broadcast = self._broadcasts.setdefault(name, Broadcast())
            self._broadcasts.move_to_end(name)
            if (scene or broadcast.scene) != broadcast.scene or left != (broadcast.state == "left"):
                broadcast.version += 1
            if scene and scene["asks"] and tuple(scene["asks"]) != broadcast.asked:
                broadcast.asked = tuple(scene["asks"])
                broadcast.guesses.clear()
            if left:
                broadcast.asked = ()
                broadcast.guesses.clear()
                broadcast.attempts.clear()
            broadcast.scene = scene or broadcast.scene
            broadcast.heard = self._clock()
            broadcast.client = client
            broadcast.workspace = workspace
            broadcast.state = "left" if left else "on"
            while len(self._broadcasts) > self._most:
                del self._broadcasts[self._least_wanted()]
            counts = Counter(broadcast.guesses.values())
            guesses = tuple((answer, counts[index]) for index, answer in enumerate(broadcast.asked))
            return Audience(name, self._followers(broadcast), guesses)

    def write(self, secret: str, number: int, start: int, lines: str) -> int:
        """Adds to the text that a speaker's page has generated; returns how many characters of it
        are known.

        Args:
            number: of the text, 1 or more; another number begins another text. 0 adds nothing.
            start: characters that stand before `lines`; where that is not what is known, nothing is
                added.
        """
        with self._lock:
            broadcast = self._broadcasts.get(name_of(secret))
            if broadcast is None or not number:
                return 0
            if number != broadcast.number:
                broadcast.number = number
                broadcast.written = ""
            if start == len(broadcast.written) and start + len(lines) <= _LONGEST_WRITTEN:
                broadcast.written += lines
            return len(broadcast.written)

    def follow(self, name: str, page: str, guess: int | None = None) -> Broadcast | None:
        """The broadcast of this name, which a page follows; None for one that is unknown or gone.

        Args:
            guess: place of the answer that the page's visitor guesses, among those that the scene
                offers.
        """
        with self._lock:
            broadcast = self._broadcasts.get(name)
            if broadcast is None:
                return None
            if page in broadcast.seen or len(broadcast.seen) < _MOST_FOLLOWERS:
                broadcast.seen[page] = self._clock()
                # It may come as the question ends.
                has_room = page in broadcast.guesses or len(broadcast.guesses) < _MOST_FOLLOWERS
                if guess is not None and guess < len(broadcast.asked) and has_room:
                    broadcast.guesses[page] = guess
            # What followers wrote stays when a silent speaker is heard again.
            is_silent = self._clock() - broadcast.heard > _SILENT_SECONDS
            broadcast.state = "left" if broadcast.state == "left" else "away" if is_silent else "on"
            return broadcast

    def tried(self, name: str, page: str, exercise: str, wrong: str | None) -> None:
        """Notes a page's answer to an exercise; wrong: the answer, None for a right one."""
        with self._lock:
            broadcast = self._broadcasts.get(name)
            if broadcast is None or page not in broadcast.seen:
                return
            broadcast.attempts[exercise].note(page, wrong)

    def results(
        self, secret: str, most_wrong: int = 3
    ) -> dict[str, tuple[int, list[tuple[str, int]]]]:
        """By exercise: how many pages have solved it, and its commonest wrong answers with how many
        gave them.
        """
        with self._lock:
            broadcast = self._broadcasts.get(name_of(secret))
            attempts = broadcast.attempts.items() if broadcast else ()
            return {
                exercise: (len(one.solved), one.commonest_wrong(most_wrong))
                for exercise, one in attempts
            }

    def leads(self, workspace: str) -> bool:
        """Tells whether a workspace is of a speaker who leads now."""
        now = self._clock()
        with self._lock:
            mine = [
                broadcast
                for broadcast in self._broadcasts.values()
                if broadcast.workspace == workspace
            ]
            return any(
                broadcast.state != "left" and now - broadcast.heard <= _SILENT_SECONDS
                for broadcast in mine
            )

    def _least_wanted(self) -> str:
        theirs = of_most(self._broadcasts, lambda name: self._broadcasts[name].client)
        return next((name for name in theirs if not self._broadcasts[name].seen), theirs[0])

    def _followers(self, broadcast: Broadcast) -> int:
        now = self._clock()
        broadcast.seen = {
            page: at for page, at in broadcast.seen.items() if now - at < _HERE_SECONDS
        }
        return len(broadcast.seen)


def name_of(secret: str) -> str:
    """The name by which pages follow whoever knows the secret."""
    return hashlib.sha256(f"broadcast {secret}".encode()).hexdigest()[:20]
