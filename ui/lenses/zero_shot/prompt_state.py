"""What the tab remembers beside its fields, for each visitor's page."""

from dataclasses import dataclass

import gradio as gr

from ui.lenses.zero_shot.events import DRAWN
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample


@dataclass(frozen=True)
class PromptState:
    """The states of the page's prompt.

    Args:
        drawn: the task's own input with its answer, as DRAWN names them: an input that was changed
            has another answer.
        composed: {"prompt", "fields"}, the prompt that was composed last, and of what.
    """

    drawn: gr.State
    composed: gr.State

    @staticmethod
    def of(example: ZeroShotExample) -> "PromptState":
        """Creates the state as the page opens."""
        drawn = [example.values[name] for name in DRAWN]
        return PromptState(gr.State(drawn), gr.State({"prompt": example.prompt, "fields": None}))
