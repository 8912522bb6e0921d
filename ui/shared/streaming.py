"""Streaming generation, shared by all views: admission, pacing, Stop, and statistics."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gptcore.inference.sequence import TokenSequence
from gptcore.inference.token import GeneratedToken
from gptcore.language_model import LanguageModel
from ui.compute.token import Token
from ui.services import Services
from ui.state.sessions import Turn

STOPPED = "stopped"


@dataclass
class Figures:
    """Statistics of one text so far."""

    n: int = 0  # tokens that have arrived; the model may be ahead of them
    # tokens a second of computing, after the first token and without waiting; None while there is
    # one
    rate: float | None = None
    first_ms: float = 0.0  # milliseconds from admission to its first token, waiting included
    end: str = ""  # why it ended: "length", "end-of-text", "stop" or STOPPED; "" while it goes on


@dataclass(frozen=True)
class Update:
    """Progress of texts that are being generated."""

    waiting: str = ""  # the place in the admission queue, in words; "" once they are written
    tokens: Sequence[Token] = ()  # new ones
    # of every text, as they are now; the last update has all ends
    figures: Sequence[Figures] = field(default_factory=list)

    @property
    def made(self) -> list[GeneratedToken]:
        """The new tokens as the core has made them, of whichever text."""
        return [token.made for token in self.tokens]


def stream_text(
    services: Services,
    run: Turn,
    lm: LanguageModel,
    sequences: Sequence[TokenSequence],
    n_tokens: int,
    *,
    use_cache: bool = True,
    tokens_per_second: float = 0,
) -> Iterator[Update]:
    """Generates sequences as one batch, in updates spaced by `Services.update_seconds`.

    Args:
        run: the visitor's action; it ends at the next token once it is no longer wanted.
        n_tokens: most new tokens of each.
        tokens_per_second: the reader's pace; 0 for no limit.

    Yields:
        updates; the first token comes at once, the last update says why each text ended.
    """
    figures = [Figures() for _ in sequences]
    with services.admission.enter() as ticket:
        for place in ticket.waiting(lambda: run.wanted):
            yield Update(waiting=str(place), figures=figures)
        most = n_tokens if ticket.admitted else 0
        tokens = services.write(lm, sequences, most, use_cache=use_cache)
        for new, over in _paced(services, run, tokens, figures, tokens_per_second):
            if all(item.done for item in sequences):  # only paced output remains
                ticket.leave()
            if over:
                for figure, sequence in zip(figures, sequences, strict=True):
                    figure.end = (
                        figure.end or (sequence.end if most and run.wanted else "") or STOPPED
                    )
            yield Update(tokens=new, figures=figures)


def _paced(
    services: Services,
    run: Turn,
    tokens: Iterator[Token],
    figures: list[Figures],
    tokens_per_second: float,
) -> Iterator[tuple[list[Token], bool]]:
    """(the new tokens of an update, whether it is the last); the figures are kept as they
    arrive.
    """
    began = shown = time.perf_counter()
    computed = 0.0
    at_first = 0.0
    new = list[Token]()
    for token in tokens:
        computed += token.seconds
        one = figures[token.text]
        now = time.perf_counter()
        one.n = one.n + 1
        one.end = token.made.end
        first = at_first == 0.0
        if first:
            at_first = computed
        if one.n == 1:
            one.first_ms = 1e3 * (now - began)
        elif computed > at_first:
            one.rate = (one.n - 1) / (computed - at_first)
        new.append(token)
        if tokens_per_second:
            _wait_until(began + max(figure.n for figure in figures) / tokens_per_second, run)
        if not run.wanted:
            break
        if first or time.perf_counter() - shown >= services.update_seconds:
            shown = time.perf_counter()
            yield new, False
            new = []
    yield new, True


def _wait_until(moment: float, run: Turn) -> None:
    """Sleeps until a moment of time.perf_counter, or until the run should end."""
    while run.wanted and (left := moment - time.perf_counter()) > 0:
        time.sleep(min(0.05, left))
