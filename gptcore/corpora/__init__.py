"""Built-in training corpora (no download): an anthology written for this project, and texts that ship with Python."""

import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from gptcore.corpora.files import read_documents
from gptcore.errors import TrainingError
from gptcore.language_model import BUNDLED

_ANTHOLOGY = Path(__file__).resolve().parent / "anthology.txt"
_MOST_SOURCE = 2_000_000  # characters


@dataclass(frozen=True)
class Corpus:
    """A built-in text.

    Attributes:
        title: what it is called on a page.
        about: a sentence on what is in it.
        documents: makes its documents.
    """

    title: str
    about: str
    documents: Callable[[], list[str]]


def corpus(name: str) -> list[str]:
    """The documents of a built-in corpus. Raises TrainingError for an unknown name."""
    if name not in CORPORA:
        raise TrainingError(f"There is no built-in corpus {name!r}. Choose {', '.join(CORPORA)}, or give a text.")
    return CORPORA[name].documents()


def _python_reference() -> list[str]:
    topics: dict[str, str] = import_module("pydoc_data.topics").topics
    return list(dict.fromkeys(text.strip() for _, text in sorted(topics.items())))


def _python_source() -> list[str]:
    """The modules of the standard library's top level, in alphabetical order, up to about two million characters."""
    documents, size = [], 0
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
        "184 little stories, dialogues, letters, recipes, riddles and rhymes in simple English, written for this app",
        lambda: read_documents(_ANTHOLOGY),
    ),
    "world": Corpus(
        "A small web with tasks",
        "made-up stories, reviews, sums, French lines and questions, which show tasks as the web shows them",
        lambda: read_documents(BUNDLED / "world" / "pages.txt.gz"),
    ),
    "stories": Corpus(
        "Stories", "21,891 little stories that the bundled mini wrote",
        lambda: read_documents(BUNDLED / "mini" / "stories.txt.gz"),
    ),
    "tasks": Corpus(
        "Three tasks", "pages of the small web that ask for a last word, put a question about a text or sum a text up",
        lambda: read_documents(BUNDLED / "world" / "task_pages.txt.gz"),
    ),
    "python_reference": Corpus(
        "Python's language reference", "the help texts that come with Python, from `pydoc`", _python_reference,
    ),
    "python_source": Corpus(
        "Python's own source", "modules of the standard library, as installed on this machine", _python_source,
    ),
}  # fmt: skip
