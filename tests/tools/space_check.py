"""Whether a deployed Space, or any server of this app, does what it should.

    python tests/tools/space_check.py URL

Opens the page, lets the bundled model write, looks at attention and asks from a page of another
site; prints a line for each, and exits with 1 if one failed.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, from anywhere

import httpx
from wire import API, Visitor, visit

PROMPT = "Once upon a time"


async def page_opens(visitor: Visitor) -> str:
    reply = await visitor.client.get("/")
    reply.raise_for_status()
    policy = reply.headers.get("content-security-policy", "")
    assert (
        "frame-ancestors" in policy and reply.headers.get("x-content-type-options") == "nosniff"
    ), "no policy"
    return f"{len(reply.content):,} bytes, {len(visitor.page.components)} components"


async def model_writes(visitor: Visitor) -> str:
    event = visitor.page.event("generate", "click")
    values = visitor.page.values(
        event, {"max-new-tokens": 40, "min-new-tokens": 40, "prompt": PROMPT, "seed": 3}
    )
    began = time.monotonic()
    first = 0.0
    updates = 0
    async for message in visitor.send(event, values):
        if message["msg"] == "process_generating":
            updates += 1
            first = first or time.monotonic() - began
        if message["msg"] == "process_completed":
            assert message["success"], message["output"]
    assert updates > 1, (
        "the text came in one piece: something between here and the server buffers streams"
    )
    return (
        f"40 tokens in {time.monotonic() - began:.1f} s, the first after {first:.1f} s, {updates} "
        "updates"
    )


async def attention_is_drawn(visitor: Visitor) -> str:
    event = visitor.page.event("attention", "ask")
    async for message in visitor.send(
        event, visitor.page.values(event, {"attention-text": "the cat and the cat"})
    ):
        if message["msg"] == "process_completed":
            assert message["success"], message["output"]
            return f"{len(json.dumps(message['output'])):,} bytes"
    raise AssertionError("the stream ended without an answer")


async def bad_input_is_explained(visitor: Visitor) -> str:
    event = visitor.page.event("generate", "click")
    async for message in visitor.send(event, visitor.page.values(event, {"prompt": "", "seed": 1})):
        if message["msg"] == "process_completed":
            said = json.dumps(message["output"])
            assert "prompt is empty" in said, said[:300]
            return "the sentence came"
    raise AssertionError("the stream ended without an answer")


async def other_sites_are_refused(visitor: Visitor) -> str:
    body = {"data": [], "fn_index": 0, "session_hash": visitor.session}
    reply = await visitor.client.post(
        f"{API}/queue/join", json=body, headers={"origin": "https://example.org"}
    )
    assert reply.status_code == 403, f"answered with {reply.status_code}"
    return "403"


CHECKS: dict[str, Callable[[Visitor], Awaitable[str]]] = {
    "the page opens": page_opens,
    "the bundled model writes": model_writes,
    "attention is drawn": attention_is_drawn,
    "bad input is explained": bad_input_is_explained,
    "pages of other sites are refused": other_sites_are_refused,
}


async def check(address: str) -> bool:
    """Whether all is well."""
    well = True
    async with httpx.AsyncClient(base_url=address, timeout=120, follow_redirects=True) as client:
        try:
            visitor = await visit(client)
        except httpx.HTTPError as error:
            print(
                f"{address} does not answer as the app does ({error!r}). Is the Space running, "
                "and public?"
            )
            return False
        for name, work in CHECKS.items():
            try:
                said = f"ok      {await work(visitor)}"
            except (AssertionError, httpx.HTTPError, KeyError, StopIteration) as error:
                said = f"FAILED  {error!r}"
                well = False
            print(f"{name:<34}{said}", flush=True)
    return well


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url", help="such as https://name-gpt-lens.hf.space")
    return 0 if asyncio.run(check(parser.parse_args().url.rstrip("/"))) else 1


if __name__ == "__main__":
    raise SystemExit(main())
