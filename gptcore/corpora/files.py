"""Text files as documents."""

from __future__ import annotations

import gzip
from pathlib import Path

from gptcore.errors import TrainingError
from gptcore.tokenizers.base import END_OF_TEXT


def read_documents(path: str | Path) -> list[str]:
    """The documents of a UTF-8 text file, separated by lines that hold only the end-of-text marker.

    A file whose name ends in .gz is decompressed.

    Raises:
        TrainingError: the file is missing, empty or not UTF-8 text.
    """
    try:
        with (gzip.open if Path(path).suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            text = file.read()
    except (OSError, EOFError) as error:
        raise TrainingError(f"The text {path} cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 text (byte {error.start}). Convert it first.") from None
    documents = [document.strip("\n") for document in f"{text}\n".split(f"\n{END_OF_TEXT}\n")]
    documents = [document for document in documents if document.strip()]
    if not documents:
        raise TrainingError(f"{path} has no text in it.")
    return documents
