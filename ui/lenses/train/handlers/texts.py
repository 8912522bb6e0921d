"""Loads training texts from any source, decodes and validates them; a public data set by the Hub's rows API."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from gptcore.corpora import CORPORA, corpus, decoded, documents_of
from ui.shared import inputs
from ui.shared.fields import File, Text, declared
from ui.shared.inputs import InputError
from ui.state.limits import Limits

MOST_TEXT = 10**9  # characters; what a server takes is checked when a text is read
YOURS, DATA_SET, REPEATED = "yours", "data set", "repeated"
REPEATED_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."


@dataclass(frozen=True, kw_only=True)
class OnText:
    """Where the text of a form shall come from."""

    corpus: str = YOURS  # a built-in one, YOURS, DATA_SET or REPEATED
    written: str = declared(
        Text(title="Your text", noun="Your text", most=MOST_TEXT, lines=4, of_data=True,
             placeholder="Paste it here, or upload a file below."), "",
    )  # fmt: skip
    file: str | None = declared(File(title="or a .txt file", of_data=True), None)  # goes before pasted text
    data_set: str = declared(
        Text(title="Data set", most=200, id="data-set", info="owner/name on the Hugging Face Hub", linked=False,
             of_data=True), "",
    )  # fmt: skip


@dataclass(frozen=True)
class TrainingText:
    """Documents and where they are from; the note says what was done to read them."""

    documents: list[str]
    title: str
    note: str = ""


def find_text(limits: Limits, form: OnText, *, offline: bool) -> TrainingText:
    """The text that a form asks for; `offline` never uses the network.

    Raises:
        InputError: nothing to read, too much, or no text.
    """
    if form.corpus == DATA_SET:
        wanted = inputs.text(form.data_set, "The data set's name", most=200, least=1).strip()
        return TrainingText(fetch_rows(wanted, offline=offline, most_bytes=limits.training_text_bytes), wanted)
    if form.corpus == YOURS:
        return _own_text(limits, form)
    if form.corpus in CORPORA:
        return TrainingText(corpus(form.corpus), CORPORA[form.corpus].title)
    raise InputError(f"There is no text {form.corpus[:40]!r}. Choose {', '.join([*CORPORA, REPEATED, YOURS])}.")


def _own_text(limits: Limits, form: OnText) -> TrainingText:
    if form.file is not None:
        path = Path(form.file)
        size = path.stat().st_size if path.is_file() else 0
        if size > limits.training_text_bytes:
            raise InputError(
                f"{path.name} has {size / 1e6:,.1f} MB; this server trains on at most "
                f"{limits.training_text_bytes / 1e6:,.0f} MB. Cut it, or train from the shell."
            )
        text, note = decoded(path.read_bytes(), path.name)
        title = path.name[:40]
    else:
        text = inputs.text(form.written, "Your text", most=limits.training_text_bytes, least=1)
        title, note = "your text", ""
    documents = documents_of(text)
    if not documents:
        raise InputError(f"{title} has no text in it. Paste some, or upload a .txt file.")
    kinds = len(set("".join(documents)))
    if kinds < 2:
        raise InputError(f"{title} repeats one character; there is nothing to learn. Give a more varied text.")
    return TrainingText(documents, title, note)


_SERVICE = "https://datasets-server.huggingface.co"
_ROWS, _MOST_CALLS = 100, 50


def fetch_rows(name: str, *, offline: bool, most_bytes: int, transport: httpx.BaseTransport | None = None) -> list[str]:
    """The longest text field of the first rows, one document per row, up to a size.

    Args:
        name: "owner/name" or "name" of a public data set.
        offline: answer with a sentence instead of asking.
        most_bytes: UTF-8 bytes to fetch at most.
        transport: replaces the network in tests.

    Raises:
        InputError: offline, unknown, without text, or not reachable.
    """
    if offline:
        raise InputError(f"The data set {name} needs a network, and this app runs offline. Choose a built-in text.")
    try:
        with httpx.Client(base_url=_SERVICE, timeout=20.0, transport=transport, follow_redirects=True) as client:
            splits = _get(client, "/splits", {"dataset": name}, name)["splits"]
            chosen = next((s for s in splits if s["split"] == "train"), splits[0])
            where = {"dataset": name, "config": chosen["config"], "split": chosen["split"], "length": _ROWS}
            documents, size, column = [], 0, None
            for call in range(_MOST_CALLS):
                entries = _get(client, "/rows", {**where, "offset": call * _ROWS}, name)["rows"]
                rows = [entry["row"] for entry in entries]
                column = column or _text_column(rows, name)
                texts = [text for row in rows if isinstance(text := row.get(column), str) and text.strip()]
                documents += [text.strip() for text in texts]
                size += sum(len(text.encode("utf-8")) for text in texts)
                if len(rows) < _ROWS or size >= most_bytes:
                    break
    except (httpx.HTTPError, KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f"The data set {name} could not be fetched ({type(error).__name__}). Check the name and the network, "
            "or choose a built-in text."
        ) from None
    return documents


def _get(client: httpx.Client, path: str, query: dict[str, Any], name: str) -> dict[str, Any]:
    answer = client.get(path, params=query)
    if answer.status_code in (401, 403, 404, 422):
        raise InputError(f"There is no public data set {name!r} with readable rows. Check its name on the Hub.")
    answer.raise_for_status()
    return answer.json()


def _text_column(rows: list[dict[str, Any]], name: str) -> str:
    sizes = Counter[str]()
    for row in rows:
        sizes.update({column: len(value) for column, value in row.items() if isinstance(value, str)})
    if not sizes:
        raise InputError(f"The data set {name} has no column of text. Choose another.")
    return "text" if "text" in sizes else sizes.most_common(1)[0][0]
