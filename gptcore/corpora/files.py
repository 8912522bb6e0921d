"""Text files as documents."""

from __future__ import annotations

from pathlib import Path

from gptcore.errors import TrainingError
from gptcore.tokenizers.base import END_OF_TEXT


def read_documents(path: str | Path) -> list[str]:
    """The documents of a UTF-8 text file, separated by lines that hold only the end-of-text marker.

    Raises:
        TrainingError: the file is missing, empty or not UTF-8 text.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise TrainingError(f"The text {path} cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is no UTF-8 text (byte {error.start}). Convert it first.") from None
    documents = [document.strip("\n") for document in f"{text}\n".split(f"\n{END_OF_TEXT}\n")]
    documents = [document for document in documents if document.strip()]
    if not documents:
        raise TrainingError(f"{path} has no text in it.")
    return documents
