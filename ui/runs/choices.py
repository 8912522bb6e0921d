"""Preference votes: an audience's choices between two answers of a model, per workspace."""

import threading
from dataclasses import dataclass, field

from gptcore.finetuning.answering import Answer
from gptcore.finetuning.preference import PreferencePair


@dataclass
class Choices:
    """What an audience has chosen so far."""

    # the preferred answer with the other one, of the model that wrote them
    pairs: list[PreferencePair] = field(default_factory=list)
    model: str = ""  # id of the run that made this model
    shown: tuple[str, Answer, Answer] | None = None  # the prompt and the two answers on screen
    number: int = 0  # of that question
    lock: threading.Lock = field(default_factory=threading.Lock)
