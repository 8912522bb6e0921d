"""Bad values for everything that the server takes from a page: events, endpoints, component
functions and uploads.

Whatever is sent, there is an answer, in time and without a traceback, and the app serves on.
"""

import asyncio
import gc
import itertools
import json
import logging
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from wire import API, Visitor, apart, visit

from gptcore.machine import return_freed_memory
from serving import served
from ui.services import Services

ROOT = Path(__file__).resolve().parents[2]
# of each attack; there are two for every profile
CALLS = int(os.environ.get("GPTLENS_ABUSE_CALLS", "240"))
AT_ONCE = 12
BOUND = 120.0  # seconds for one call, with all others beside it on the slowest machine
NAN = float("nan")
INF = float("inf")
BAD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    3,
    10**9,
    10**30,
    -(10**30),
    0.5,
    -0.5,
    1e308,
    1e-308,
    NAN,
    INF,
    -INF,
    "",
    " ",
    "a",
    "mini",
    "world",
    "gpt2",
    "run-x",
    "../../etc/passwd",
    "/etc/passwd",
    "\x00",
    "\uffff",
    "\ud800",
    "😀" * 300,
    "word " * 4000,
    "x" * 30_000,
    "<script>alert(1)</script>",
    "{}",
    "[1]",
    '{"off": [[0, 0, 9]]}',
    "nan",
    "1e999",
    [],
    [[]],
    [None],
    [1, 2, 3],
    ["a"] * 50,
    [[["deep"]]] * 3,
    {},
    {"a": 1},
    {"__type__": "update", "value": 1},
    {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
    {"path": "", "meta": {"_type": "gradio.FileData"}},
    {"url": "http://127.0.0.1:1/x", "path": "x", "meta": {"_type": "gradio.FileData"}},
    {"headers": ["a"], "data": [["b"]], "metadata": None},
    {"headers": [], "data": []},
]
FILES: list[tuple[str, bytes]] = [
    ("x.txt", b""),
    ("x.txt", b"\xff\xfe\x00"),
    ("../x.zip", b"PK\x03\x04"),
    ("x.safetensors", b"\xff" * 64),
    ("x.json", b"[" * 5000),
    ("x" * 200 + ".csv", b"a,b\n1"),
    ("\u202etxt.exe", b"MZ"),
    ("x.tsv", b"\t\n" * 99),
]


class Outcome:
    """What came of all calls."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.called: set[str] = set()
        self.there: set[str] = set()


def spoiled(values: list[Any], chance: random.Random) -> list[Any]:
    """The values of an untouched page, some of them bad; sometimes too few or too many."""
    made = list(values)
    for _ in range(chance.choice((1, 1, 1, 2, 4, len(made)))):
        if made:
            made[chance.randrange(len(made))] = chance.choice(BAD)
    return {0: made[:-1], 1: [*made, 1]}.get(chance.randrange(40), made)


def clean(text: str, where: str) -> None:
    assert "Traceback" not in text and 'File "' not in text, f"{where}: {text[:2000]}"


async def send_event(visitor: Visitor, event: dict[str, Any], data: list[Any]) -> None:
    where = f"event {event['id']} of {event['targets']} with {str(data)[:300]}"
    try:
        async for message in visitor.send(event, data):
            clean(json.dumps(message.get("output")), where)
    except httpx.HTTPStatusError as refusal:
        assert refusal.response.status_code < 500 or refusal.response.status_code == 503, where
        clean(refusal.response.text, where)


async def ask(visitor: Visitor, name: str, function: str, data: object) -> None:
    where = f"{name}.{function} with {str(data)[:300]}"
    reply = await visitor.ask(name, function, data)
    clean(reply.text, where)
    assert reply.status_code < 500, f"{where}: {reply.text[:500]}"


async def upload(visitor: Visitor, name: str, content: bytes) -> None:
    reply = await visitor.client.post(f"{API}/upload", files={"files": (name, content)})
    clean(reply.text, name)
    assert reply.status_code < 500 and (reply.status_code != 200 or isinstance(reply.json(), list))


async def attack(address: str, seed: int, outcome: Outcome) -> None:
    chance = random.Random(seed)
    async with httpx.AsyncClient(base_url=address, timeout=BOUND, trust_env=False) as client:
        page = (await visit(client)).page
        visitors = [Visitor(client, page) for _ in range(AT_ONCE)]
        handled = [event for event in page.events if event["backend_fn"]]
        handled += 4 * [event for event in handled if event["api_visibility"] == "public"]
        own = {
            name: page.components[at]["props"].get("server_fns") or []
            for name, at in page.ids.items()
        }
        functions = [(name, item) for name, found in own.items() for item in found]
        assert len(handled) > 80 and len(functions) > 20
        outcome.there |= {str(event["id"]) for event in handled} | {
            f"{name}.{one}" for name, one in functions
        }
        next_event, next_function = (
            # where the other one ends
            itertools.islice(itertools.cycle(every), seed % 2 * share * CALLS // 20, None)
            for every, share in ((handled, 14), (functions, 5))
        )
        free: asyncio.Queue[Visitor] = asyncio.Queue()  # a page has one stream of answers at a time
        for visitor in visitors:
            free.put_nowait(visitor)

        async def one(number: int) -> None:
            visitor = await free.get()
            try:
                if number % 4 == 3:
                    name, function = next(next_function)
                    kind = "function"
                    called = f"{name}.{function}"
                    data = chance.choice(
                        [
                            chance.choice(BAD),
                            [chance.choice(BAD) for _ in range(chance.randrange(8))],
                        ]
                    )
                    work = ask(visitor, name, function, data)
                elif number % 20 == 1:
                    kind = "upload"
                    called = ""
                    work = upload(visitor, *chance.choice(FILES))
                else:
                    event = next(next_event)
                    kind = "endpoint" if event["api_visibility"] == "public" else "event"
                    called = str(event["id"])
                    work = send_event(visitor, event, spoiled(page.values(event), chance))
                await asyncio.wait_for(work, BOUND)
                outcome.called.add(called)
                outcome.kinds[kind] += 1
            finally:
                free.put_nowait(visitor)

        await asyncio.gather(*(one(number) for number in range(CALLS)))
        await serves_on(visitors[0])


async def serves_on(visitor: Visitor) -> None:
    """A text is still written after all that."""
    event = visitor.page.event("generate", "click")
    values = visitor.page.values(
        event, {"max-new-tokens": 5, "prompt": "Once upon a time", "seed": 1}
    )
    last = [
        message
        async for message in visitor.send(event, values)
        if message["msg"] == "process_completed"
    ]
    assert last[0]["success"]


def kept_memory(services: Services) -> float:
    """Of this process once its visitors' runs are gone, in MB; 0 where the system does not tell."""
    services.run_manager.stop_all()
    services.workspaces.remove_unseen(-1.0)
    gc.collect()
    return_freed_memory()
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    return (
        int(
            dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())[
                "VmRSS"
            ].split()[0]
        )
        / 1024
    )


@pytest.mark.parametrize(("profile", "floods"), [("local", 1), ("space", 2)])
def test_whatever_is_sent_there_is_an_answer_and_the_app_serves_on(profile, floods, caplog, capfd):
    outcome = Outcome()
    with served(profile) as (address, services), caplog.at_level(logging.ERROR):
        before = None
        for seed in range(6, 6 + floods):
            apart(lambda seed=seed: asyncio.run(attack(address, seed, outcome)))
            before = before or kept_memory(services)
        assert kept_memory(services) < before + 400  # what one flood leaves, another keeps
    assert not [record.getMessage() for record in caplog.records if record.exc_info]
    printed = capfd.readouterr()
    log = printed.out + printed.err
    ours = [
        log[at - 800 : at + 1200]
        for room in ("ui", "gptcore")
        if (at := log.find(f'File "{ROOT / room}')) >= 0
    ]
    assert not ours, ours[0]
    # every event and every function of a component had its turn
    assert not outcome.there - outcome.called
    assert sum(outcome.kinds.values()) == floods * CALLS and min(outcome.kinds.values()) > 10
