"""All patches of Gradio's private API, and nothing else.

Each patch targets one version. With any other version, or if a part has changed, Gradio is left
unpatched: the app works, and the log says what is lost. `tests/ui/test_gradio_internals.py` runs
the app without any of them.
"""

import logging
from collections.abc import Callable
from importlib.metadata import version

log = logging.getLogger("gptlens")

WRITTEN_FOR = "6.31.0"
# Part -> (what of Gradio it touches, what is lost without it).
PARTS = {
    "quick import": (
        "`inspect.getfile` while `gradio.component_meta` is imported",
        "a start takes about 0.5 s longer",
    ),
    "API reference": (
        "the answer of `Blocks.get_api_info`",
        "the API page names values “1st” and “2nd” and does not say what they may be",
    ),
    "configuration": (
        "`Blocks.config`, `backend_fn` and `props` in it",
        "every visit is sent 782 kB of configuration in place of 511 kB (69 and 57 kB compressed)",
    ),
    "page states": (
        "`state_holder.SessionState`, `StateHolder`",
        "each open page costs 740 kB more, and blocks others for 30 to 70 ms",
    ),
    "quick front end": (
        "two functions of its `core-*.js`, one of its `statustracker-*.js`",
        "a browser works twice as long for a load, and a quarter longer for a step of a slider",
    ),
    "patient start": (
        "`http_server.Server.run_in_thread`, `networking.url_ok`",
        "a start on a busy machine says that the port is taken, or that localhost is not "
        "accessible",
    ),
    "queue share": (
        "`Queue.push`, `Queue.get_events`, its lines of waiting events",
        "one client can fill the queue for all others",
    ),
    "queue pauses": (
        "`Queue.sleep_when_free`, `Queue.progress_update_sleep_when_free`",
        "generation is a fifth slower because the queue polls a thousand times a second",
    ),
    "orderly end": (
        "`Queue.active_jobs`, `Queue.pending_event_ids_session`, `Queue.close`, `Server.config`",
        "answers in progress when the server shuts down are lost",
    ),
}


def is_written_for() -> bool:
    """Whether the installed Gradio is the version that the patches target."""
    return version("gradio") == WRITTEN_FOR


def apply(part: str, change: Callable[[], object]) -> bool:
    """Applies one of PARTS where Gradio is of the version that it targets; returns whether, and
    logs what is lost.
    """
    touches, lost = PARTS[part]
    if not is_written_for():
        log.warning(
            "Gradio %s is not %s: %s is left alone, so %s.",
            version("gradio"),
            WRITTEN_FOR,
            touches,
            lost,
        )
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
