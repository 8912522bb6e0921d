"""A server that ends closes each answer that is under way, and refuses what has none yet."""

import asyncio

import pytest
from wire import apart

from ui.server.ending import EndingMiddleware, OpenRequests

START = {"type": "http.response.start", "status": 200, "headers": []}


def body(text, more):
    return {"type": "http.response.body", "body": text, "more_body": more}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], "refused"),
        ([START], [body(b"", False)]),
        ([START, body(b"a", True)], [body(b"", False)]),
        ([START, body(b"a", False)], []),  # it was whole
    ],
)
def test_an_answer_that_is_cut_off_gets_its_end(before, after):
    requests = OpenRequests()
    sent = []

    async def answer(scope, receive, send):
        for message in before:
            await send(message)
        requests.ending = True
        raise asyncio.CancelledError

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET"}
    apart(lambda: asyncio.run(EndingMiddleware(answer, requests)(scope, None, send)))
    if after == "refused":
        assert sent[0]["status"] == 503 and b"send it again" in sent[1]["body"]
    else:
        assert sent == [*before, *after]
    assert not requests.tasks


def test_what_is_cut_off_by_anything_else_is_no_matter_of_the_ending():
    async def answer(scope, receive, send):
        raise asyncio.CancelledError

    scope = {"type": "http", "method": "GET"}
    with pytest.raises(asyncio.CancelledError):
        apart(lambda: asyncio.run(EndingMiddleware(answer, OpenRequests())(scope, None, None)))
