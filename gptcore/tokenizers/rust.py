"""Calls into libraries written in Rust: a panic there is no Exception, and would end the thread
that called.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gptcore.errors import TokenizerError


@contextmanager
def panics_as_errors(doing: str) -> Iterator[None]:
    """Turns a panic inside the block into an error.

    Args:
        doing: what the block does, as a noun: "Encoding this text".

    Raises:
        TokenizerError: in place of the panic.
    """
    try:
        yield
    except BaseException as error:
        # pyo3 makes a class of its own for each library
        if type(error).__name__ != "PanicException":
            raise
        cause = str(error).splitlines()[0][:120] if str(error) else "no reason given"
        raise TokenizerError(
            f"{doing} is beyond the tokenizer's library ({cause}). Shorten or divide it."
        ) from None
