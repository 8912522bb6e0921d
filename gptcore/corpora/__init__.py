"""Built-in training corpora (no download), and text files as documents: of any encoding that people
have.
"""

import gzip
import logging
import re
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from gptcore.errors import TrainingError
from gptcore.language_model import BUNDLED
from gptcore.tokenizers.base import END_OF_TEXT

_ANTHOLOGY = Path(__file__).resolve().parent / "anthology.txt"
_MOST_SOURCE = 2_000_000  # characters
_MOST_CONTROLS = 0.01  # share of a text's characters
_log = logging.getLogger("gptlens")


@dataclass(frozen=True)
class Corpus:
    """A built-in text."""

    title: str  # what it is called on a page
    about: str  # a sentence on what is in it
    documents: Callable[[], list[str]]  # makes its documents


def corpus(name: str) -> list[str]:
    """The documents of a built-in corpus. Raises TrainingError for an unknown name."""
    if name not in CORPORA:
        raise TrainingError(
            f"There is no built-in corpus {name!r}. Choose {', '.join(CORPORA)}, or give a text."
        )
    return CORPORA[name].documents()


def documents_of(text: str) -> list[str]:
    """The documents of a text, separated by the end-of-text marker, wherever it stands; blank ones
    are left out.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    documents = lines.split(END_OF_TEXT)
    return [document.strip("\n") for document in documents if document.strip()]


def stories_of(text: str) -> list[str]:
    """Splits a text into stories as `documents_of` does; a text without a marker is divided at its
    empty lines.
    """
    documents = documents_of(text)
    if len(documents) > 1:
        return documents
    return [
        part.strip()
        for document in documents
        for part in re.split(r"\n[ \t]*\n", document)
        if part.strip()
    ]


def decoded(raw: bytes, name: str) -> tuple[str, str]:
    """(the text, a note on how it was read or ""): UTF-8, UTF-16 with its mark, else line by line
    as far as it goes.

    Raises:
        TrainingError: bytes that are no text.
    """
    if raw[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):  # begins like UTF-16's mark
        return raw.decode("utf-32", errors="replace"), f"{name} was read as UTF-32."
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace"), f"{name} was read as UTF-16."
    if b"\0" in raw:
        raise TrainingError(f"{name} is not text: it has zero bytes. Give a plain .txt file.")
    try:
        return raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        pass
    lines = []
    other = 0
    for line in raw.split(b"\n"):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode("cp1252", errors="replace"))
            other += 1
    text = "\n".join(lines)
    strange = sum(character < " " and character not in "\n\r\t\f" for character in text)
    if strange > _MOST_CONTROLS * len(text):
        raise TrainingError(
            f"{name} is not text: {strange:,} of its {len(text):,} characters are control "
            "characters."
        )
    return text, f"{other:,} line(s) of {name} were not UTF-8 and were read as Windows-1252."


def read_documents(
    path: str | Path, divided: Callable[[str], list[str]] = documents_of
) -> list[str]:
    """The documents of a text file, see `documents_of` and `stories_of`; one whose name ends in .gz
    is decompressed.

    Raises:
        TrainingError: the file is missing, empty or no text.
    """
    try:
        raw = Path(path).read_bytes()
        raw = gzip.decompress(raw) if Path(path).suffix == ".gz" else raw
    except (OSError, EOFError) as error:
        raise TrainingError(
            f"The text {path} cannot be read ({getattr(error, 'strerror', None) or error})."
        ) from None
    text, note = decoded(raw, str(path))
    if note:
        _log.warning(note)
    documents = divided(text)
    if not documents:
        raise TrainingError(f"{path} has no text in it.")
    return documents


def _python_reference() -> list[str]:
    topics: dict[str, str] = import_module("pydoc_data.topics").topics
    return list(dict.fromkeys(text.strip() for _, text in sorted(topics.items())))


def _python_source() -> list[str]:
    """The modules of the standard library's top level, in alphabetical order, up to about two
    million characters.
    """
    documents = []
    size = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        if text and size + len(text) <= _MOST_SOURCE:
            documents.append(text)
            size += len(text)
    return documents


# The pages beside the `world` model are those that `python -m weights.recipes.freeze` wrote.
CORPORA: dict[str, Corpus] = {
    "anthology": Corpus(
        "Anthology",
        "184 little stories, dialogues, letters, recipes, riddles and rhymes in simple "
        "English, written for this app",
        lambda: read_documents(_ANTHOLOGY),
    ),
    "world": Corpus(
        "A small web with tasks",
        "made-up stories, reviews, sums, French lines and questions, which show tasks as the "
        "web shows them",
        lambda: read_documents(BUNDLED / "world" / "pages.txt.gz"),
    ),
    "stories": Corpus(
        "Stories",
        "21,891 little stories that the bundled mini wrote",
        lambda: read_documents(BUNDLED / "mini" / "stories.txt.gz"),
    ),
    "tasks": Corpus(
        "Three tasks",
        "pages of the small web that ask for a last word, put a question about a text or sum a "
        "text up",
        lambda: read_documents(BUNDLED / "world" / "task_pages.txt.gz"),
    ),
    "python_reference": Corpus(
        "Python's language reference",
        "the help texts that come with Python, from `pydoc`",
        _python_reference,
    ),
    "python_source": Corpus(
        "Python's own source",
        "modules of the standard library, as installed on this machine",
        _python_source,
    ),
}
