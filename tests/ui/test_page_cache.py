"""The page is rendered once for all who get the same one."""

import asyncio

from wire import apart

from ui.server import page_cache
from ui.server.page_cache import PageCache


class App:
    """Counts what it renders; answers with the host that was asked for."""

    def __init__(self, status=200):
        self.n = 0
        self.status = status
        self.queries = []

    async def __call__(self, scope, receive, send):
        self.n += 1
        self.queries.append(scope["query_string"])
        await asyncio.sleep(0)  # others may come meanwhile
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": dict(scope["headers"])[b"host"]})


def ask(cache, *askings):
    """The bodies that these get, all asked at once: (method, path, query, host)."""

    async def one(method, path, query, host):
        sent = []
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query,
            "headers": [(b"host", host)],
        }

        async def send(message):
            sent.append(message)

        await cache(scope, None, send)
        return sent[-1]["body"]

    async def together():
        return await asyncio.gather(*(one(*asking) for asking in askings))

    return apart(lambda: asyncio.run(together()))


def test_a_crowd_gets_one_rendering_and_another_name_one_of_its_own():
    app = App()
    cache = PageCache(app)
    crowd = [
        ("GET", "/", b"tab=start", b"a"),
        ("GET", "/", b"deep_link=7", b"a"),
        ("GET", "/", b"", b"b"),
    ] * 20
    assert ask(cache, *crowd) == [b"a", b"a", b"b"] * 20
    assert app.n == 2 and set(app.queries) == {b""}  # whatever a query says, it is the same page
    assert ask(cache, ("GET", "/config", b"x=1", b"a"), ("GET", "/config", b"", b"a")) == [
        b"a",
        b"a",
    ]
    assert app.n == 3


def test_what_is_no_page_or_no_success_is_never_kept():
    app = App()
    others = [("GET", "/gradio_api/info", b"", b"a"), ("POST", "/", b"", b"a")]
    ask(PageCache(app), *others, *others)
    assert app.n == 4
    failing = App(status=503)
    ask(PageCache(failing), *[("GET", "/", b"", b"a")] * 3)
    assert failing.n == 3


def test_so_many_renderings_are_kept_and_no_more():
    app = App()
    cache = PageCache(app)
    for number in range(100):
        ask(cache, ("GET", "/", b"", b"%d" % number))
    assert len(cache._kept) == len(cache._rendering) == 32
    ask(cache, ("GET", "/", b"", b"99"), ("GET", "/", b"", b"0"))
    assert app.n == 101


def test_the_page_that_was_asked_for_longest_ago_is_rendered_anew():
    app = App()
    cache = PageCache(app)
    hosts = [str(index).encode() for index in range(page_cache._MOST_KEPT + 1)]
    for host in hosts:
        ask(cache, ("GET", "/", b"", host))
    assert app.n == len(hosts)
    ask(cache, ("GET", "/", b"", hosts[-1]), ("GET", "/", b"", hosts[1]))
    assert app.n == len(hosts)
    ask(cache, ("GET", "/", b"", hosts[0]))
    assert app.n == len(hosts) + 1
    ask(cache, ("GET", "/", b"", hosts[1]))  # it was asked for a moment ago
    assert app.n == len(hosts) + 1
    ask(cache, ("GET", "/", b"", hosts[2]))
    assert app.n == len(hosts) + 2


def test_each_name_and_kind_of_connection_gets_its_own_rendering():
    """Behind a proxy the same host may be asked for under several names."""
    app = App()
    cache = PageCache(app)
    sent = [
        {},
        {"x-forwarded-proto": "https"},
        {"x-forwarded-host": "one.example"},
        {"x-forwarded-host": "two.example"},
        {"accept-encoding": "gzip"},
        {"user-agent": "another"},  # of which no rendering depends
    ]
    for headers in sent * 2:
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "query_string": b"",
            "headers": [(b"host", b"a"), *((k.encode(), v.encode()) for k, v in headers.items())],
        }

        async def send(message):
            pass

        apart(lambda scope=scope, send=send: asyncio.run(cache(scope, None, send)))
    assert app.n == len(sent) - 1
