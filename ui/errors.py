"""Error boundary of the page: readable errors pass, all others are logged and replaced by a generic
message.
"""

import html
import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr
import torch

from gptcore.errors import GPTCoreError
from gptcore.threads import release_threads
from ui.notices import GPU_FULL

log = logging.getLogger("gptlens")

_LACKS = "This GPU lacks an operation that this view needs. Start the app with --device cpu for it."
_WRONG = (
    "Something went wrong inside the app. Nothing of yours is lost; the log on the server has the "
    "details."
)
_NO_STORE = (
    "The server cannot write temporary files now ({reason}). Nothing of yours is lost. Try "
    "again in a minute, or tell who runs it."
)
_LONGEST = 1_000  # characters of a sentence for a visitor: a file's header may hold megabytes


def shortened(sentence: str) -> str:
    """Truncates an error message to a readable length."""
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 4 :]}"


def show_notice(sentence: str) -> None:
    """Shows a sentence as a notice on the page of the visitor whose event is being answered."""
    gr.Warning(html.escape(sentence, quote=False))


@contextmanager
def shown_to_visitor() -> Iterator[None]:
    """Turns the project's errors into notices on the page, and API replies, that say what to do.

    A context manager and not a decorator, because Gradio must see that a handler is a generator.
    """
    try:
        yield
    except gr.Error:
        raise
    except GPTCoreError as error:
        sentence = html.escape(shortened(str(error)), quote=False)
        raise gr.Error(sentence, title="Not possible", print_exception=False) from None
    except torch.OutOfMemoryError as error:
        log.warning("%s", error)
        raise gr.Error(
            f"{GPU_FULL} Try again.", title="The GPU is full", print_exception=False
        ) from None
    except OSError as error:
        if not (reason := _why_nothing_is_stored()):
            log.exception("a handler failed")
            raise gr.Error(_WRONG, title="Error", print_exception=False) from error
        log.warning("Temporary files cannot be written: %s", error)
        raise gr.Error(
            _NO_STORE.format(reason=reason), title="Not possible now", print_exception=False
        ) from None
    except (GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except (
        BaseException
    ) as error:  # a library's panic is no Exception, and must not end the server's worker
        log.exception("a handler failed")
        if isinstance(error, NotImplementedError) and "MPS" in str(error):
            raise gr.Error(_LACKS, title="Not on this GPU", print_exception=False) from None
        raise gr.Error(_WRONG, title="Error", print_exception=False) from error
    finally:
        release_threads()  # this thread of the server may idle for long


def _why_nothing_is_stored() -> str:
    """The system's reason why no temporary file can be written; "" where one can."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"x")
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""
