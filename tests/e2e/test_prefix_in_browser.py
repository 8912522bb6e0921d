"""The page behind a proxy that shows it under a path of its site, known to the server or not."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from serving import served_page

PREFIX = "/lens"
_METHODS = ["GET", "HEAD", "POST"]


@contextmanager
def shown_under_prefix(target: str) -> Iterator[tuple[str, list[str]]]:
    """(the address under a proxy's path, what was asked of its site outside that path)."""
    client, outside = httpx.AsyncClient(timeout=None), list[str]()

    async def passed(request: Request) -> Response:
        url = f"{target.rstrip('/')}/{request.path_params['path']}"
        kept = [(name, value) for name, value in request.headers.raw if name != b"accept-encoding"]
        asked = client.build_request(
            request.method, url, params=request.query_params, headers=kept, content=await request.body()
        )
        answer = await client.send(asked, stream=True)
        left_out = {"transfer-encoding", "content-encoding", "content-length"}
        headers = {name: value for name, value in answer.headers.items() if name not in left_out}
        return StreamingResponse(answer.aiter_bytes(), answer.status_code, headers)

    async def missing(request: Request) -> Response:
        outside.append(request.url.path)
        return Response("not here", 404)

    routes = [
        Route(PREFIX + "/{path:path}", passed, methods=_METHODS),
        Route("/{path:path}", missing, methods=_METHODS),
    ]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="error")
    server, sockets = uvicorn.Server(config), [config.bind_socket()]
    thread = threading.Thread(target=server.run, kwargs={"sockets": sockets}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}{PREFIX}/", outside
    server.should_exit = server.force_exit = True
    thread.join()


def test_a_page_under_a_path_that_its_server_does_not_know_says_so(browser, url):
    with shown_under_prefix(url) as (address, outside):
        page = browser.new_page()
        page.goto(address)
        expect(page.get_by_role("alert").first).to_contain_text(f"Start the server with --root-path {PREFIX}.")
        page.close()
        assert outside


def test_with_the_path_it_asks_for_nothing_outside_of_it(browser):
    with served_page(root_path=PREFIX) as server, shown_under_prefix(server) as (address, outside):
        page = browser.new_page()
        page.goto(address)
        expect(page.locator("#start .st-bar").first).to_be_visible()
        page.get_by_role("tab", name="Generate").click()
        page.fill("#prompt textarea", "The cat")
        page.click("#generate")
        expect(page.locator("#stream .ts-prompt")).to_have_text("The cat")
        assert page.get_by_text("--root-path").count() == 0
        page.close()
        assert not [path for path in outside if path != "/favicon.ico"]
