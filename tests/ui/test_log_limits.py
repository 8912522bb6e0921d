"""The log: long lines are cut, and the same line is not written ten thousand times."""

import logging

from ui.server.log_limits import LogLimits


def limited(**options):
    """A log with limits, and the lines that are written."""
    log = logging.Logger("test")
    handler = logging.Handler()
    seen = []
    handler.emit = lambda record: seen.append(record.getMessage())
    handler.addFilter(LogLimits(**options))
    log.addHandler(handler)
    return log, seen


def test_a_line_that_comes_again_and_again_is_written_a_few_times_a_minute():
    now = [0.0]
    log, seen = limited(clock=lambda: now[0])

    def fail(times):
        for n in range(times):
            log.warning("out of handles: %d", n)

    fail(10_000)
    log.warning("something else")
    assert len(seen) == 6 and seen[-1] == "something else"
    now[0] = 61.0
    fail(1)
    assert seen[-1] == "out of handles: 0 (9,995 more like this in the minute before)"


def test_a_long_line_is_cut():
    log, seen = limited()
    log.error("said: %s", "x" * 28_000_000)
    assert len(seen[0]) < 4100 and seen[0].endswith("… (28,000,006 characters)")
