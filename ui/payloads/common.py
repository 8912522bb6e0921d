"""Requests and answers that several views share."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

Format = Literal["png", "svg"]
Choice = tuple[str, float, int]  # a token: label, probability, id
Guess = tuple[str, float]  # label, probability


class Said(TypedDict):
    """A sentence, or "" where there is nothing to say."""

    said: str


class SlideRequest(TypedDict):
    """A component's value as a slide."""

    value: str
    format: Format
    dark: bool


class TextRequest(TypedDict):
    """A text for a model to read."""

    model: str
    text: str
