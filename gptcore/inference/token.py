"""A generated token: what generation yields."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Alternative:
    """A token that the model might have written, with its natural log-probability before any
    control.
    """

    id: int
    logprob: float


@dataclass(frozen=True)
class GeneratedToken:
    """One new token."""

    id: int  # its number
    # the characters that it completes; "" for a part of a character and for the end-of-text token.
    # A character that is incomplete when the length is reached is left out.
    text: str
    logprob: float  # the model's own log-probability, natural, before temperature and cuts
    rank: int  # 1 for the model's favourite
    sampling_probability: float  # the chance it had after all controls
    n_candidates: int  # tokens that were left to choose from
    # the model's most likely tokens, best first, the chosen one among them or not
    alternatives: tuple[Alternative, ...]
    context_start: int = (
        0  # index of the context's first token in the text; above 0 once the window was full
    )
    # "" while it goes on, else why this token is the last: "length", "end-of-text" or "stop"
    end: str = ""
