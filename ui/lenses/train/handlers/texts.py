"""Loads training texts from any source, decodes and validates them."""

from dataclasses import dataclass
from pathlib import Path

from gptcore.corpora import CORPORA, corpus, decoded, documents_of
from ui.shared import inputs
from ui.shared.fields import File, Text, declared
from ui.shared.inputs import InputError
from ui.state.limits import Limits

MOST_TEXT = 10**9  # characters; what a server takes is checked when a text is read
YOURS = "yours"
REPEATED = "repeated"
REPEATED_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."


@dataclass(frozen=True, kw_only=True)
class OnText:
    """The source of a form's text: a built-in corpus, sequences that repeat, or the visitor's own
    text.
    """

    corpus: str = YOURS  # a built-in one, YOURS or REPEATED
    written: str = declared(
        Text(title="Your text", noun="Your text", most=MOST_TEXT, lines=4, of_data=True,
             placeholder="Paste it here, or upload a file below."), "",
    )  # fmt: skip
    # goes before pasted text
    file: str | None = declared(File(title="or a .txt file", of_data=True), None)


@dataclass(frozen=True)
class TrainingText:
    """Documents and where they are from; the note says what was done to read them."""

    documents: list[str]
    title: str
    note: str = ""


def find_text(limits: Limits, form: OnText) -> TrainingText:
    """The text that a form asks for.

    Raises:
        InputError: nothing to read, too much, or no text.
    """
    if form.corpus == YOURS:
        return _own_text(limits, form)
    if form.corpus in CORPORA:
        return TrainingText(corpus(form.corpus), CORPORA[form.corpus].title)
    raise InputError(
        f"There is no text {form.corpus[:40]!r}. Choose {', '.join([*CORPORA, REPEATED, YOURS])}."
    )


def text_of_file(limits: Limits, path: Path) -> tuple[str, str]:
    """Returns the text of an uploaded file and how it was decoded, as a sentence or "". Raises
    InputError.
    """
    size = path.stat().st_size if path.is_file() else 0
    if size > limits.training_text_bytes:
        raise InputError(
            f"{path.name} has {size / 1e6:,.1f} MB; this server trains on at most "
            f"{limits.training_text_bytes / 1e6:,.0f} MB. Cut it, or train from the shell."
        )
    return decoded(path.read_bytes(), path.name)


def _own_text(limits: Limits, form: OnText) -> TrainingText:
    if form.file is not None:
        path = Path(form.file)
        text, note = text_of_file(limits, path)
        title = path.name[:40]
    else:
        text = inputs.text(
            form.written, "Your text", most=limits.training_text_bytes, needs_words=True
        )
        title = "your text"
        note = ""
    documents = documents_of(text)
    if not documents:
        raise InputError(f"{title} has no text in it. Paste some, or upload a .txt file.")
    kinds = len(set("".join(documents)))
    if kinds < 2:
        raise InputError(
            f"{title} repeats one character; there is nothing to learn. Give a more varied text."
        )
    return TrainingText(documents, title, note)
