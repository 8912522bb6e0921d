"""Payloads for a room of people: who leads, and who follows."""

from typing import Literal

from typing_extensions import TypedDict

from ui.payloads import Scene, Written


class LeadRequest(TypedDict):
    """The scene on the speaker's page, null once it no longer leads."""

    secret: str
    scene: Scene | None
    workspace: str | None  # of the speaker's runs
    written: Written | None


class Led(TypedDict):
    """The name under which it is followed, by how many pages, and why they do not see what it
    shows, or "".

    known: characters of the generated text that the server has.
    guesses: each answer that was offered last, and how many pages guess it.
    """

    name: str
    followers: int
    said: str
    known: int
    guesses: list[tuple[str, int]]


class NotesRequest(TypedDict):
    """The key of the talk that the server was started with."""

    key: str


class FollowRequest(TypedDict):
    """The stage, the page that follows, and the version that it has."""

    name: str
    page: str
    version: int
    number: int  # of the generated text that the page has
    start: int  # characters of it
    guess: int | None  # place of the answer that is guessed


class Followed(TypedDict):
    """The stage's version, its scene where that is another, and what is new of the generated text.

    "away": the speaker is not heard of, or not known, as after a restart; "left": they have ended
    it.
    """

    state: Literal["on", "away", "left"]
    version: int
    scene: Scene | None
    written: Written | None
