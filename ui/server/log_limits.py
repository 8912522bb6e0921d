"""Log filter: truncates long lines and rate-limits repeated ones."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

_LONGEST = 4000  # characters of a line
# the same line, so often in so many seconds
_EACH = 5
_SECONDS = 60.0
_REMEMBERED = 500  # kinds of lines


class LogLimits(logging.Filter):
    """Passes the first lines of a kind in each minute, then logs how many were suppressed.

    A kind is a message template at one place in the code.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        # [since when, how many]
        self._seen: OrderedDict[tuple[str, str, int], list[float]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write a line; truncates a long one."""
        now = self._clock()
        kind = (record.name, record.pathname, record.lineno)
        since, n = self._seen.setdefault(kind, [now, 0.0])
        self._seen.move_to_end(kind)
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        left_out = max(0, int(n) - _EACH)
        if now - since > _SECONDS:
            since = now
            n = 0.0
        self._seen[kind] = [since, n + 1]
        if n >= _EACH:
            return False
        message = record.getMessage()
        if len(message) > _LONGEST:
            message = f"{message[:_LONGEST]}… ({len(message):,} characters)"
        if n == 0 and left_out:
            message = f"{message} ({left_out:,} more like this in the minute before)"
        record.msg = message
        record.args = None
        if record.exc_info and record.exc_text is None:
            record.exc_text = logging.Formatter().formatException(record.exc_info)[-_LONGEST:]
        return True


def limit_log() -> None:
    """Gives every handler of the root logger these limits."""
    limits = LogLimits()
    for handler in logging.getLogger().handlers:
        handler.addFilter(limits)
