"""What the page and the server say to each other: the types of requests, answers and component values.

`python -m tests.tools.payload_types` writes the same types for the components' JavaScript, which `tsc` checks; a test
compares them. Requests come from a browser and are untrusted: they are annotated as `object`, with what they are meant
to be, and read field by field.
"""

from __future__ import annotations

from typing import Any


def fields(request: object, *names: str) -> list[Any]:
    """The named fields of an untrusted request; None for those that it lacks, and for all if it is no object."""
    given = request if isinstance(request, dict) else {}
    return [given.get(name) for name in names]
