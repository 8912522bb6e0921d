"""Who asks: the address of a client, which client each page belongs to, and fair shares between
clients.
"""

import ipaddress
import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
_MOST_PAGES = 5_000  # whose client is remembered
_MOST_CLIENTS = 2_000  # with a share of newcomers
_LATELY = 60.0  # seconds for which a client counts among those that share
_LEAST_SHARE = 4  # newcomers at once, however many clients there are
# The client of the request that is being answered; "" outside one.
asking: ContextVar[str] = ContextVar("asking", default="")


def ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """A host as an IP address, which may stand in brackets; None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether nobody else can reach a server that listens there."""
    return host == "localhost" or ((found := ip(host)) is not None and found.is_loopback)


def let_go(held: Counter[str], name: str, n: int = 1) -> None:
    """Decrements a client's count by `n`; removes the entry at 0."""
    held[name] -= n
    if held[name] <= 0:
        del held[name]


def of_most(items: Iterable[T], holder: Callable[[T], str]) -> list[T]:
    """The items of the client that holds most of them, in their order; of several, the client of
    the first item.
    """
    held: dict[str, list[T]] = {}
    for item in items:
        held.setdefault(holder(item), []).append(item)
    return max(held.values(), key=len, default=[])


class Clients:
    """The addresses behind the pages of a server.

    Args:
        behind_proxy: whether a peer of a private address is a proxy, whose X-Forwarded-For counts;
            else anybody could write one.
    """

    def __init__(self, *, behind_proxy: bool = False) -> None:
        self.behind_proxy = behind_proxy
        self._of_page: OrderedDict[str, tuple[str, str]] = OrderedDict()  # (address, key)
        self._lock = threading.Lock()

    def address(self, headers: Mapping[str, str], peer: str) -> str:
        """The client of a request: its peer, or the last entry that a proxy added to
        X-Forwarded-For.
        """
        found = ip(peer) if self.behind_proxy else None
        is_proxy = found is not None and found.is_private
        forwarded = (
            headers.get("x-forwarded-for", "").rpartition(",")[2].strip() if is_proxy else ""
        )
        return forwarded or peer

    def seen(self, page: str, client: str, key: str = "") -> None:
        """Remembers whose page it is.

        Args:
            page: name of its session, which others may learn.
            client: its address.
            key: of the browser that opened it, which nobody else knows; "" for a program.
        """
        with self._lock:
            self._of_page[page] = client, key
            self._of_page.move_to_end(page)
            if len(self._of_page) > _MOST_PAGES:
                self._of_page.popitem(last=False)

    def of_page(self, page: str | None) -> str:
        """The client of a page; "" for one that is not known."""
        with self._lock:
            return self._of_page.get(page or "", ("", ""))[0]

    def knows(self, page: str) -> bool:
        """Tells whether this page has asked something."""
        with self._lock:
            return page in self._of_page

    def is_page_of(self, page: str, key: str) -> bool:
        """Tells whether a page is not known yet, has no key, as a program's, or has this one."""
        with self._lock:
            _, known = self._of_page.get(page, ("", ""))
        return not known or secrets.compare_digest(known.encode(), key.encode())


class NewcomerShares:
    """Token buckets for new visitors: each takes memory, and a client's share shrinks as more
    clients come.

    Args:
        known: visitors remembered, as many as the page's states.
        burst: newcomers at once.
        per_second: newcomers after that.
        clock: seconds.
    """

    def __init__(
        self,
        known: int,
        *,
        burst: int = 150,
        per_second: float = 20.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._known: OrderedDict[str, None] = OrderedDict()
        self._most = known
        self._burst = burst
        self._rate = per_second
        self._clock = clock
        # By client: newcomers that are not made up for yet, and when.
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def let_in(self, visitor: str, client: str = "") -> bool:
        """Whether to admit a visitor of a client; known ones are always admitted."""
        if visitor in self._known:
            self._known.move_to_end(visitor)
            return True
        now = self._clock()
        others = sum(now - at < _LATELY for name, (_, at) in self._used.items() if name != client)
        lately = 1 + others
        used, at = self._used.get(client, (0.0, now))
        used = max(0.0, used - (now - at) * self._rate / lately)
        if used + 1 > max(min(_LEAST_SHARE, self._burst), self._burst / lately):
            self._used[client] = used, now
            return False
        self._used[client] = used + 1, now
        self._used.move_to_end(client)
        if len(self._used) > _MOST_CLIENTS:
            self._used.popitem(last=False)
        self._known[visitor] = None
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return True
