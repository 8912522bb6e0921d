"""Connections that say nothing are closed, and one address has so many of them."""

from types import SimpleNamespace

import httpx
import pytest

from ui.server import connections
from ui.server.connections import LimitedProtocol


class Transport:
    def __init__(self, peer):
        self.closed, self._peer = False, peer

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

    now, timers = [0.0], []
    monkeypatch.setattr(connections, "_open", type(connections._open)())
    monkeypatch.setattr(connections.time, "monotonic", lambda: now[0])
    loop = SimpleNamespace(call_later=lambda after, call: timers.append(call) or SimpleNamespace(cancel=lambda: None))

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
    answered, slow = connect.made(), connect.made()
    answered.cycle = SimpleNamespace(response_complete=False, more_body=False)
    slow.cycle = SimpleNamespace(response_complete=False, more_body=True)
    for _ in range(50):
        connect.passes(5)
    assert not answered.transport.closed and slow.transport.closed


@pytest.mark.parametrize("behind_proxy", [True, False])
def test_one_address_has_so_many_connections_and_a_proxy_any(connect, monkeypatch, behind_proxy):
    monkeypatch.setattr(connections, "_behind_proxy", behind_proxy)
    many = [connect.made("9.9.9.9") for _ in range(1003)]
    assert sum(one.transport.closed for one in many) == 3  # it is alone
    private = [connect.made("10.0.0.1") for _ in range(497)]
    assert sum(one.transport.closed for one in private) == 0
    others = [connect.made(f"9.9.9.{n}") for n in range(3)]  # all are in use
    assert all(one.transport.closed for one in others)


def test_the_share_of_an_address_shrinks_as_others_come(connect):
    others = [connect.made(f"9.9.8.{n}") for n in range(4)]
    many = [connect.made("9.9.9.9") for _ in range(260)]
    assert sum(one.transport.closed for one in many) == 4 and not any(one.transport.closed for one in others)
