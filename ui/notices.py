"""Sentences for a visitor that are no answer: the page shows them as notices, other callers log
them.
"""

import logging

log = logging.getLogger("gptlens")

GPU_FULL = (
    "The GPU has run out of memory. From now on the app uses the CPU, which is slower. Nothing is "
    "lost."
)


def log_notice(sentence: str) -> None:
    """Logs a notice where no page shows it."""
    log.warning("%s", sentence)
