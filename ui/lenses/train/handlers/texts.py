"""Loads training texts from any source, decodes and validates them."""

from dataclasses import dataclass
from pathlib import Path

from gptcore.corpora import CORPORA, corpus
from gptcore.corpora.files import decoded, documents_of
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.state.limits import Limits

YOURS, DATA_SET, REPEATED = "yours", "data set", "repeated"
REPEATED_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."


@dataclass(frozen=True)
class TextSource:
    """Where a text shall come from."""

    name: str  # a built-in corpus, YOURS, DATA_SET or REPEATED
    written: object = ""  # pasted text, for YOURS; checked when it is read
    file: str | None = None  # path of an uploaded file, which goes before pasted text, or None
    data_set: object = ""  # a data set's name on the Hugging Face Hub, for DATA_SET; checked when it is fetched


@dataclass(frozen=True)
class TrainingText:
    """Documents and where they are from; the note says what was done to read them."""

    documents: list[str]
    title: str
    note: str = ""


def find_text(limits: Limits, source: TextSource, *, offline: bool) -> TrainingText:
    """The text that a form asks for.

    Args:
        limits: of this server.
        source: where it is.
        offline: never use the network.

    Raises:
        InputError: nothing to read, too much, or no text.
    """
    if source.name == DATA_SET:
        from ui.lenses.train.handlers.data_sets import fetch_rows

        wanted = inputs.text(source.data_set, "The data set's name", most=200, least=1).strip()
        return TrainingText(fetch_rows(wanted, offline=offline, most_bytes=limits.training_text_bytes), wanted)
    if source.name == YOURS:
        return _own_text(limits, source)
    if source.name in CORPORA:
        return TrainingText(corpus(source.name), CORPORA[source.name].title)
    raise InputError(f"There is no text {source.name[:40]!r}. Choose {', '.join([*CORPORA, REPEATED, YOURS])}.")


def _own_text(limits: Limits, source: TextSource) -> TrainingText:
    if source.file is not None:
        path = Path(source.file)
        size = path.stat().st_size if path.is_file() else 0
        if size > limits.training_text_bytes:
            raise InputError(
                f"{path.name} has {size / 1e6:,.1f} MB; this server trains on at most "
                f"{limits.training_text_bytes / 1e6:,.0f} MB. Cut it, or train from the shell."
            )
        text, note = decoded(path.read_bytes(), path.name)
        title = path.name[:40]
    else:
        text = inputs.text(source.written, "Your text", most=limits.training_text_bytes, least=1)
        title, note = "your text", ""
    documents = documents_of(text)
    if not documents:
        raise InputError(f"{title} has no text in it. Paste some, or upload a .txt file.")
    kinds = len(set("".join(documents)))
    if kinds < 2:
        raise InputError(f"{title} repeats one character; there is nothing to learn. Give a more varied text.")
    return TrainingText(documents, title, note)
