"""Payloads of the Train tab."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ui.runs.payloads import QueuePlace, RunAbout

Command = Literal["pause", "resume", "step", "stop", "rate", "longer", "again"]
CurveRow = list[float | None]  # update, loss, learning rate, gradient norm, seconds


class WorkspaceRequest(TypedDict):
    """A visitor's workspace; its viewing id shows it without control."""

    workspace: str


class RunRequest(WorkspaceRequest):
    """A run of a workspace."""

    run: str | None


class SeenOfRun(TypedDict):
    """The state of a run that a page has: its version, and the numbers of rows and snapshots."""

    run: str | None
    version: int
    rows: int
    looks: int


class PollRequest(SeenOfRun):
    """A request for the news of the current run, and of its rival."""

    workspace: str
    rival: SeenOfRun | None


class CommandRequest(WorkspaceRequest):
    """Steers the current run; `value` is a rate or a number of steps."""

    command: Command
    value: float | None


class LookRequest(RunRequest):
    """One snapshot of a run."""

    look: int


class TextOfRunRequest(RunRequest):
    """A line to classify, or a next token by its text; "" for the latest top token."""

    text: str


class DuelRequest(WorkspaceRequest):
    """The better of two answers, null before one is chosen, and their number."""

    chosen: int | None
    number: int | None


class SlowRun(TypedDict):
    """A run whose time will end before its model has learned words."""

    updates: int
    seconds: int
    more: int


class RunLook(TypedDict):
    """A run as it was observed once: its held-out loss, a sample, scores of heads by layer."""

    step: int
    elapsed: float
    valid: float | None
    accuracy: float | None
    text: str
    induction: list[list[float | None]]
    previous: list[list[float | None]]
    tasks: dict[str, float]


class RunNews(TypedDict):
    """The news of a run for a page: rows from `first`, snapshots from `looks_from`.

    `about` comes with a run that is new to the page or has changed;
    `ahead` is the learning rate to come, [update, rate].
    """

    run: str
    state: str
    reason: str
    step: int
    elapsed: float
    left: float | None
    rate: float
    version: int
    first: int
    rows: list[CurveRow]
    looks_from: int
    looks: list[RunLook]
    final: float | None
    final_accuracy: float | None
    kept: int | None
    verdict: str
    preparing: str
    peak: float
    planned_peak: float
    ahead: list[list[float]]
    about: RunAbout | None
    next_look: float | None
    busy: float | None
    slow: SlowRun | None
    again: bool


class WorkspaceNews(RunNews):
    """The news of the current run, of its rival in a race, and of who may steer it."""

    rival: RunNews | None
    workspace: str
    viewing: str
    steers: bool
    queue: QueuePlace | None


class HeadsOfRun(TypedDict):
    """Attention maps of one snapshot, packed."""

    step: int
    T: int
    maps: str


class TokenProbabilities(TypedDict):
    """A token's probability at every snapshot, [update, probability]; or why there is none."""

    token: NotRequired[str]
    said: NotRequired[str]
    points: list[tuple[int, float]]


class PastRun(TypedDict):
    """A run of the workspace, for the table and the faded lines."""

    run: str
    number: int
    title: str
    steps: int
    changed: list[str]
    seconds: float
    valid: float | None
    tokens_per_character: float | None
    comparable: bool
    curve: list[tuple[int, float | None]]
    valid_curve: list[tuple[int, float | None]]


class Classified(TypedDict):
    """A line's labels with their probabilities; or why there are none."""

    labels: NotRequired[list[tuple[str, float]]]
    said: NotRequired[str]


class Duel(TypedDict):
    """Two answers to one prompt, how many choices were made, and how many another stage 1 has made
    void.
    """

    prompt: NotRequired[str]
    answers: NotRequired[list[str]]
    number: NotRequired[int]
    chosen: NotRequired[int]
    gone: NotRequired[int]
    said: NotRequired[str]
