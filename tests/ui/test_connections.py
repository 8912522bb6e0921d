"""Connections that say nothing are closed; who asks, and what is fair between clients."""

from types import SimpleNamespace

import httpx
import pytest

from ui.server import connections
from ui.server.connections import LimitedProtocol
from ui.state.clients import Clients, NewcomerShares, of_most
from ui.state.limits import Limits
from ui.state.sessions import SessionStore


class Transport:
    def __init__(self, peer):
        self.closed = False
        self._peer = peer

    def get_extra_info(self, name, default=None):
        return {"peername": (self._peer, 1), "sockname": ("127.0.0.1", 7860)}.get(name, default)

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed


@pytest.fixture
def connect(monkeypatch):
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    now = [0.0]
    timers = []
    monkeypatch.setattr(connections, "_open", type(connections._open)())
    monkeypatch.setattr(connections.time, "monotonic", lambda: now[0])
    loop = SimpleNamespace(
        call_later=lambda after, call: timers.append(call) or SimpleNamespace(cancel=lambda: None)
    )

    def made(peer="9.9.9.9"):
        protocol = LimitedProtocol(Config(lambda: None, http="h11"), ServerState(), {}, _loop=loop)
        protocol.connection_made(Transport(peer))
        return protocol

    def passes(seconds):
        now[0] += seconds
        due, timers[:] = list(timers), []
        for call in due:
            call()

    return SimpleNamespace(made=made, passes=passes)


def test_a_connection_that_says_nothing_is_closed(connect):
    one = connect.made()
    connect.passes(15)
    assert not one.transport.closed
    connect.passes(10)
    assert one.transport.closed


def test_a_connection_is_kept_for_longer_than_programs_use_it_again(connect):
    expiry = httpx.Limits().keepalive_expiry
    assert expiry and connect.made().timeout_keep_alive >= 2 * expiry


def test_what_is_being_answered_may_take_its_time_and_a_slow_body_may_not(connect):
    answered = connect.made()
    slow = connect.made()
    answered.cycle = SimpleNamespace(response_complete=False, more_body=False)
    slow.cycle = SimpleNamespace(response_complete=False, more_body=True)
    for _ in range(50):
        connect.passes(5)
    assert not answered.transport.closed and slow.transport.closed


@pytest.mark.parametrize("behind_proxy", [True, False])
def test_one_address_has_so_many_connections_and_a_proxy_any(connect, monkeypatch, behind_proxy):
    monkeypatch.setattr(connections, "_behind_proxy", behind_proxy)
    many = [connect.made("9.9.9.9") for _ in range(1003)]
    assert sum(item.transport.closed for item in many) == 3  # it is alone
    private = [connect.made("10.0.0.1") for _ in range(497)]
    assert sum(item.transport.closed for item in private) == 0
    others = [connect.made(f"9.9.9.{n}") for n in range(3)]  # all are in use
    assert all(other.transport.closed for other in others)


def test_the_share_of_an_address_shrinks_as_others_come(connect):
    others = [connect.made(f"9.9.8.{n}") for n in range(4)]
    many = [connect.made("9.9.9.9") for _ in range(260)]
    assert sum(item.transport.closed for item in many) == 4 and not any(
        other.transport.closed for other in others
    )


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("9.9.9.9", "1.1.1.1", "9.9.9.9"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        ("127.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("", "1.1.1.1", ""),
    ],
)
def test_a_client_is_its_address_or_what_a_proxy_says_last(peer, forwarded, client):
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    assert Clients(behind_proxy=True).address(headers, peer) == client
    assert Clients().address(headers, peer) == peer  # nobody's word is taken for it


def test_only_a_proxy_s_connections_are_not_counted_by_address(monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    connections.limit_connections()
    assert connections._counted("192.168.1.9") == "192.168.1.9"
    connections.limit_connections(behind_proxy=True)
    assert (
        connections._counted("192.168.1.9") == "" and connections._counted("9.9.9.9") == "9.9.9.9"
    )
    connections.limit_connections()


def test_newcomers_of_one_client_leave_those_of_others_their_share():
    now = [0.0]
    shares = NewcomerShares(1000, burst=30, per_second=3.0, clock=lambda: now[0])
    flood = [shares.let_in(f"a{n}", "attacker") for n in range(200)]
    assert sum(flood) == 30
    # each from an address of its own
    assert all(shares.let_in(f"v{n}", f"visitor {n}") for n in range(50))
    assert all(shares.let_in(f"c{n}", "a class") for n in range(4))
    now[0] = 1.0
    assert not shares.let_in("a999", "attacker")  # the share has shrunk
    now[0] = 100.0
    assert shares.let_in("a1000", "attacker")


def test_who_holds_most_sessions_loses_the_oldest_and_of_several_the_first_gives_way():
    store = SessionStore(Limits(sessions=10))
    store.holder = lambda name: name[0]
    mine = store.get("visitor")
    for n in range(300):
        store.get(f"attacker {n}")
    assert len(store) == 10 and store.get("visitor") is mine
    assert (
        of_most(["a1", "b1", "b2", "a2"], lambda item: item[0]) == ["a1", "a2"]
        and of_most([], str) == []
    )
    assert of_most(["a1", "b1", "b2"], lambda item: item[0]) == ["b1", "b2"]


def test_a_page_belongs_to_the_client_that_was_seen_with_it_last():
    clients = Clients()
    clients.seen("page", "1.1.1.1")
    assert (
        clients.of_page("page") == "1.1.1.1"
        and clients.of_page("other") == clients.of_page(None) == ""
    )


def test_the_texts_of_the_last_pages_are_kept_for_a_reload():
    now = [0.0]
    store = SessionStore(Limits(), clock=lambda: now[0])
    visits = [f"a browser tab of number {number}" for number in range(52)]

    def closes(name):
        store.resume(name, name)
        store.forget(name)
        now[0] += 1.0

    for visit in visits:
        closes(visit)
    assert list(store._left) == visits[2:]  # the last fifty, the oldest first
    assert store.resume("again", visits[0]) is None
    assert store.resume("again", visits[2]) is not None
    now[0] = 300.0 + 50  # five minutes after the page of the second 50 was closed
    closes("another browser tab")
    assert list(store._left) == [*visits[50:], "another browser tab"]


def test_a_connection_that_has_ended_makes_room(connect):
    for _ in range(3):
        some = [connect.made("9.9.9.9") for _ in range(1000)]
        assert not any(item.transport.closed for item in some)
        for item in some:
            item.connection_lost(None)
        assert not connections._open


NONE = -1  # no limit, as the system says it


@pytest.mark.parametrize(
    ("soft", "hard", "asked", "allowed"),
    [
        (1_024, 4_096, (4_096, 4_096), 4_096),
        (4_096, 4_096, None, 4_096),
        (1_024, 10**9, (connections._FILES, 10**9), connections._FILES),
        (1_024, NONE, (connections._FILES, NONE), connections._FILES),
        (NONE, NONE, None, connections._FILES),
        (NONE, 10**9, None, connections._FILES),
    ],
)
def test_as_many_files_are_asked_for_as_the_system_allows(monkeypatch, soft, hard, asked, allowed):
    given = []
    system = SimpleNamespace(
        RLIM_INFINITY=NONE,
        RLIMIT_NOFILE="files",
        getrlimit=lambda which: (soft, hard) if which == "files" else None,
        setrlimit=lambda which, limits: given.append(limits),
    )
    monkeypatch.setattr(connections, "resource", system)
    assert connections._allowed_files() == allowed
    assert given == ([] if asked is None else [asked])
    monkeypatch.setattr(connections, "resource", None)  # not on Windows
    assert connections._allowed_files() == connections._FILES
