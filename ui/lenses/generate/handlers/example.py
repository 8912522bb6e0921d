"""What Generate shows at first: a finished text, its last distribution."""

from dataclasses import dataclass

from ui.shared.inputs import WritingForm
from ui.state.sessions import Document, NextToken


@dataclass(frozen=True)
class WritingExample:
    """A finished text of the default model how it was written, and an answered message."""

    document: Document
    next_token: NextToken
    distribution: str
    form: WritingForm
    chat: str

    @property
    def stream(self) -> str:
        """The written text, as the page shows it."""
        return self.document.stream
