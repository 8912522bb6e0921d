"""Fetches text of a public Hugging Face data set through the Hub's rows API."""

from collections import Counter
from typing import Any

import httpx

from ui.shared.inputs import InputError

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
