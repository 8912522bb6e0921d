"""Payloads for a room of people: who leads, who follows, and the wall of everybody's runs."""

from __future__ import annotations

from typing_extensions import TypedDict


class Scene(TypedDict):
    """What a page shows: its place, the model, and what all views share."""

    tab: str
    view: str
    model: str
    text: str
    head: tuple[int, int] | None
    token: int | None


class LeadRequest(TypedDict):
    """What the speaker's page shows, null once it no longer leads."""

    secret: str
    scene: Scene | None


class Led(TypedDict):
    """The name under which it is followed, and by how many pages."""

    name: str
    followers: int


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


class SignRequest(TypedDict):
    """A name for the runs of a workspace on the wall; "" takes them off it."""

    bench: str
    name: str


class Signed(TypedDict):
    """The name as it is shown, and what was wrong with it."""

    name: str
    said: str


class WallRun(TypedDict):
    """A run on the wall.

    `points` are (seconds of training, loss): held out, or of the training text where nothing is held out. `model` is ""
    before it can be opened.
    """

    viewing: str
    name: str
    title: str
    state: str
    step: int
    unit: str
    loss: float | None
    points: list[tuple[float, float]]
    text: str
    settings: dict[str, str | float]
    place: int | None
    model: str


class Wall(TypedDict):
    """All runs on the wall, the best first, and how many more there are."""

    runs: list[WallRun]
    more: int
