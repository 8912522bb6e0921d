"""What a visitor notices while others attack: the longest wait, what was refused, what the server keeps.

    python -m tests.abuse.report [--profile space local] [--seconds 8]

Each attack comes from 127.0.0.2, by a process of its own, against a server in another; the victim, at 127.0.0.1, asks
for the page and for the next token of a text all the while. Printed as a table; nothing is asserted, a busy machine is
slower.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a module or a script, from anywhere

import httpx
from wire import API, Page, Visitor, visit

from serving import Command, command

_JSON = {"content-type": "application/json"}
_CALLS = 10  # connections at once
_CLASS = 100
_DROPPED = 2000
_QUICK, _QUICK_ANSWERS, _PATIENCE = 0.1, 20, 40.0  # seconds, how many in a row, and seconds until that is given up


class Attackers:
    """Clients at one address, and what the server has answered them.

    Args:
        address: of the server.
        page: what it says of itself.
        until: when the attack ends, as time.monotonic().
        host: theirs.
    """

    def __init__(self, address: str, page: Page, until: float, host: str = "127.0.0.2") -> None:
        self.address, self.page, self.until = address, page, until
        self.answers: Counter[int] = Counter()
        transport = httpx.AsyncHTTPTransport(local_address=host, limits=httpx.Limits(max_connections=400))
        self.client = httpx.AsyncClient(base_url=address, transport=transport, timeout=120)

    async def repeat(self, send: Callable[[int], Awaitable[httpx.Response]], n_at_once: int = _CALLS) -> None:
        """Sends requests until the attack ends, `n_at_once` at a time."""

        async def one(number: int) -> None:
            while time.monotonic() < self.until:
                try:
                    self.answers[(await send(number)).status_code] += 1
                except httpx.HTTPError:
                    self.answers[0] += 1
                number += n_at_once

        await asyncio.gather(*(one(number) for number in range(n_at_once)))

    async def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.client.post(f"{API}/{path}", content=content, headers=_JSON | headers)


async def newcomers(attack: Attackers) -> None:
    """calls that are nobody's page"""
    await attack.repeat(lambda _: attack.post("call/parameters", {"data": []}))


async def forged(attack: Attackers) -> None:
    """as if from ever new addresses"""
    named = [f"10.0.{n // 250}.{n % 250}" for n in range(5000)]
    await attack.repeat(
        lambda n: attack.post("call/next_token", {"data": ["Once"]}, **{"x-forwarded-for": named[n % 5000]})
    )


async def bodies(attack: Attackers) -> None:
    """5 MB of lists, on every address that takes something"""
    paths = ("queue/join", "cancel", "reset", "component_server", "call/generate", "run/predict", "vibe-edit/")
    content = b'{"data": [' + b"[]," * 1_700_000 + b"[]]}"
    await attack.repeat(lambda n: attack.post(paths[n % len(paths)], content), 4)


async def no_answers(attack: Attackers) -> None:
    """bodies that have no answer"""
    wrong = (b"NaN", b'{"data": [NaN]}', b"\xff\xfe", b'{"data": ["\\ud800"]}', b"[" * 60_000, b"")
    await attack.repeat(lambda n: attack.post("call/generate", wrong[n % len(wrong)]))


async def long_texts(attack: Attackers) -> None:
    """two hundred long texts, each listened for"""

    async def listened(number: int) -> httpx.Response:
        asked = ["Once upon a time", 200, 1.0, 0, 1.0, 0.0, 1.0, 0, 200, "", number, 4, False]
        begun = await attack.post("call/generate", {"data": asked})
        if begun.status_code == 200:
            await attack.client.get(f"{API}/call/generate/{begun.json()['event_id']}")
        return begun

    writing = asyncio.ensure_future(attack.repeat(listened, 200))
    await asyncio.wait([writing], timeout=max(0.1, attack.until - time.monotonic()))
    writing.cancel()
    await asyncio.wait([writing])


async def sessions(attack: Attackers) -> None:
    """texts under ever new names of sessions"""
    event = attack.page.event("generate", "click")

    async def write(number: int) -> httpx.Response:
        visitor = Visitor(attack.client, attack.page)
        values = attack.page.values(event, {"prompt": f"One {number}"})
        body = {"data": values, "fn_index": event["id"], "session_hash": visitor.session, "trigger_id": None}
        return await attack.post("queue/join", body)

    await attack.repeat(write, 40)


async def runs(attack: Attackers) -> None:
    """training runs, one after another"""
    await attack.repeat(lambda n: attack.post("call/v2/train", {"action": "start", "seed": n}))


async def uploads(attack: Attackers) -> None:
    """files of 50 MB, one after another"""

    async def upload(number: int) -> httpx.Response:
        content = b"%030d" % number + bytes(50_000_000)  # each another one: the same file is stored once
        return await attack.client.post(f"{API}/upload", files={"files": ("text.txt", content)})

    await attack.repeat(upload, 4)


async def dropped(attack: Attackers) -> None:
    """the page, asked for and dropped"""
    host, port = attack.client.base_url.host, attack.client.base_url.port or 80
    for _ in range(_DROPPED // 40):
        for _ in range(40):
            try:
                _, writer = await asyncio.open_connection(host, port, local_addr=("127.0.0.2", 0))
                writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                await writer.drain()
                writer.transport.abort()
                attack.answers[-1] += 1
            except OSError:
                attack.answers[0] += 1
        await asyncio.sleep(0)


async def a_class(attack: Attackers) -> None:
    """a hundred visitors behind one address, all at once: no attack, and none may be refused"""

    async def arrives() -> None:
        visitor = await visit(attack.client, attack.page)
        event = attack.page.event("generate", "click")
        try:
            async for message in visitor.send(event, attack.page.values(event, {})):
                if message["msg"] == "process_completed":
                    attack.answers[200 if message["success"] else 500] += 1
        except httpx.HTTPStatusError as error:
            attack.answers[error.response.status_code] += 1

    await asyncio.gather(*(arrives() for _ in range(_CLASS)))


ATTACKS = (newcomers, forged, bodies, no_answers, long_texts, sessions, runs, uploads, dropped, a_class)


async def victim(address: str, goes_on: Callable[[], bool]) -> dict[str, list[float]]:
    """Seconds of every look at the page, every question and every upload, of a visitor at 127.0.0.1."""
    took: dict[str, list[float]] = {"page": [], "answer": [], "upload": []}
    async with httpx.AsyncClient(base_url=address, timeout=300) as client:
        while goes_on():
            for name in took:
                began = time.monotonic()
                if name == "page":
                    (await client.get("/")).raise_for_status()
                elif name == "upload":
                    text = b"a text of mine %d" % len(took[name])
                    (await client.post(f"{API}/upload", files={"files": ("mine.txt", text)})).raise_for_status()
                else:
                    await answered(client)
                took[name].append(time.monotonic() - began)
            await asyncio.sleep(0.1)
    return took


async def warmed(address: str) -> None:
    """Waits until what a server does after its start is done: it answers as quickly as it will."""
    began, quick = time.monotonic(), 0
    while quick < _QUICK_ANSWERS and time.monotonic() - began < _PATIENCE:
        took = await victim(address, iter([True, False]).__next__)
        quick = quick + 1 if took["answer"][0] < _QUICK else 0


async def answered(client: httpx.AsyncClient) -> None:
    """Asks for the next token of a text. Raises ValueError where the answer is none."""
    body = json.dumps({"data": ["The little dog"]})
    begun = await client.post(f"{API}/call/next_token", content=body, headers=_JSON)
    begun.raise_for_status()
    answer = await client.get(f"{API}/call/next_token/{begun.json()['event_id']}")
    if "stages" not in answer.text:
        raise ValueError(answer.text[:200])


def memory_mb(process: int) -> float:
    """Resident memory of a process, in MB."""
    fields = dict(
        line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":" in line
    )
    return int(fields["VmRSS"].split()[0]) / 1024


async def measured(
    address: str, process: int, attack: Callable[[Attackers], Awaitable[None]], seconds: float, later: float
) -> str:
    """A row of the table; memory before, at the end, and `later` seconds after it."""
    await warmed(address)
    before, ended = memory_mb(process), False
    watching = asyncio.ensure_future(victim(address, lambda: not ended))
    begun = [sys.executable, __file__, "--seconds", str(seconds), "--attack", attack.__name__, address]
    child = await asyncio.create_subprocess_exec(*begun, stdout=asyncio.subprocess.PIPE)
    printed, _ = await child.communicate()
    ended, peak, answers = True, memory_mb(process), json.loads(printed)
    try:
        took = await watching
        waits = [statistics.median(took["answer"]), *(max(times) for times in took.values())]
        said = " | ".join(f"{wait:.2f}" for wait in waits)
    except (httpx.HTTPError, ValueError) as error:
        said = f"refused: {str(error)[:80]} | | | "
    await asyncio.sleep(later)
    counts = ", ".join(f"{n:,} x {'none' if code == '0' else code}" for code, n in answers.items())
    return f"| {attack.__doc__} | {said} | {counts} | {before:.0f}, {peak:.0f}, {memory_mb(process):.0f} MB |"


async def attacked(address: str, name: str, seconds: float) -> dict[str, int]:
    """What the server has answered to an attack, by status; "dropped" for what has not waited for an answer."""
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        page = Page((await client.get("/config")).json())
    attackers = Attackers(address, page, time.monotonic() + seconds)
    await next(one for one in ATTACKS if one.__name__ == name)(attackers)
    await attackers.client.aclose()
    return {"dropped" if code < 0 else str(code): n for code, n in attackers.answers.items()}


async def against(
    server: AbstractContextManager[Command],
    attack: Callable[[Attackers], Awaitable[None]],
    seconds: float,
    later: float = 0.0,
) -> str:
    """A row of the table, against a server of its own. Raises RuntimeError with what it has printed if it ends."""
    with server as started:
        try:
            return await measured(started.address.rstrip("/"), started.process.pid, attack, seconds, later)
        except Exception as error:
            if (status := started.process.poll()) is None:
                raise
            assert started.process.stdout is not None
            last = started.process.stdout.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"The server has ended with {status}: {started.printed}{last}") from error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", nargs="+", default=["local", "talk", "space"])
    parser.add_argument("--seconds", type=float, default=8.0, help="of each attack")
    parser.add_argument("--later", type=float, default=0.0, help="seconds after which memory is read again")
    parser.add_argument("--only", nargs="*", choices=[one.__name__ for one in ATTACKS], help="these attacks alone")
    parser.add_argument("--attack", nargs=2, metavar=("NAME", "ADDRESS"), help="this attack on this server, uncounted")
    options = parser.parse_args()
    if options.attack:
        print(json.dumps(asyncio.run(attacked(options.attack[1], options.attack[0], options.seconds))))
        return
    for profile in options.profile:
        print(f"\n{profile}\n\n| attack | answer, median s | page, worst | answer | upload | answers | memory |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for attack in ATTACKS:
            if options.only and attack.__name__ not in options.only:
                continue
            with tempfile.TemporaryDirectory() as folder:
                begun = command(Path(folder), flags=["--profile", profile], HOME=folder, TMPDIR=folder)
                print(asyncio.run(against(begun, attack, options.seconds, options.later)), flush=True)


if __name__ == "__main__":
    main()
