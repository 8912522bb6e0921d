"""The lock with hashes says what requirements.txt says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PIN = re.compile(r"^([a-zA-Z0-9_.-]+)==([^\s\\;]+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in _PIN.findall(text)}


def test_every_requirement_is_locked_at_its_version_and_everything_locked_has_a_hash():
    wanted = pins((ROOT / "requirements.txt").read_text())
    lock = (ROOT / ".ci" / "requirements.lock").read_text()
    locked = pins(lock)
    assert len(wanted) > 10 and wanted.items() <= locked.items()
    entries = re.split(r"^(?=[a-zA-Z0-9_.-]+==)", lock, flags=re.MULTILINE)[1:]
    assert len(entries) >= len(locked) and all("--hash=sha256:" in entry for entry in entries)
    # Of a package with a build for each system and Python, more than one file is known; a second version has a marker.
    (torch,) = [entry for entry in entries if entry.startswith("torch==")]
    assert torch.count("--hash=") > 10
    names = [re.match(r"[^=]+", entry)[0] for entry in entries]
    twice = [entry for entry in entries if names.count(re.match(r"[^=]+", entry)[0]) > 1]
    assert all("python_full_version" in entry.partition("\\")[0] for entry in twice)
    assert "://" not in lock
