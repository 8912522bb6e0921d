"""The JSON bodies of requests: parsed, or refused by a sentence before they cost anything."""

import json
import math
import re
from typing import Any

# bytes of JSON outside its strings: parsing millions of lists blocks everybody
_LARGEST_SKELETON = 64 << 10
# Possessive quantifiers (++ and *+): backtracking could use gigabytes.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_REMOTE = re.compile(r"\s*(?:[a-zA-Z]+:)?//")  # a remote file path, which Gradio would fetch


_INVALID = (
    "The request is not valid JSON in UTF-8; NaN and Infinity are no JSON either. Send null, a "
    "number or a text."
)


def parsed_body(body: bytes) -> tuple[Any, tuple[int, str] | None]:
    """(the value of a JSON body, its refusal or None): an answer that holds NaN or half a surrogate
    cannot be sent.
    """
    if len(body) > _LARGEST_SKELETON and len(_STRING.sub(b"s", body)) > _LARGEST_SKELETON:
        return None, (413, "This request has too many parts. A list may hold some thousands.")
    try:
        parsed = json.loads(body, parse_constant=_no_number, parse_float=_finite)
        if b"\\ud" in body.lower():
            json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return None, (
            400,
            "The text has half of a surrogate pair, which is no valid Unicode. Remove it.",
        )
    except (ValueError, RecursionError):
        return None, (400, _INVALID)
    if _has_remote_file(parsed):
        return None, (
            400,
            "Upload the file: this server does not fetch files from other addresses.",
        )
    return parsed, None


def _no_number(name: str) -> None:
    raise ValueError(name)


def _finite(written: str) -> float:
    """A number with a point or an exponent; 1e999 is infinite, which JSON has no word for in an
    answer.
    """
    number = float(written)
    if math.isinf(number):
        raise ValueError(written)
    return number


def _has_remote_file(parsed: Any) -> bool:
    """Whether a request refers to a file by URL; Gradio's files are objects with a path."""
    left = [parsed]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            path = one.get("path")
            if isinstance(path, str) and _REMOTE.match(path):
                return True
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return False
