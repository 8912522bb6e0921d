"""Answers as `tests/recorded` keeps them, and where two of them differ."""

import base64
import json
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"
DIGITS = 5  # that are kept of a number
CLOSE = 1.5e-2  # share of a number by which another processor may change it, with three digits
_LONG = 3000  # characters of a text, such as a drawing, whose beginning is kept
_MOST = 30  # differences of an answer that are kept
SMALL = 1e-4  # what is smaller may be anything that small
# names of what is drawn by chance, or timed
DRAWN_ANEW = re.compile(r"(?<![a-z])(key|of|run|workspace|elapsed|rate|seconds|viewing|\w+_ms)$")
_LAST_BITS = 4  # of a packed number
_PACKED = re.compile(
    r"eA(?:[A-Za-z0-9+/]{2})(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
)
_SECONDS = re.compile(r"\d[\d.,]* s\b")
_STAMP = re.compile(r"^#\d+(?: \{.*\})?\n")
_LINES = "lines of JSON"
_DATA = re.compile(r"\b(data|blob):[^\"')\s]{200,}")  # pictures
_WORDS = re.compile("<!-- (.*?) -->")  # in the SVG of matplotlib, whose letters are outlines
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def _told(picture: re.Match[str]) -> str:
    """The words of a drawing that stands in a value; of any other picture its kind."""
    kind, _, drawn = picture[0].partition("image/svg+xml;base64,")
    words = _WORDS.findall(base64.b64decode(drawn).decode()) if drawn else []
    return f"{kind if drawn else picture[1] + ':'}{' | '.join(words)}"


def read(value: Any) -> Any:
    """A value as it is kept: JSON within texts read, no stamp, numbers short."""
    if isinstance(value, str):
        text = _DATA.sub(_told, _STAMP.sub("", value))
        if not text.startswith(("{", "[")):
            return text if len(text) < _LONG else f"{text[:200]}… ({len(text)} characters)"
        try:
            return read(json.loads(text))
        except ValueError:
            return _lines_of(text)
    if isinstance(value, dict):
        return {key: read(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [read(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    return value


def _lines_of(text: str) -> Any:
    """Several lines of JSON, or a text that is none."""
    try:
        lines = [read(json.loads(line)) for line in text.removesuffix("\n").split("\n")]
    except ValueError:
        return text
    return {_LINES: [*filter(_is_kept, lines[:-1]), lines[-1]]}


def _is_kept(line: Any) -> bool:
    """Whether a line stands at this place however fast the machine is: not the speed so far."""
    return line.get("kind") != "stats"


def is_packed(text: str) -> bool:
    """Whether a text is numbers, packed."""
    return bool(_PACKED.fullmatch(text))


def as_sent(kept: Any) -> str:
    """The text that a component gets, of a value that `read` has read."""
    if isinstance(kept, str):
        return kept
    if isinstance(kept, dict) and _LINES in kept:
        return "\n".join(map(as_sent, kept[_LINES]))
    return json.dumps(kept, ensure_ascii=False)


def differences(kept: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where two values that `read` has read differ, by more than a processor may make them."""
    if isinstance(kept, dict) and isinstance(now, dict):
        for key in sorted(kept.keys() | now.keys()):
            if not DRAWN_ANEW.search(key):
                yield from differences(kept.get(key), now.get(key), f"{where}.{key}")
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        for index, pair in enumerate(zip(kept, now, strict=True)):
            yield from differences(*pair, f"{where}[{index}]")
    elif not is_close(kept, now):
        yield f"{where}: {kept!r} was kept, {now!r} is answered"[:300]


def is_close(kept: Any, now: Any) -> bool:
    """Whether two numbers, or two texts of the same words with such numbers, are close."""
    if isinstance(kept, str) and isinstance(now, str):
        if is_packed(kept) and is_packed(now):
            return _close_as_packed(kept, now)
        kept, now = (_SECONDS.sub("some s", text) for text in (kept, now))
        numbers = [_NUMBER.findall(text) for text in (kept, now)]
        same = _NUMBER.sub("", kept) == _NUMBER.sub("", now) and len(numbers[0]) == len(numbers[1])
        return same and all(map(_close_as_written, *numbers))
    if isinstance(kept, int) and isinstance(now, int):  # or bool: a count is a count
        return kept == now
    if isinstance(kept, int | float) and isinstance(now, int | float):
        return math.isclose(kept, now, rel_tol=CLOSE, abs_tol=SMALL)
    return kept == now


def _close_as_written(kept: str, now: str) -> bool:
    """Whether two written numbers differ by no more than one in their last place."""
    if kept == now:
        return True
    _, _, decimals = kept.partition(".")
    if not decimals and "e" not in kept:  # a percentage; a larger number is a count
        is_small = kept.lstrip("-").isdigit() and now.lstrip("-").isdigit()
        return is_small and abs(int(kept) - int(now)) <= 1
    step = 10.0 ** -len(decimals) if "e" not in kept else 0.0
    first, second = (float(text.replace(",", "")) for text in (kept, now))
    return math.isclose(first, second, rel_tol=CLOSE, abs_tol=max(SMALL, 1.01 * step))


def _close_as_packed(kept: str, now: str) -> bool:
    """Whether two packed arrays (`ui.lenses.attention.handlers.codec`) are close."""
    before, after = (zlib.decompress(base64.b64decode(text)) for text in (kept, now))
    if len(before) != len(after) or len(before) % 2:
        return before == after
    is_float = len(before) % 4 == 0 and all(_is_plain(x) for x in memoryview(before).cast("f"))
    kind, apart = ("f", SMALL) if is_float else ("H", _LAST_BITS)
    pairs = zip(memoryview(before).cast(kind), memoryview(after).cast(kind), strict=True)
    return all(math.isclose(*pair, rel_tol=CLOSE, abs_tol=apart) for pair in pairs)


def _is_plain(number: float) -> bool:
    """Whether four bytes that are read as a float are likely to be one."""
    return number == 0 or 1e-9 < abs(number) < 1e9


def leaves(value: Any, where: str = "") -> dict[str, Any]:
    """What stands at the ends of a value that `read` has read, by the way there."""
    if isinstance(value, dict) and value:
        parts = [leaves(item, f"{where}.{key}") for key, item in value.items()]
    elif isinstance(value, list) and value:
        parts = [leaves(item, f"{where}[{index}]") for index, item in enumerate(value)]
    else:
        return {where: value}
    return {way: leaf for part in parts for way, leaf in part.items()}


def changes(base: Any, other: Any) -> dict[str, Any]:
    """What another answer has otherwise, by the way there: at most `_MOST`, evenly spread."""
    before = leaves(base)
    changed = {
        way: leaf
        for way, leaf in leaves(other).items()
        if way not in before or not is_close(before[way], leaf)
    }
    ways = list(changed)
    return {way: changed[way] for way in ways[:: math.ceil(len(ways) / _MOST) or 1]}


def load(name: str) -> Any:
    """A file of `tests/recorded`."""
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))


def save(name: str, value: dict[str, Any]) -> None:
    """Writes a file of `tests/recorded`, an entry to a line."""
    lines = [
        f"{json.dumps(key)}: {json.dumps(item, ensure_ascii=False)}" for key, item in value.items()
    ]
    file = RECORDED / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
