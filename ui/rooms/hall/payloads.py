"""Payloads for a room of people: who leads, and who follows."""

from typing_extensions import TypedDict

from ui.payloads import Scene


class LeadRequest(TypedDict):
    """What the speaker's page shows, null once it no longer leads."""

    secret: str
    scene: Scene | None
    workspace: str | None  # of the speaker's runs


class Led(TypedDict):
    """The name under which it is followed, and by how many pages."""

    name: str
    followers: int


class NotesRequest(TypedDict):
    """The key of the talk that the server was started with."""

    key: str


class FollowRequest(TypedDict):
    """The stage, the page that follows, and the version that it has."""

    name: str
    page: str
    version: int


class Followed(TypedDict):
    """The stage's version, and its scene where that is another; it has ended, or is unknown, where `on` is false."""

    on: bool
    version: int
    scene: Scene | None
