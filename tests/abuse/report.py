"""What a flood of cheap requests does to somebody else: `python -m tests.abuse.report`.

Each attack comes from one address, a hundred requests at a time. Meanwhile a visitor of another
address asks for the page, for a component's answer and for an upload's progress, one after the
other; their waits are reported, and the server's memory before, at most, and after.
"""

import argparse
import asyncio
import itertools
import json
import os
import secrets
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import urlsplit

import httpx

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

from wire import API, Page, Visitor, visit  # noqa: E402

from serving import Command, command  # noqa: E402 - the path is set above

# every address of 127.0.0.0/8 is this machine
_ATTACKER = "127.0.0.2"
_OTHER = "127.0.0.3"
_AT_ONCE = 100  # requests of an attacker
_WARM = 8.0  # seconds of an ordinary visit before the first attack
_PAUSE = 0.05  # seconds between two requests of the other visitor
_TEXT = "Once upon a time, there was a little fox."

Attack = Callable[[Page, int], bytes]  # a request, from the page and the number of the request


@dataclass(frozen=True)
class Row:
    """One attack, as somebody else met it."""

    attack: str
    requests: int  # that were answered, or refused
    median: float  # seconds of the other visitor's requests
    worst: float
    before: float  # MB of the server
    most: float
    after: float


def _get(path: str, **headers: str) -> bytes:
    return _request("GET", path, b"", **headers)


def _post(path: str, body: bytes) -> bytes:
    return _request("POST", f"{API}/{path}", body, content_type="application/json")


def _request(method: str, path: str, body: bytes, **headers: str) -> bytes:
    """A request whose connection ends with it; header names with _ for -."""
    named = {
        "host": "127.0.0.1",
        "connection": "close",
        "content-length": str(len(body)),
        **headers,
    }
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{name.replace('_', '-')}: {value}" for name, value in named.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _cut_upload(number: int) -> bytes:
    """The head of an upload of a megabyte and the beginning of its file."""
    body = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.zip"\r\n\r\n' + bytes(
        10_000
    )
    head = {"content_type": "multipart/form-data; boundary=b", "content-length": "1000000"}
    return _request("POST", f"{API}/upload?upload_id={number}", body, **head)


def _joins(page: Page, **changes: object) -> bytes:
    """An event that begins a text, of a page that nobody has opened."""
    event = page.event("generate", "click")
    values = page.values(event)
    body = {
        "data": values,
        "fn_index": event["id"],
        "session_hash": secrets.token_hex(6),
        **changes,
    }
    return json.dumps(body).encode()


_MANY = b"[" + b"1," * 400_000 + b"1]"
# What each sends, by the number of the request.
ATTACKS: dict[str, Attack] = {
    "the configuration": lambda page, n: _get(f"/config?{n}"),
    "the page in new encodings": lambda page, n: _get("/", accept_encoding=f"gzip;q=0.{n}, x{n}"),
    "the page by new links": lambda page, n: _get(f"/?deep_link={n}&tab=train"),
    "another server's name": lambda page, n: _get("/", x_gradio_server=f"http://other{n}"),
    "unknown sessions": lambda page, n: _get(
        f"{API}/queue/data?session_hash={secrets.token_hex(6)}"
    ),
    "unknown heartbeats": lambda page, n: _get(f"{API}/heartbeat/unknown{n}"),
    "unknown addresses": lambda page, n: _get(f"/{secrets.token_hex(8)}"),
    "the API's description": lambda page, n: _get(f"{API}/info?{n}"),
    "progress of no upload": lambda page, n: _get(f"{API}/upload_progress?upload_id={n}"),
    "files of nobody": lambda page, n: _get(f"{API}/file=/etc/passwd{n}"),
    "scripts of the page": lambda page, n: _get("/gptlens/0/plotly.min.js"),
    "uploads cut off": lambda page, n: _cut_upload(n),
    "numbers without end": lambda page, n: _post("queue/join", b'{"data": [1e999]}'),
    "large bodies": lambda page, n: _post("component_server", _MANY),
    "wrong values": lambda page, n: _post("queue/join", _joins(page, data=[])),
    "new visitors that write": lambda page, n: _post("queue/join", _joins(page)),
}


@asynccontextmanager
async def _client(address: str, own: str) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=_AT_ONCE, max_keepalive_connections=_AT_ONCE)
    transport = httpx.AsyncHTTPTransport(local_address=own, limits=limits)
    async with httpx.AsyncClient(transport=transport, base_url=address, timeout=60.0) as client:
        yield client


async def _flood(address: str, attack: Attack, until: float) -> int:
    """Repeats an attack, a hundred at a time; returns how many requests came to an end."""
    numbers = itertools.count(1)
    done = 0
    async with _client(address, _ATTACKER) as client:
        page = Page((await client.get("/config")).json())
    host = urlsplit(address).hostname
    port = urlsplit(address).port

    async def repeat() -> None:
        nonlocal done
        while time.time() < until:
            writer = None
            try:
                async with asyncio.timeout(max(0.1, until - time.time())):
                    reader, writer = await asyncio.open_connection(
                        host, port, local_addr=(_ATTACKER, 0)
                    )
                    request = attack(page, next(numbers))
                    writer.write(request)
                    if attack is not ATTACKS["uploads cut off"]:
                        while await reader.read(1 << 20):
                            pass
            except (OSError, TimeoutError):
                await asyncio.sleep(0.01)
            finally:
                if writer is not None:
                    writer.close()
            done += 1

    await asyncio.gather(*(repeat() for _ in range(_AT_ONCE)))
    return done


def _is_ready() -> bool:
    """Nothing to do: the process of an attack has loaded what it needs once this is answered."""
    return True


def _flooding(address: str, name: str, until: float) -> int:
    return asyncio.run(_flood(address, ATTACKS[name], until))


async def _waits(address: str, until: float) -> list[float]:
    """Seconds that each request of another visitor takes."""
    waits = list[float]()
    async with _client(address, _OTHER) as client:
        visitor = await visit(client)
        for asks in itertools.cycle(_questions(visitor)):
            if time.time() > until:
                return waits
            began = time.perf_counter()
            answer = await asks()
            waits.append(time.perf_counter() - began)
            answer.raise_for_status()
            await asyncio.sleep(_PAUSE)
    return waits


def _questions(visitor: Visitor) -> list[Callable[[], Awaitable[httpx.Response]]]:
    """What a page asks as it is opened and used."""
    lookup = {"tokenizer": "mini", "text": _TEXT}
    return [
        lambda: visitor.client.get("/"),
        lambda: visitor.client.get("/config"),
        lambda: visitor.ask("tokens", "steps", lookup),
    ]


def _megabytes(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _met(started: Command, address: str, name: str, *, seconds: float, settle: float) -> Row:
    before = most = _megabytes(started.process.pid)
    with get_context("spawn").Pool(1) as pool:
        pool.apply(_is_ready)
        until = time.time() + seconds
        flooding = pool.apply_async(_flooding, (address, name, until))
        waiting = asyncio.ensure_future(_waits(address, until))
        while not waiting.done():
            most = max(most, _megabytes(started.process.pid))
            await asyncio.wait([waiting], timeout=0.2)
        waits = await waiting
        n_requests = await asyncio.to_thread(flooding.get)
    await asyncio.sleep(settle)
    after = _megabytes(started.process.pid)
    return Row(name, n_requests, statistics.median(waits), max(waits), before, most, after)


def report(
    profile: str, names: list[str], *, seconds: float, settle: float, root_path: str = ""
) -> list[Row]:
    """Runs attacks on a server of a profile, one after the other."""
    flags = ["--profile", profile, *(["--root-path", root_path] if root_path else [])]
    with command(Path.cwd(), flags=flags) as started:
        asyncio.run(_waits(started.address, time.time() + _WARM))
        rows = list[Row]()
        for name in names:
            rows.append(
                asyncio.run(_met(started, started.address, name, seconds=seconds, settle=settle))
            )
            print(_line(rows[-1]), flush=True)
    return rows


def _line(row: Row) -> str:
    return (
        f"| {row.attack} | {row.requests:,} | {1e3 * row.median:,.0f} | {1e3 * row.worst:,.0f} "
        f"| {row.before:,.0f} | {row.most:,.0f} | {row.after:,.0f} |"
    )


def main() -> None:
    """Prints a table for each profile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--profile",
        nargs="+",
        default=["local", "space", "talk"],
        choices=["local", "space", "talk"],
    )
    parser.add_argument("--root-path", default="", help="the path under which the page stands")
    parser.add_argument(
        "--attack", nargs="+", default=list(ATTACKS), choices=list(ATTACKS), metavar="NAME"
    )
    parser.add_argument("--seconds", type=float, default=8.0, help="of each attack")
    parser.add_argument(
        "--settle", type=float, default=2.0, help="seconds until memory is read again"
    )
    parser.add_argument("--json", type=Path, help="file for the rows")
    options = parser.parse_args()
    found = dict[str, list[dict[str, object]]]()
    for profile in options.profile:
        print(f"\n{profile}{f' behind {options.root_path}' if options.root_path else ''}\n")
        print("| attack | requests | median, ms | worst, ms | MB before | at most | after |")
        print("|---|---|---|---|---|---|---|")
        given = {
            "seconds": options.seconds,
            "settle": options.settle,
            "root_path": options.root_path,
        }
        found[profile] = [asdict(row) for row in report(profile, options.attack, **given)]
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
