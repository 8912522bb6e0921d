"""Who asks, and what is fair between clients."""

import pytest

from ui.server import connections
from ui.state.clients import Clients, NewcomerShares, of_most
from ui.state.limits import Limits
from ui.state.sessions import SessionStore


@pytest.mark.parametrize(("peer", "forwarded", "client"), [
    ("9.9.9.9", "1.1.1.1", "9.9.9.9"), ("10.0.0.1", "", "10.0.0.1"), ("10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"),
    ("127.0.0.1", "1.1.1.1", "1.1.1.1"), ("", "1.1.1.1", ""),
])  # fmt: skip
def test_a_client_is_its_address_or_what_a_proxy_says_last(peer, forwarded, client):
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    assert Clients(behind_proxy=True).address(headers, peer) == client
    assert Clients().address(headers, peer) == peer  # nobody's word is taken for it


def test_only_a_proxy_s_connections_are_not_counted_by_address(monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    connections.limit_connections()
    assert connections._counted("192.168.1.9") == "192.168.1.9"
    connections.limit_connections(behind_proxy=True)
    assert connections._counted("192.168.1.9") == "" and connections._counted("9.9.9.9") == "9.9.9.9"
    connections.limit_connections()


def test_newcomers_of_one_client_leave_those_of_others_their_share():
    now = [0.0]
    shares = NewcomerShares(1000, burst=30, per_second=3.0, clock=lambda: now[0])
    flood = [shares.let_in(f"a{n}", "attacker") for n in range(200)]
    assert sum(flood) == 30
    assert all(shares.let_in(f"v{n}", f"visitor {n}") for n in range(50))  # each from an address of its own
    assert all(shares.let_in(f"c{n}", "a class") for n in range(4))
    now[0] = 1.0
    assert not shares.let_in("a999", "attacker")  # the share has shrunk
    now[0] = 100.0
    assert shares.let_in("a1000", "attacker")


def test_who_holds_most_sessions_loses_the_oldest_of_them():
    store = SessionStore(Limits(sessions=10))
    store.holder = lambda name: name[0]
    mine = store.get("visitor")
    for n in range(300):
        store.get(f"attacker {n}")
    assert len(store) == 10 and store.get("visitor") is mine


def test_of_several_who_hold_as_much_the_first_gives_way():
    assert of_most(["a1", "b1", "b2", "a2"], lambda one: one[0]) == ["a1", "a2"] and of_most([], str) == []
    assert of_most(["a1", "b1", "b2"], lambda one: one[0]) == ["b1", "b2"]


def test_a_page_belongs_to_the_client_that_was_seen_with_it_last():
    clients = Clients()
    clients.seen("page", "1.1.1.1")
    assert clients.of_page("page") == "1.1.1.1" and clients.of_page("other") == clients.of_page(None) == ""
