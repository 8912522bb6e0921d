"""Temporary files: uploads, Gradio's cache and files to download in one folder, with a cap and an
age.
"""

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from gptcore.errors import GPTCoreError
from ui.state.ownership import Owner, is_owned, mark_of

_JUST_MADE = 60.0  # seconds for which a file may be in use
_PARENT = f"gptlens-{os.getuid() if hasattr(os, 'getuid') else 'app'}"


class TemporaryFiles:
    """A per-process temporary folder that deletes expired files, and the oldest ones above a total
    size.

    Args:
        most_bytes: of all files together.
        age: seconds after which a file is deleted.
        clock: as time.time, by which files are dated.

    Attributes:
        folder: where, once it is open.
        most_bytes: as given.
    """

    def __init__(
        self, *, most_bytes: int, age: float = 3600.0, clock: Callable[[], float] = time.time
    ) -> None:
        self.most_bytes = most_bytes
        self._age = age
        self._clock = clock
        self.folder = Path(tempfile.gettempdir()) / _PARENT / f"server-{secrets.token_hex(8)}"
        self._owner = Owner(self.folder)

    def open(self) -> int:
        """Creates the folder, cleans up those of servers that have ended, and points Gradio and
        Python to it.

        Returns:
            bytes freed from servers that have ended.

        Raises:
            GPTCoreError: the place cannot be written.
        """
        parent = self.folder.parent
        freed = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._owner.take()
            for left in [path for path in parent.iterdir() if not path.name.startswith(".")]:
                if left not in (self.folder, self.kept) and not is_owned(left):
                    freed += sum(size for _, size, _ in _files(left))
                    shutil.rmtree(left, ignore_errors=True)
                    mark_of(left).unlink(missing_ok=True)
            (self.folder / "gradio").mkdir(exist_ok=True)
        except OSError as error:
            raise GPTCoreError(
                f"The folder for temporary files {parent} cannot be written ({error.strerror}). "
                "Set TMPDIR to one that can."
            ) from None
        if not (os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")):
            # tiktoken caches GPT-2's vocabulary in the default temporary folder; keep that cache
            # path.
            os.environ["TIKTOKEN_CACHE_DIR"] = str(parent.parent / "data-gym-cache")
        os.environ["GRADIO_TEMP_DIR"] = str(self.folder / "gradio")
        tempfile.tempdir = str(self.folder)
        return freed

    @property
    def kept(self) -> Path:
        """A sibling folder for files that outlive this process."""
        return self.folder.parent / "kept"

    def tidy(self) -> None:
        """Deletes expired files, then the oldest until the total is below the cap; makes a folder
        that is gone anew.
        """
        self._owner.touch()
        # a cleaner of the system may have taken it, or its disk is read-only now
        with suppress(OSError):
            (self.folder / "gradio").mkdir(parents=True, exist_ok=True, mode=0o700)
        now = self._clock()
        files = sorted(_files(self.folder))
        total = sum(size for _, size, _ in files)
        for changed, size, path in files:
            if now - changed <= self._age and total <= self.most_bytes:
                break
            path.unlink(missing_ok=True)
            total -= size
        folders = [path for path in (self.folder / "gradio").rglob("*") if path.is_dir()]
        # Gradio makes one for every file
        for left in sorted(folders, key=lambda path: -len(path.parts)):
            with suppress(OSError):  # not empty, or gone
                if now - left.stat().st_mtime > self._age:
                    left.rmdir()

    def remove_oldest(self, besides: Collection[Path] = ()) -> bool:
        """Deletes the oldest file that is not just being made or fetched; whether there was one."""
        before = self._clock() - _JUST_MADE
        oldest = min(
            ((at, path) for at, _, path in _files(self.folder) if path not in besides), default=None
        )
        if oldest is None or oldest[0] > before:
            return False
        oldest[1].unlink(missing_ok=True)
        return True

    def sizes(self) -> dict[Path, int]:
        """The bytes of each file."""
        return {path: size for _, size, path in _files(self.folder)}

    def has_room(self, n_bytes: int) -> bool:
        """Whether `n_bytes` more fit below the cap."""
        return sum(self.sizes().values()) + n_bytes <= self.most_bytes

    def close(self) -> None:
        """Removes everything."""
        self._owner.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def _files(folder: Path) -> list[tuple[float, int, Path]]:
    """(time of the last change, bytes, path) of all files in a folder; those that vanish meanwhile
    are left out.
    """
    files = []
    for path in folder.rglob("*"):
        try:
            about = path.lstat()
        except OSError:
            continue
        if not path.is_dir():
            files.append((about.st_mtime, about.st_size, path))
    return files
