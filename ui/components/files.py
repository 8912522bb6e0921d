"""Reads a component's JavaScript and style sheet from beside its Python file."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def beside(name: str) -> str:
    """The text of a file in this folder, such as "token_stream.js"."""
    return (_HERE / name).read_text(encoding="utf-8")
