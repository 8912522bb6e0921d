"""Limits of a deployment profile: what one visitor may ask for, by where the app runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Resource limits that protect visitors from each other."""

    max_new_tokens: int = 500  # tokens in one generation
    max_prompt_chars: int = 20_000  # characters in a prompt
    max_score_chars: int = 20_000  # characters of a text to be scored
    # memory for loaded models together; the least recently used one goes first
    model_bytes: int = 12 << 30
    reading_bytes: int = 1 << 30  # memory of the attention cache
    reading_seconds: float = 600.0  # lifetime of an unused reading in that cache
    any_model: bool = True  # folders and Hub repositories by name, not only those in the list
    texts_at_once: int = 24  # texts that are written at the same time; further ones wait in line
    heavy_at_once: int = (
        2  # scoreboards and other computations of many seconds that are under way at the same time
    )
    concurrent_visits: int = (
        64  # visitors' actions that may be under way, computing or waiting for their next step
    )
    sessions: int = 200  # visitors remembered at the same time
    session_seconds: float = 3600.0  # how long a visitor who does nothing is remembered
    # runs that learn at the same time; further ones wait in the queue and begin by themselves
    training_runs: int = 2
    training_queue: int = 40  # runs that may wait
    large_type: bool = False  # whether pages begin in large type, for a room
    leader_first: bool = (
        False  # whether the run of whoever leads the room begins at once, and another gives way
    )
    training_seconds: float = 3600.0  # the longest run
    training_parameters: int = 30_000_000  # the largest model that is trained
    training_text_bytes: int = 20_000_000  # the largest text that is trained on
    training_grace: float = 600.0  # seconds for which an unviewed run is kept
    workspaces: int = 40  # visitors whose runs are kept at the same time
    page_states: int = 300  # pages whose state Gradio keeps, at about 1 MB each
    waiting_events: int = 512  # visitors' actions that may wait for their turn
    temporary_bytes: int = 2 << 30  # uploads and files to download, together


PROFILES: dict[str, Limits] = {
    "local": Limits(),
    # One visitor, on stage: the session of an idle tab must not expire.
    "talk": Limits(
        any_model=False,
        training_runs=1,
        leader_first=True,
        large_type=True,
        session_seconds=12 * 3600.0,
        reading_seconds=12 * 3600.0,
        training_grace=12 * 3600.0,
    ),
    "space": Limits(
        max_new_tokens=200,
        max_prompt_chars=8_000,
        max_score_chars=8_000,
        any_model=False,
        session_seconds=900.0,
        model_bytes=4 << 30,
        reading_bytes=256 << 20,
        reading_seconds=60.0,
        temporary_bytes=512 << 20,
        training_runs=1,
        training_queue=12,
        training_seconds=300.0,
        training_parameters=5_000_000,
        training_text_bytes=2_000_000,
        training_grace=120.0,
        workspaces=16,
    ),
}
