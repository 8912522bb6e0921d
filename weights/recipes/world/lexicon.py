"""The words of the little world, read from the lists beside this file."""

from functools import cache
from pathlib import Path

from weights.recipes.world.english import past

_FUNCTION_WORDS = frozenset(
    "a an the and or of at in on out up down off into who that is their her his with for to by".split()  # noqa: SIM905
)
_NAMES = ("girls", "boys", "towns")
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
def _words() -> dict[str, list[str]]:
    return {name: [w for line in lines for w in line.split(", ")] for name, lines in sections("words.txt").items()}


def words(section: str) -> list[str]:
    """The words of a section of words.txt."""
    return _words()[section]


@cache
def verbs(section: str) -> list[tuple[str, str]]:
    """(base, past) of the verbs of a section of words.txt."""
    return [(base, given or past(base)) for base, _, given in (verb.partition("/") for verb in words(section))]


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


def content_words() -> set[str]:
    """Every single word that the lists know in English, without names and the function words of phrases."""
    lists = [words(section) for section in _words() if section not in _NAMES]
    phrases = [word.partition("/")[0] for section in lists for word in section]
    phrases += [word for couples in pairs().values() for couple in couples for word in couple]
    phrases += [phrase for job in jobs() for phrase in job]
    phrases += [
        line.partition(" | ")[0].partition("/")[0] for lines in sections("french.txt").values() for line in lines
    ]
    found = {word.strip(",?").lower() for phrase in phrases for word in phrase.split()}
    return found - _FUNCTION_WORDS
