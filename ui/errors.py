"""Error boundary of the page: readable errors pass, all others are logged and replaced by a generic message."""

import html
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr
import torch

from gptcore.errors import GPTCoreError
from gptcore.threads import release_threads

log = logging.getLogger("gptlens")

CARD_FULL = (
    "The graphics card has no memory left for this. From now on the processor computes, more slowly; nothing is lost."
)
_LACKS = "This graphics card lacks what this view computes. Start the app with --device cpu for it."
_WRONG = "Something went wrong inside the app. Nothing of yours is lost; the log on the server has the details."
_LONGEST = 1_000  # characters of a sentence for a visitor: a file's header may hold megabytes


def shortened(sentence: str) -> str:
    """Truncates an error message to a readable length."""
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 4 :]}"


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
        raise gr.Error(f"{CARD_FULL} Try again.", title="The graphics card is full", print_exception=False) from None
    except (GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a library's panic is no Exception, and must not end the server's worker
        log.exception("a handler failed")
        if isinstance(error, NotImplementedError) and "MPS" in str(error):
            raise gr.Error(_LACKS, title="Not on this graphics card", print_exception=False) from None
        raise gr.Error(_WRONG, title="Error", print_exception=False) from error
    finally:
        release_threads()  # this thread of the server may idle for long
