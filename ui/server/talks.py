"""Talks as text files: scenes with a link, a sentence for the hall and notes for the speaker, and
warnings about them.

The page's script reads the same format (`rooms/hall/view/tour_text.js`);
`ui/rooms/hall/talks/README.md` describes it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from gptcore.errors import GPTCoreError
from ui import links
from ui.shared.model_figures import filled
from ui.views import TAB_NAMES, TABS

_MOST_BYTES = 1_000_000
_LINK = re.compile(r"(https?://[^?]*)?\?")
_OF_SCENES = ("once", "choose", "press", "start", "hide")
_TEXTS = {"text", "prompt"}


@dataclass(frozen=True)
class Scene:
    """A step of a talk."""

    line: int  # of its link in the file, from 1
    link: dict[str, str]  # settings of the page, by their names
    point: str  # a CSS selector of what is framed, or ""
    say: str  # what the hall reads
    notes: str  # what the speaker alone reads


@dataclass(frozen=True)
class Talk:
    """A title and its scenes."""

    title: str  # of the talk
    scenes: tuple[Scene, ...]  # in their order
    unlinked: tuple[
        int, ...
    ] = ()  # lines where text without a link begins, which the page does not show
    second: tuple[
        int, ...
    ] = ()  # lines of a scene that begin with “?” after its link, which the page does not show


def read_talk(path: str | Path) -> tuple[str, Talk]:
    """The text of a talk's file, and what it says.

    Raises:
        GPTCoreError: a file that cannot be read, or is no talk.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise GPTCoreError(
                f"{file} has more than {_MOST_BYTES:,} bytes; a talk is a short text file."
            )
        text = filled(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GPTCoreError(f"The talk {file} cannot be read: {error}") from error
    return text, parse_talk(text, str(file))


def without_notes(text: str) -> str:
    """Removes the speaker's notes from the text of a talk."""
    return "\n".join(line for line in text.split("\n") if not line.strip().startswith(">"))


def parse_talk(text: str, name: str = "This file") -> Talk:
    """Reads a talk. Raises GPTCoreError for a text without scenes."""
    title = "A talk"
    scenes = list[Scene]()
    number = 0
    unlinked = list[int]()
    second = list[int]()
    for block in re.split(r"\n[ \t]*\n", text.replace("\r", "")):
        lines = [line.strip() for line in block.split("\n")]
        starts = number
        number += len(lines) + 1
        at = next((index for index, line in enumerate(lines) if _LINK.match(line)), None)
        told = [
            line
            for index, line in enumerate(lines)
            if line and index != at and line[0] not in "?@>"
        ]
        if at is not None:
            point = next((line[1:].strip() for line in lines if line.startswith("@")), "")
            notes = " ".join(line[1:].strip() for line in lines if line.startswith(">"))
            link = dict(parse_qsl(_LINK.sub("", lines[at], count=1), keep_blank_values=True))
            asking = [
                index for index, line in enumerate(lines) if line.startswith("?") and index != at
            ]
            second += [starts + place + 1 for place in asking]
            scenes.append(Scene(starts + at + 1, link, point, " ".join(told), notes))
        elif told and not scenes:
            title = re.sub(r"^#\s*", "", " ".join(told))
        elif told:
            unlinked.append(starts + 1)
    if not scenes:
        raise GPTCoreError(
            f"{name} has no scenes. A scene is a line like ?tab=generate and a sentence below it; "
            "an empty line stands between two scenes."
        )
    return Talk(title, tuple(scenes), tuple(unlinked), tuple(second))


def text_warnings(talk: Talk) -> list[tuple[int, str]]:
    """Returns the line and a sentence for each text that the page does not show."""
    without_link = "text without a link; begin the scene with a line like ?tab=start"
    asking = "a sentence that begins with “?” is not shown, since a link does; begin it with a word"
    found = [(line, without_link) for line in talk.unlinked] + [
        (line, asking) for line in talk.second
    ]
    return [(line, f"line {line}: {sentence}") for line, sentence in sorted(found)]


def context_warnings(talk: Talk) -> Iterator[tuple[int, str]]:
    """Yields the line and a sentence for each scene that shows the text of the one before it,
    whichever that is.
    """
    if any(_TEXTS & scene.link.keys() for scene in talk.scenes):
        for scene in talk.scenes:
            tab = next((item for item in TABS if item.name == scene.link.get("tab")), None)
            if (
                tab
                and tab.shows_sentence_in(scene.link.get("view", ""))
                and not _TEXTS & scene.link.keys()
            ):
                said = (
                    f"line {scene.line}: no text, so what this scene shows depends on the one "
                    "before; add text=..."
                )
                yield scene.line, said


def warnings_of(talk: Talk) -> Iterator[str]:
    """Yields all warnings of a talk but those of `context_warnings`."""
    yield from (sentence for _, sentence in text_warnings(talk))
    for scene in talk.scenes:
        yield from scene_warnings(scene)


def scene_warnings(scene: Scene) -> Iterator[str]:
    """A sentence for each thing of a scene that the page could not show, with its line and
    field.
    """
    where = f"line {scene.line}"
    if not scene.link.get("tab"):
        yield f"{where}: no tab; choose {', '.join(TAB_NAMES)}"
    settings = {name: value for name, value in scene.link.items() if name not in _OF_SCENES}
    sentences = links.mistakes(settings)
    told = " ".join(sentences)
    sentences += [
        f"{name!r} is no setting of this page"
        for name in links.unknown(settings)
        if repr(name) not in told
    ]
    yield from (f"{where}: {sentence}" for sentence in sentences)
    if not scene.say:
        yield f"{where}: no sentence for the hall"
