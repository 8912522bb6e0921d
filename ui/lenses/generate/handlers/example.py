"""What Generate shows at first: a finished text, its last distribution, and a text with its surprise."""

from __future__ import annotations

from dataclasses import dataclass

from ui.shared.inputs import WritingForm
from ui.state.sessions import Document, NextToken


@dataclass(frozen=True)
class WritingExample:
    """A finished text of the default model, how it was written, and a scored text."""

    document: Document
    next_token: NextToken
    distribution: str
    form: WritingForm
    scored_text: str
    scored: str

    @property
    def stream(self) -> str:
        """The written text, as the page shows it."""
        return self.document.stream
