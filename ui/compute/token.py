"""A token on its way from the thread that computes it to the page."""

from dataclasses import dataclass

from gptcore.inference.token import GeneratedToken


@dataclass(frozen=True, slots=True)
class Token:
    """A token of one of the texts that are written together."""

    text: int  # number of its text
    made: GeneratedToken  # as the core has made it
    seconds: float  # of computing it
