"""Tables for the page and for a file: sections of a title, a sentence, columns and rows."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Link:
    """A cell that links to another place on the page."""

    text: str  # what stands there
    to: str  # "tab=...&view=...&choose=...", as steps of a tour name it.


# Placeholder while a result is being computed.
COMPUTING = "Computing…"

Cell = str | int | float | Link


@dataclass(frozen=True)
class Bar:
    """A share with its confidence interval, drawn as a bar."""

    label: str  # in front
    # value, low, high: the share and its interval, 0 to 1
    value: float
    low: float
    high: float
    says: str  # the share as people read it, the same as in the table
    chance: float | None = None  # what guessing reaches, or None


@dataclass(frozen=True)
class Stack:
    """A number as the sum of its parts, drawn as one bar."""

    # label, says: the number in front, and a few words behind it
    label: str
    says: str
    parts: Sequence[int]  # a count for each of the section's `parts`


@dataclass(frozen=True)
class Section:
    """One table."""

    # title, text: above it; plain words first
    title: str
    text: str
    columns: Sequence[str]  # headings
    # cells, text, numbers or links; the last row of a sum may be marked
    rows: Sequence[Sequence[Cell]]
    sums: Sequence[int] = ()  # indices of rows that are sums
    source: str = ""  # where facts come from, or ""
    bars: Sequence[Bar] = ()  # drawn above the table
    # parts, stacks: names of parts, and numbers as their sums, drawn above the table
    parts: Sequence[str] = ()
    stacks: Sequence[Stack] = ()
    folded: bool = False  # whether the table opens on a click, alone or with its title
    said: str = ""  # a conclusion in words, from the numbers of this table, or ""


def sheet(sections: Sequence[Section]) -> str:
    """The component's value."""
    return json.dumps({"sections": [asdict(section) for section in sections]}, ensure_ascii=False)


def message(text: str) -> str:
    """Placeholder message when there is nothing to show."""
    return json.dumps({"message": text}, ensure_ascii=False)


def size(n_bytes: float) -> str:
    """Bytes for people, in powers of ten: "497.8 MB"."""
    for unit in ("B", "kB", "MB", "GB", "TB", "PB", "EB"):
        if n_bytes < 1000:
            return f"{n_bytes:,.0f} {unit}" if unit == "B" else f"{n_bytes:,.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} ZB"


def big(number: float) -> str:
    """A large number for people: "249.0 M", "2.1 trillion"."""
    for limit, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= limit:
            return f"{number / limit:,.1f} {word}"
    return f"{number:,.0f}"


def duration(seconds: float) -> str:
    """A time for people: "3.2 h", "41 days"."""
    for limit, word in (
        (2 * 365.25 * 86400, "years"),
        (2 * 86400, "days"),
        (5400, "h"),
        (90, "min"),
    ):
        if seconds >= limit:
            unit = {"years": 365.25 * 86400, "days": 86400, "h": 3600, "min": 60}[word]
            return f"{seconds / unit:,.1f} {word}"
    return f"{seconds:.1f} s"
