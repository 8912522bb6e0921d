"""Uploaded files that somebody has yet to open: a file of the same content is stored once, and may
have two owners.
"""

import threading
from collections import Counter
from pathlib import Path


class Uploaded:
    """Counts how often each stored file was uploaded and not opened yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = Counter[Path]()

    def add(self, path: Path) -> None:
        """Notes an upload that is stored there, maybe one more of the same."""
        with self._lock:
            self._waiting[path] += 1

    def opened(self, path: Path) -> None:
        """Notes that one of its owners has read it; deletes the file once all have."""
        with self._lock:
            self._waiting[path] -= 1
            if self._waiting[path] > 0:
                return
            del self._waiting[path]
            path.unlink(missing_ok=True)

    def forget(self, paths: set[Path]) -> None:
        """Forgets files that are gone, `paths` being those that are there."""
        with self._lock:
            for path in self._waiting.keys() - paths:
                del self._waiting[path]
