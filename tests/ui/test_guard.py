"""Who may ask the server and for what: hosts, origins, JSON, newcomers, addresses; and what
browsers are told.
"""

import inspect
import json
import re
from collections import Counter
from inspect import Parameter
from pathlib import Path

import gradio as gr
import httpx
import pytest
from gradio.routes import App
from wire import answered as asked

from serving import served_page
from ui.server import open_routes
from ui.server.middleware import GuardMiddleware
from ui.server.open_routes import Known
from ui.server.options import ServerOptions
from ui.state.clients import Clients, NewcomerShares

ASK = "/gradio_api/component_server"


async def inner(scope, receive, send):
    """An app that answers with what it was sent."""
    body = b""
    more = scope["method"] == "POST"
    while more:
        message = await receive()
        body = body + message["body"]
        more = message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def guard(hosts=(), **newcomers) -> GuardMiddleware:
    return GuardMiddleware(inner, NewcomerShares(100, **newcomers), ServerOptions(hosts=hosts))


@pytest.mark.parametrize(
    ("host", "hosts", "status"),
    [
        ("127.0.0.1:7860", (), 200),
        ("localhost:7860", (), 200),
        ("[::1]:7860", (), 200),
        ("192.168.1.7", (), 200),
        ("evil.example", (), 403),
        ("127.0.0.1.evil.example", (), 403),
        ("", (), 403),
        ("[", (), 403),
        ("lens.example.org", ("Lens.Example.org",), 200),
        ("anything", ("*",), 200),
    ],
)
def test_only_its_own_names_and_addresses_are_answered(host, hosts, status):
    found, _, said = asked(guard(hosts), host=host)
    assert found == status and (status == 200 or b"Start it with --allow-host" in said)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://127.0.0.1:7860"}, 200),
        ({"origin": "http://localhost:7860"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://["}, 403),
        # a page may send that
        ({"origin": "https://lens.example.org", "x_forwarded_host": "lens.example.org"}, 403),
        # Another port of this machine.
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://localhost:9999"}, 403),
        ({"origin": "http://127.0.0.1"}, 403),
        ({"origin": "https://127.0.0.1:7860"}, 200),
    ],
)
def test_pages_of_other_sites_may_not_ask(headers, status):
    for path in ("/gradio_api/upload", ASK):
        body = b'{"session_hash": "a"}'
        found, _, said = asked(
            guard(), path, "POST", body, content_type="application/json", **headers
        )
        assert found == status and (
            said == body if status == 200 else b"may not call this server" in said
        )
    proxied = {"content_type": "application/json", "origin": "https://lens.example.org"}
    known = asked(guard(["lens.example.org"]), ASK, "POST", b"{}", **proxied)
    assert known[0] == 200  # behind a proxy, which calls this server by an address
    assert asked(guard(), **headers)[0] == 200  # a link from elsewhere opens the page


def test_json_may_name_its_characters_an_address_ends_in_a_slash_and_uploads_are_no_json():
    for path in (ASK, ASK + "/"):
        assert (
            asked(guard(), path, "POST", b"{}", content_type="application/json; charset=utf-8")[0]
            == 200
        )
    assert (
        asked(guard(), "/gradio_api/upload", "POST", b"file", content_type="multipart/form-data")[0]
        == 200
    )


def test_newcomers_are_let_in_at_a_pace_and_those_inside_always():
    now = [0.0]
    newcomers = NewcomerShares(6, burst=3, per_second=2.0, clock=lambda: now[0])
    assert [newcomers.let_in(name) for name in "abcda"] == [True, True, True, False, True]
    now[0] = 1.0
    assert [newcomers.let_in(name) for name in "defb"] == [True, True, False, True]
    now[0] = 100.0
    # no more than a burst at once
    assert [newcomers.let_in(name) for name in "ghij"] == [True, True, True, False]
    assert not newcomers.let_in("c")  # forgotten, as its state is


def test_a_flood_of_newcomers_is_told_to_wait():
    guarded = guard(burst=2, per_second=1.0, clock=lambda: 0.0)

    def come(visitor):
        return asked(
            guarded, ASK, "POST", json.dumps(visitor).encode(), content_type="application/json"
        )

    assert (
        come({"session_hash": "a"})[0] == 200
        and come({})[0] == 200
        and come({"session_hash": "a"})[0] == 200
    )
    for stranger in ({"session_hash": "b"}, {"session_hash": 7}, {}, [], None, "a"):
        status, _, said = come(stranger)
        assert status == 429 and b"Wait a few seconds" in said
    assert asked(guarded)[0] == 200


def test_browsers_are_told_what_the_page_may_do_and_which_sites_may_show_it_in_a_frame():
    for path, host in (("/", "127.0.0.1"), ("/", "evil.example")):
        _, headers, _ = asked(guard(), path, host=host)
        assert (
            headers[b"x-content-type-options"] == b"nosniff"
            and headers[b"referrer-policy"] == b"same-origin"
        )
        policy = headers[b"content-security-policy"].decode()
        assert "default-src 'self'" in policy and policy.endswith("frame-ancestors 'self'")
        assert b"link" not in headers
    linking = GuardMiddleware(inner, NewcomerShares(100), link="<a.css>; rel=preload")
    assert (
        asked(linking, "/")[1][b"link"] == b"<a.css>; rel=preload"
        and b"link" not in asked(linking, "/config")[1]
    )
    framing = GuardMiddleware(
        inner, NewcomerShares(100), ServerOptions(frames=["https://course.example.org"])
    )
    policy = asked(framing)[1][b"content-security-policy"].decode()
    assert policy.endswith("frame-ancestors 'self' https://course.example.org")


def paged():
    """The guard of a page that has these events, components and endpoints."""
    return GuardMiddleware(inner, NewcomerShares(100), page=PAGE)


def posted(guarded, value, path="/gradio_api/queue/join", **headers):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return asked(guarded, path, "POST", body, content_type="application/json", **headers)


def test_what_may_be_megabytes_is_an_event_with_a_field_for_them_or_the_endpoint_of_runs():
    def named(text: str) -> str:
        return text

    with gr.Blocks() as page:
        large, small = (gr.Textbox(elem_id=name) for name in ("large", "small"))
        small.change(lambda text: text, small, api_name="first")
        small.change(lambda *_: None, [small, large], api_name="second")
        for name in ("train", "generate"):
            gr.api(named, api_name=name)
    found = open_routes.known(page, frozenset({"large"}))
    names = {page.fns[number].api_name for number in found.texts}
    assert names == {"second", "train"}


PAGE = Known(
    dict.fromkeys(range(10), 1), frozenset({5}),
    {"generate": {"prompt": Parameter.empty, "n": 50}, "train": {"action": "start"}},
    frozenset({7}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("/gradio_api/run/nothing", {}, "endpoint 'nothing'"),
        ("/gradio_api/call/nothing", {}, "endpoint 'nothing'"),
        ("/gradio_api/api/nothing/", {}, "endpoint 'nothing'"),
        ("/gradio_api/queue/join", {"fn_index": 99}, "event 99"),
        ("/gradio_api/run/predict", {"fn_index": -1}, "event -1"),
        (ASK, {"component_id": 4}, "component 4"),
        (ASK, {"component_id": ["x" * 99]}, "component ['xxx"),
        ("/gradio_api/run/predict", {}, "endpoint 'predict'"),
    ],
)
def test_what_the_page_has_not_is_said(path, value, said):
    status, _, sentence = posted(paged(), value, path)
    assert status == 404 and f"There is no {said}" in sentence.decode() and len(sentence) < 200


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/gradio_api/call/train", {}),
        ("/gradio_api/queue/join", {"fn_index": 3, "data": [1]}),
        (ASK, {"component_id": 5}),
        ("/gradio_api/run/predict", {"fn_index": 3, "data": [1]}),
        ("/gradio_api/queue/join", {}),
        ("/gradio_api/cancel", {"fn_index": 3}),
        ("/gradio_api/call/generate", {"data": ["Once"]}),
        ("/gradio_api/call/v2/generate", {"prompt": "Once"}),
    ],
)
def test_what_the_page_has_passes(path, value):
    assert posted(paged(), value, path)[0] == 200


@pytest.mark.parametrize("name", ["x" * 65, "x" * 40_000, ""])
def test_a_session_s_name_is_short(name):
    assert posted(guard(), {"session_hash": name})[0] == 400
    status, _, said = asked(guard(), "/gradio_api/queue/data", query=f"session_hash={name[:200]}")
    assert status == 400 and b"1 to 64 characters" in said


def test_an_event_is_small_but_for_those_that_take_a_text():
    guarded = paged()
    large = {"session_hash": "a", "data": ["x" * (2 << 20)]}
    assert posted(guarded, {**large, "fn_index": 3})[0] == posted(guarded, large)[0] == 413
    assert posted(guarded, {**large, "fn_index": 7})[0] == 200
    assert posted(guarded, {"data": large["data"]}, "/gradio_api/call/train")[0] == 200
    assert posted(guarded, {**large, "component_id": 5}, ASK)[0] == 200
    assert posted(guarded, {"data": ["x" * (5 << 20)]}, ASK)[0] == 413


def test_half_of_a_surrogate_pair_is_refused_and_a_whole_one_passes():
    guarded = paged()
    for half in (rb"\ud800", rb"\uD83D", rb"\uDFFF"):
        body = b'{"session_hash": "a", "fn_index": 7, "data": ["a ' + half + b'"]}'
        status, _, said = posted(guarded, body)
        assert status == 400 and b"half of a surrogate pair" in said
    assert (
        posted(
            guarded, {"session_hash": "a", "fn_index": 7, "data": ["\U0001f600 \\ud800 in letters"]}
        )[0]
        == 200
    )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("queue/join", {"fn_index": 3, "data": [1, 2]}, "takes 1 values in a list; 2 came"),
        ("run/predict", {"fn_index": 3, "data": [1, 2]}, "takes 1 values in a list; 2 came"),
        (
            "queue/join",
            {"fn_index": "3", "data": [1]},
            "The event is '3'; it must be a whole number",
        ),
        ("queue/join", {"fn_index": True, "data": [1]}, "The event is 'True'"),
        ("call/v2/generate", {"x" * 60_000: 1}, "generate has no 'xxx"),
        ("queue/join", {"fn_index": 3, "data": 7}, "none came"),
        ("call/generate", {}, "generate needs prompt"),
        ("call/generate", {"promt": "a"}, "generate has no 'promt'; did you mean 'prompt'?"),
        ("call/generate", {"prompt": "a"}, "takes its values as a list"),
        ("call/generate", {"data": ["a", 1, 2]}, "takes 2 values at most (prompt, n); these are 3"),
        ("call/generate", {"data": {"prompt": "a"}}, "takes its values as a list"),
        ("call/generate", [], "generate takes a JSON object"),
        ("call/v2/generate", {"promt": "a"}, "generate has no 'promt'; did you mean 'prompt'?"),
        ("call/v2/generate", {"n": 3}, "generate needs prompt"),
        ("call/v2/train", {"zzz": 1}, "It takes action."),
    ],
)
def test_values_that_do_not_fit_are_a_sentence(path, value, said):
    status, _, sentence = posted(paged(), value, f"/gradio_api/{path}")
    assert status == 400 and said in sentence.decode()


def test_what_a_program_leaves_out_has_its_default():
    status, _, body = posted(paged(), {"data": ["Once"]}, "/gradio_api/call/generate")
    assert status == 200 and json.loads(body) == {"data": ["Once", 50]}


def test_bodies_that_are_read_at_once_have_a_limit_together_and_a_share_for_each_client():
    guarded = guard()
    guarded._held["another"] = 64 << 20  # who holds all that one may takes nothing from others
    assert posted(guarded, {"session_hash": "a"})[0] == 200
    mine = ""  # the address of a request without one
    guarded._held[mine] = 64 << 20
    status, _, said = posted(guarded, {"session_hash": "a"})
    assert status == 503 and b"large requests" in said and guarded._held[mine] == 64 << 20
    # a share shrinks as more come
    guarded._held = Counter({f"client {n}": 1 for n in range(15)} | {mine: 8 << 20})
    assert posted(guarded, {"session_hash": "a"})[0] == 503


def test_addresses_are_short_without_zero_bytes_and_there_are_routes_of_every_kind():
    assert asked(guard(), "/" + "x" * 9000)[0] == 414 and asked(guard(), "/a\0b")[0] == 400
    assert len(ROUTES) > 60 and {"GET", "HEAD", "POST"} <= {method for method, _ in ROUTES}


@pytest.mark.parametrize(
    ("header", "value", "reaches"),
    [
        ("x_forwarded_host", "evil.example", None),
        ("x_forwarded_host", "lens.example.org", b"lens.example.org"),
        ("x_forwarded_host", "lens.example.org, 10.0.0.1", b"lens.example.org"),
        ("x_forwarded_host", "evil.example, lens.example.org", None),
        ("x_forwarded_proto", "https", b"https"),
        ("x_forwarded_proto", "https,http", b"https"),
        ("x_forwarded_proto", "javascript", None),
        ("x_gradio_server", "http://lens.example.org", None),
        ("x_gradio_of_tomorrow", "a", None),
    ],
)
def test_of_what_a_proxy_says_the_first_proxy_s_word_reaches_the_app_if_it_can_be_right(
    header, value, reaches
):
    seen = {}

    async def app(scope, receive, send):
        seen.update(scope["headers"])
        await inner(scope, receive, send)

    asked(
        GuardMiddleware(app, NewcomerShares(100), ServerOptions(hosts=["lens.example.org"])),
        **{header: value},
    )
    assert seen.get(header.replace("_", "-").encode()) == reaches


def test_who_listens_is_known_for_as_long_as_the_answer_is_open():
    listeners = Counter()
    during = []

    async def app(scope, receive, send):
        during.append(("a" in listeners, "e1" in listeners))
        await inner(scope, receive, send)

    clients = Clients()
    guarded = GuardMiddleware(app, NewcomerShares(100), listeners=listeners, clients=clients)
    status, _, said = asked(guarded, "/gradio_api/queue/data", query="session_hash=a")
    assert status == 404 and b"Reload the page" in said  # it has asked nothing
    clients.seen("a", "127.0.0.1")
    asked(guarded, "/gradio_api/queue/data", query="session_hash=a")
    asked(guarded, "/gradio_api/call/generate/e1")
    assert during == [(True, False), (False, True)] and len(listeners) == 0


@pytest.mark.parametrize(
    "path", ["http://127.0.0.1:9/secret", "https://example.org/a.zip", "//example.org/a", "ftp://a"]
)
def test_a_file_from_another_address_is_not_fetched(path):
    status, _, said = posted(
        guard(), {"data": [{"path": path, "meta": {"_type": "gradio.FileData"}}]}
    )
    assert status == 400 and b"does not fetch files from other addresses" in said
    escaped = (
        json.dumps({"data": [[{"path": path}]]})
        .replace("path", "p\\u0061th")
        .replace("http", "\\u0068ttp")
    )
    assert posted(guard(), escaped.encode())[0] == 400
    assert (
        posted(guard(), {"data": [{"path": "/tmp/a.zip"}, f'a text with "path": "{path}" in it']})[
            0
        ]
        == 200
    )


CLOSED = (
    "vibe",
    "monitoring",
    "reload",
    "proxy",
    "stream",
    "recording",
    "history",
    "deep_link",
    "login",
    "custom",
)
JSON = "application/json"
# Bodies of too many parts, that are no JSON, of another kind, or too large.
REFUSED = (
    *((b"[" + part * 60_000 + b"1]", JSON, 413) for part in (b"[],", b"{},", b"1,", b'"",')),
    *(
        (body, JSON, 400)
        for body in (b"NaN", b'{"a": [-Infinity]}', b"\xff\xfe", b'{"a": ["\xff"]}', b"{", b"")
    ),
    (b"{}", "text/plain", 415),
    (b"{}", "multipart/form-data; boundary=x", 415),
    (b" " * (49 << 20), JSON, 413),
)


def routes() -> dict[tuple[str, str], bool]:
    """(method, path) of all, with something in the place of each parameter; whether a route takes a
    session's name.
    """
    with gr.Blocks() as page:
        gr.HTML()
    served = App.create_app(page)
    found = {}
    for route in served.routes:
        for item in route.original_router.routes if hasattr(route, "original_router") else [route]:
            path = re.sub(r"\{\w+(:path)?\}", "x", getattr(item, "path", ""))
            takes = (
                "session_hash"
                in inspect.signature(getattr(item, "endpoint", lambda: None)).parameters
            )
            found |= {(method, path): takes for method in getattr(item, "methods", None) or ()}
    return dict(sorted(found.items()))


ROUTES = routes()
OPEN = [
    route
    for route in ROUTES
    if open_routes.is_open(*route) and not route[1].startswith(open_routes.UPLOAD)
]
LISTENED = [path for method, path in OPEN if method == "GET" and ROUTES[method, path]]


@pytest.mark.parametrize("path", [path for method, path in OPEN if method == "POST"])
def test_a_session_is_acted_in_by_the_page_that_opened_it_alone(path):
    """The name of a session stands in addresses; the key of its page does not."""
    guarded = guard()
    name = {"session_hash": "x"}
    query = "session_hash=x"
    assert posted(guarded, name, path, x_lens_page="key")[0] == 200
    assert len(LISTENED) >= 2
    for other in ({}, {"x_lens_page": "another"}, {"x_lens_page": ""}, {"x_lens_page": "k\xe9y"}):
        status, _, said = posted(guarded, name, path, **other)
        assert status == 403 and b"belongs to another page" in said
        assert {asked(guarded, listened, query=query, **other)[0] for listened in LISTENED} == {403}
    assert {
        asked(guarded, listened, query=query, x_lens_page="key")[0] for listened in LISTENED
    } == {200}
    program = {"session_hash": "b"}  # it has no key, and once it has one, it needs it
    assert [
        posted(guarded, program, path, **key)[0] for key in ({}, {}, {"x_lens_page": "key"}, {})
    ] == [200, 200, 200, 403]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_is_closed_or_has_the_limits(method, path):
    """Nothing of REFUSED reaches Gradio at any address."""
    if not open_routes.is_open(method, path):
        status, _, said = asked(guard(), path, method, b"{}", content_type=JSON)
        assert status == 404 and b"nothing at this address" in said
        return
    assert not any(word in path for word in CLOSED if word != "login" or "login_check" not in path)
    if method == "POST" and not path.startswith(open_routes.UPLOAD):
        for body, kind, expected in REFUSED:
            assert asked(guard(), path, "POST", body, content_type=kind)[0] == expected, body[:20]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"])
def test_no_other_method_is_open(method):
    assert not any(open_routes.is_open(method, path) for _, path in ROUTES)


# Every header that Gradio's source, or ours, reads by name.
_READ = re.compile(
    r"""(?:headers(?:\.get\(|\[)|get_first_header_value\(request, )["']([A-Za-z-]+)["']"""
)


def headers_that_are_read() -> list[str]:
    sources = [*Path(gr.__file__).parent.rglob("*.py")]
    names = {
        name.lower() for file in sources for name in _READ.findall(file.read_text(encoding="utf-8"))
    }
    return sorted(names - {"host", "content-length", "transfer-encoding"})


@pytest.fixture(scope="module")
def served():
    with served_page() as address:
        yield address


@pytest.mark.parametrize("path", ["", "config", "theme.css"])
@pytest.mark.parametrize("header", headers_that_are_read())
def test_what_one_visitor_says_of_itself_changes_nothing_for_the_next(served, header, path):
    """Each header that Gradio reads, and some that it may read one day, with another server's
    address in it.
    """
    # one client, since each loads certificates anew; no visitor keeps the cookie of another
    with httpx.Client(base_url=served, verify=False) as client:

        def answer(**headers: str) -> str:
            client.cookies.clear()
            return client.get(path, headers=headers).text

        before = answer()
        for evil in ("http://evil.example", "evil.example", "https", "no-cache, evil"):
            assert "evil" not in answer(**{header: evil})
            assert answer() == before


def test_the_headers_that_gradio_derives_addresses_from_are_among_them():
    assert {"x-gradio-server", "x-forwarded-host", "x-forwarded-proto", "origin"} <= set(
        headers_that_are_read()
    )


@pytest.mark.parametrize("path", ["", "config", "gradio_api/info"])
def test_pages_of_other_sites_may_not_read_any_answer(served, path):
    for origin, may_read in (
        ("http://evil.example", False),
        ("null", False),
        (served.rstrip("/"), True),
    ):
        told = httpx.get(served + path, headers={"origin": origin}).headers
        assert ("access-control-allow-origin" in told) <= may_read, origin


def test_a_number_that_is_infinite_is_refused_as_infinity_is():
    for number in ("1e999", "-1e999", "Infinity"):
        body = b'{"data": [' + number.encode() + b"]}"
        assert (
            asked(guard(), "/gradio_api/queue/join", "POST", body, content_type="application/json")[
                0
            ]
            == 400
        )


def test_a_session_that_has_asked_nothing_is_a_sentence_without_a_traceback(served, caplog):
    told = httpx.get(f"{served}gradio_api/queue/data?session_hash=never-seen")
    assert told.status_code == 404 and "knows no page of this session" in told.text
    assert "Traceback" not in caplog.text


def test_encodings_are_one_of_three(served):
    compressed = {
        "gzip;q=0.1, x1": True,
        "br;q=0.9, gzip": True,
        "zstd, br, gzip, x2": True,
        "deflate": False,
    }
    for accepted, is_compressed in {
        **compressed,
        "*;q=0": False,
        "gzip;q=0": False,
        "": False,
    }.items():
        told = httpx.get(served, headers={"accept-encoding": accepted})
        assert (
            told.headers.get("content-encoding") == ("gzip" if is_compressed else None)
            and "GPT Lens" in told.text
        )
