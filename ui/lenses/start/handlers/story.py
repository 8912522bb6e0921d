"""The story behind the page: the objective, GPT-1's numbers, its rivals, its ancestor and its
descendants.
"""

from pathlib import Path
from typing import Annotated

from ui.services import Services

# Chapters: a title; a text of one or two sentences; what it shows: "objective" (computed on the
# sentence on the page), "options" (three drawings) or "tables", which are its sections.
_FILE = Path(__file__).with_name("story.json")


def chapters(services: Services, request: Annotated[object, None]) -> str:
    """All chapters, as JSON; ignores the request."""
    return _FILE.read_text(encoding="utf-8")
