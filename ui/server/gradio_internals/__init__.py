"""Every use of a private part of Gradio, and nothing else.

Each was written for one version. With any other, and where a part is not what it was, Gradio stays as it is: the app
works, the log says what is lost. `tests/ui/test_gradio_internals.py` runs it without any of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import version

log = logging.getLogger("gptlens")

WRITTEN_FOR = "6.31.0"
# Part -> (what of Gradio it touches, what is lost without it).
PARTS = {
    "quick import": (
        "`inspect.getfile` while `gradio.component_meta` is imported",
        "a start takes about 0.8 s longer",
    ),
    "API reference": (
        "the answer of `Blocks.get_api_info`",
        "the API page names values “1st” and “2nd” and does not say what they may be",
    ),
    "configuration": (
        "`Blocks.config`, `backend_fn` and `props` in it",
        "every visit is sent 510 kB of configuration in place of 315 kB (53 and 42 kB compressed)",
    ),
    "page states": (
        "`state_holder.SessionState`, `StateHolder`",
        "each open page costs 740 kB more, and 30 to 70 ms in which others wait",
    ),
    "queue share": (
        "`Queue.push`, `Queue.get_events`, its lines of waiting events",
        "one client can fill the queue for all others",
    ),
    "queue pauses": (
        "`Queue.sleep_when_free`, `Queue.progress_update_sleep_when_free`",
        "a text is written a fifth more slowly while the queue looks for work a thousand times a second",
    ),
    "orderly end": (
        "`Queue.active_jobs`, `Queue.close`, `Server.config`",
        "answers that are under way when the server is told to end do not arrive",
    ),
}


def is_written_for() -> bool:
    """Whether the Gradio that is installed is the one that these parts were written for."""
    return version("gradio") == WRITTEN_FOR


def apply(part: str, change: Callable[[], object]) -> bool:
    """Changes a private part of Gradio, if it is the version that the change was written for.

    Args:
        part: one of PARTS.
        change: what to do.

    Returns:
        whether it was done; if not, the log says what is lost.
    """
    touches, lost = PARTS[part]
    if not is_written_for():
        log.warning("Gradio %s is not %s: %s is left alone, so %s.", version("gradio"), WRITTEN_FOR, touches, lost)
        return False
    try:
        change()
    except (AttributeError, TypeError, KeyError) as error:
        log.warning("%s is not what it was (%s), so %s.", touches, error, lost)
        return False
    return True


def table() -> str:
    """The parts as a table in Markdown, for CONTRIBUTING.md."""
    rows = [f"| {name} | {touches} | {lost} |" for name, (touches, lost) in PARTS.items()]
    return "\n".join(["| part | touches | without it |", "|---|---|---|", *rows]) + "\n"
