"""Connection limits for uvicorn: total, per address, and an idle timeout.

uvicorn never times out a request whose header arrives a byte a minute (slowloris). Such connections
are cheap to open and each holds a file descriptor; at the limit of open files the server answers
nobody.
"""

import os
import time
from collections import Counter
from typing import Any

import uvicorn.config
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ui.state.clients import ip, let_go

try:
    import resource
except ImportError:  # Windows
    resource = None

_Protocol: Any = AutoHTTPProtocol  # one of two classes, by what is installed

_MOST, _MOST_EACH = 1500, 256  # connections; those of an address where many have some
_FILES = 4096  # open files that this process may have, where the system lets it
# Seconds without a request, and for the rest of a request's body. httpx uses a connection again for
# 5 s, as long as uvicorn keeps one by itself: a program's request would meet the end of its
# connection.
_SILENT = 20.0
_SLOW = 180.0
_LOOK = 5.0  # seconds between two checks of a connection

_open: Counter[str] = Counter()
_behind_proxy = False
_most = _MOST


class LimitedProtocol(_Protocol):
    """uvicorn's protocol with connection limits and timeouts."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.timeout_keep_alive = _SILENT
        self._address = _counted(self.client[0] if self.client else "")
        _open[self._address] += 1
        self._quiet_since = time.monotonic()
        self._timer: Any = None
        if _open.total() > _most or (self._address and _open[self._address] > _share()):
            transport.close()
        else:
            self._timer = self.loop.call_later(_LOOK, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        let_go(_open, self._address)
        super().connection_lost(exc)

    def _check(self) -> None:
        """Closes the connection when it is idle for too long; a response in progress does not count
        as idle.
        """
        now = time.monotonic()
        cycle = self.cycle
        answering = bool(cycle and not cycle.response_complete)
        if cycle and answering and not cycle.more_body:
            self._quiet_since = now
        if now - self._quiet_since > (_SLOW if answering else _SILENT):
            self.transport.close()
        else:
            self._timer = self.loop.call_later(_LOOK, self._check)


def _share() -> int:
    """Connections of one address: two thirds of all divided by the addresses there are; a school
    may be behind one.
    """
    return min(_most, max(_MOST_EACH, 2 * _most // 3 // len(_open)))


def _allowed_files() -> int:
    """Returns the number of files that this process may open, after it has asked for more."""
    if resource is None:
        return _FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    return _FILES if soft == resource.RLIM_INFINITY else soft


def _counted(address: str) -> str:
    """The counting key of a connection; "" for a proxy, which comes for all visitors."""
    found = ip(address) if _behind_proxy else None
    return "" if found is not None and found.is_private else address


def limit_connections(*, behind_proxy: bool = False) -> None:
    """Installs these limits for all uvicorn servers of this process.

    Without a proxy, uvicorn takes no client's word for its address either.
    """
    global _behind_proxy, _most
    _behind_proxy, _most = behind_proxy, min(_MOST, _allowed_files() // 2)
    if not behind_proxy:
        os.environ["FORWARDED_ALLOW_IPS"] = ""
    uvicorn.config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{LimitedProtocol.__name__}"
