"""The room for uploads: each client has a share, and where it is full, who holds most gives way
first.
"""

import asyncio
import json
import logging
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect

from ui.server.middleware import refuse
from ui.server.temp_files import TemporaryFiles
from ui.state.clients import Clients, let_go
from ui.state.uploaded import Uploaded

LARGEST_UPLOAD = 200_000_000  # bytes
_MOST_AT_ONCE = 16  # uploads of a client; one that failed counts until its rest is removed
_SETTLED = 1.0  # seconds after which the exception of a failed upload holds no file open
_PART = re.compile(r"tmp[a-z0-9_]{8}")  # what Python calls a temporary file without a name
log = logging.getLogger("gptlens")
_LONGEST_ANSWER = 64 << 10  # bytes: the names of what has been stored


class UploadRoom:
    """Middleware that rejects an upload that does not fit, before its first byte is stored.

    Args:
        files: whose cap counts.
        largest: of one upload, in bytes: a client may always hold so much.
        uploaded: takes note of what has been stored.
    """

    def __init__(
        self,
        app: Any,
        files: TemporaryFiles,
        clients: Clients | None = None,
        largest: int = LARGEST_UPLOAD,
        uploaded: Uploaded | None = None,
    ) -> None:
        self._app, self._files, self._clients, self._largest = (
            app,
            files,
            clients or Clients(),
            largest,
        )
        self._uploaded = uploaded or Uploaded()
        self._coming = Counter[str]()  # bytes of uploads that are under way, by client
        self._under_way = Counter[str]()  # uploads, by client
        self._owners: dict[Path, str] = {}  # of stored files, the oldest first

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Rejects uploads that do not fit or lack a size; passes everything else on."""
        if (
            scope["type"] != "http"
            or scope["method"] != "POST"
            or not scope["path"].endswith("/upload")
        ):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        declared = headers.get("content-length", "")
        if not (declared.isascii() and declared.isdigit()) or len(declared) > 15:
            await refuse(send, 411, "An upload must say how many bytes it has.")
            return
        n_bytes = int(declared)
        client = self._clients.address(headers, (scope.get("client") or ("",))[0])
        if self._under_way[client] >= _MOST_AT_ONCE:  # before any folder is looked through
            await refuse(
                send,
                429,
                "Too many uploads from your address at once. Wait a few seconds, then try again.",
            )
            return
        if refusal := self._make_room(n_bytes, client):
            await refuse(send, 507, refusal)
            return
        self._coming[client] += n_bytes
        self._under_way[client] += 1
        before = set(self._files.sizes())
        has_failed = True
        try:
            await self._app(scope, receive, self._noting(client, send))
            has_failed = False
        except ClientDisconnect:
            log.warning(
                "An upload of %s bytes was cut off; what had come of it is removed.", f"{n_bytes:,}"
            )
        except OSError as error:
            await refuse(
                send, 507, f"The file cannot be stored ({error.strerror}). Try again later."
            )
        finally:
            let_go(self._coming, client, n_bytes)
            if has_failed:  # nothing of it is open any more, a moment later
                asyncio.get_running_loop().call_later(_SETTLED, self._remove_parts, before, client)
            else:
                let_go(self._under_way, client)

    def _remove_parts(self, before: set[Path], client: str) -> None:
        """Deletes what an upload that failed has left."""
        let_go(self._under_way, client)
        in_use = _open_files()
        for path in set(self._files.sizes()) - before:
            is_part = _PART.fullmatch(path.name) is not None
            if is_part and path not in in_use and (in_use or not self._coming):
                path.unlink(missing_ok=True)

    def _make_room(self, n_bytes: int, client: str) -> str:
        """Makes room for an upload of a client; says why there is none, "" where there is."""
        there = self._files.sizes()
        self._owners = {path: owner for path, owner in self._owners.items() if path in there}
        self._uploaded.forget(set(there))
        sizes = {path: there[path] for path in self._owners}
        held = self._coming.copy()
        for path, size in sizes.items():
            held[self._owners[path]] += size
        held[client] += n_bytes
        share = max(self._largest, self._files.most_bytes // max(2, len(held)))
        if held[client] > share:
            return (
                f"Your uploads already take {held[client] - n_bytes:,} of the {share:,} bytes "
                f"that you may store here, and this file has {n_bytes:,}. Files are deleted "
                "once they have been read, or after an hour."
            )
        wanted = n_bytes + self._coming.total()
        while not self._files.has_room(wanted):
            most = max(held, key=lambda owner: held[owner])
            theirs = next((path for path in sizes if self._owners[path] == most), None)
            if theirs is not None:
                held[most] -= sizes.pop(theirs)
                theirs.unlink(missing_ok=True)
            elif not self._files.remove_oldest(besides=sizes):
                most_bytes = self._files.most_bytes
                return (
                    f"The server's room for uploads, {most_bytes:,} bytes, is full. Try again in a "
                    "minute."
                )
        return ""

    def _noting(self, client: str, send: Any) -> Any:
        """Remembers whose the files are that an answer names."""
        answer = bytearray()

        async def noting(message: dict[str, Any]) -> None:
            answer.extend(message.get("body", b"")[: _LONGEST_ANSWER - len(answer)])
            if message["type"] == "http.response.body" and not message.get("more_body"):
                with suppress(ValueError):
                    names = json.loads(answer)
                    if isinstance(names, list):
                        for name in (Path(name) for name in names if isinstance(name, str)):
                            self._owners.setdefault(name, client)  # who came first keeps it
                            self._uploaded.add(name)
            await send(message)

        return noting


def _open_files() -> set[Path]:
    """The files that this process has open; empty where the system does not say (it does on
    Linux).
    """
    found = set[Path]()
    for link in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):  # closed meanwhile
            found.add(link.readlink())
    return found
