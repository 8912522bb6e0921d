"""Which folders belong to a server that runs: a lock that the system lets go of when its process
ends.

Process numbers do not tell: two containers that share a folder have the same ones.
"""

import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_JUST_MADE = 60.0  # seconds in which a folder without an owner may be about to get one
_ABANDONED = (
    3600.0  # seconds after which another machine's folder is given up that nobody has touched
)


class Owner:
    """The server of this process, as the owner of a folder.

    Args:
        folder: that nobody else may delete while this process runs.
    """

    def __init__(self, folder: Path) -> None:
        self._path = mark_of(folder)
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Marks the folder as owned. Raises OSError where it cannot be written."""
        self._file = self._path.open("w+", encoding="utf-8")
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks: the time of the last touch tells
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        about = {
            "host": socket.gethostname(),
            "boot": _boot(),
            "process": os.getpid(),
            "since": time.time(),
        }
        json.dump(about, self._file)
        self._file.flush()

    def touch(self) -> None:
        """Says that the owner is still there, to machines that do not see the lock."""
        with suppress(OSError):
            os.utime(self._path)

    def release(self) -> None:
        """Gives the folder up."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None


def mark_of(folder: Path) -> Path:
    """The file beside a folder that says who owns it."""
    return folder.with_name(f".{folder.name}.owner")


def is_owned(folder: Path) -> bool:
    """Whether a server that runs owns a folder, here or on another machine that shares the disk."""
    path = mark_of(folder)
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        touched = path.stat().st_mtime
    except (OSError, ValueError):
        return folder.is_dir() and _age(folder) < _JUST_MADE
    if not isinstance(about, dict) or about.get("boot") != _boot():
        same_host = isinstance(about, dict) and about.get("host") == socket.gethostname()
        return not same_host and time.time() - touched < _ABANDONED
    return _is_locked(path, about)


def _is_locked(path: Path, about: dict[str, Any]) -> bool:
    """Whether a process of this machine holds the lock."""
    if fcntl is None:
        return is_running(about.get("process"))
    try:
        with path.open("r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def is_running(process: object) -> bool:
    """Tells whether a process is running; always True for a process id on Windows, where the check
    by os.kill would end the process.
    """
    if not isinstance(process, int):
        return False
    try:
        if os.name != "nt":
            os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is running under another user
        return True
    return True


def _boot() -> str:
    """The system that runs, anew at each boot; containers of a machine share it. "" where it has no
    name.
    """
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _age(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except OSError:
        return 0.0
