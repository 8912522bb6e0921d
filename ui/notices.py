"""Sentences for a visitor that are no answer: the page shows them as notices, other callers log them."""

import logging

log = logging.getLogger("gptlens")

GPU_FULL = "The GPU has no memory left for this. From now on the CPU computes, more slowly; nothing is lost."


def log_notice(sentence: str) -> None:
    """Logs a notice where no page shows it."""
    log.warning("%s", sentence)
