"""The words of the little world, read from the lists beside this file."""

from functools import cache
from pathlib import Path

from weights.recipes.world.english import past

_HERE = Path(__file__).resolve().parent


def sections(file: str, folder: Path = _HERE) -> dict[str, list[str]]:
    """The lines under each [heading] of a list."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (folder / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]")] = []
        elif line.strip():
            lines.append(line.strip())
    return found


@cache
def entries(file: str, folder: Path = _HERE) -> dict[str, list[str]]:
    """The phrases under each [heading] of a list in which bars stand between them, in their
    order.
    """
    return {
        name: [part for line in lines for part in line.split(" | ")]
        for name, lines in sections(file, folder).items()
    }


def sayings(section: str) -> list[str]:
    """The phrases and sentences of a section of sayings.txt."""
    return entries("sayings.txt")[section]


def paired(section: str) -> list[list[str]]:
    """The sayings of a section in the parts of each, between which "=" stands."""
    return [[part.strip() for part in saying.split("=")] for saying in sayings(section)]


@cache
def _words() -> dict[str, list[str]]:
    return {
        name: [w for line in lines for w in line.split(", ")]
        for name, lines in sections("words.txt").items()
    }


def words(section: str) -> list[str]:
    """The words of a section of words.txt."""
    return _words()[section]


@cache
def verbs(section: str) -> list[tuple[str, str]]:
    """(base, past) of the verbs of a section of words.txt."""
    return [
        (base, given or past(base))
        for base, _, given in (verb.partition("/") for verb in words(section))
    ]


@cache
def pairs() -> dict[str, list[tuple[str, str]]]:
    """Word pairs by relation, such as opposites: (first, second) each."""
    found = {}
    for name, lines in sections("pairs.txt").items():
        couples = (pair.split(" ") for line in lines for pair in line.split(", "))
        found[name] = [(first, second) for first, second in couples]
    return found


@cache
def jobs() -> list[tuple[str, str]]:
    """(job, what one does in it)."""
    lines = (_HERE / "jobs.txt").read_text(encoding="utf-8").splitlines()
    return [(job, work) for job, work in (line.split(" | ") for line in lines if line)]
