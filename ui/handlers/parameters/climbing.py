"""Live retraining of the ladder from bigram to GPT."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from gptcore.corpora import corpus
from gptcore.tokenizers import CharTokenizer
from gptcore.training.ancestors import BATCH, WINDOW, climb
from gptcore.training.baselines import ngram_losses
from gptcore.training.data import split, tokenize
from ui.handlers import ladder
from ui.handlers.inputs import InputError
from ui.handlers.sheets import Section, sheet
from ui.services import Services

UPDATES = (100, 300, 1500)  # of each model
# Name -> what stands in the table: title, and what it sees.
MODELS = {
    "bigram": ("bigram: a table of pairs", "1 character"),
    "mlp": ("MLP on 3 characters", "3 characters"),
    "wavenet": ("WaveNet on 8 characters", "8 characters"),
    "attention": ("attention alone", f"{WINDOW} characters"),
    "gpt": ("the lesson's GPT (char-day19)", f"{WINDOW} characters"),
}
_HELD_OUT = 20_000  # characters of the held-out text


def again(services: Services, session_id: str | None, n_updates: object) -> Iterator[str]:
    """Retrains every model; a stop keeps the results so far.

    Args:
        n_updates: of each model, one of UPDATES.

    Yields:
        a sheet of one section that grows.
    """
    updates = next((known for known in UPDATES if type(n_updates) is int and n_updates == known), None)
    if updates is None:
        raise InputError(f"The number of updates is {str(n_updates)[:40]!r}; choose {', '.join(map(str, UPDATES))}.")
    done: dict[str, tuple[int, float]] = {}
    with services.sessions.get(session_id).turn() as run, services.heavy.enter() as ticket:
        for place in ticket.waiting(lambda: run.wanted):
            yield _shown(done, str(place), updates)
        if not ticket.admitted:
            yield _shown(done, "stopped before it began", updates)
            return
        yield _shown(done, "counting pairs", updates)
        train, valid, vocabulary = services.measure(_texts)
        done["bigram"] = (vocabulary**2, services.measure(lambda: ngram_losses(train, valid, vocabulary)[1]))
        for rung, _ in services.compute(climb(train, valid, vocabulary, updates)):
            if rung.done == updates:
                done[rung.name] = (rung.parameters, rung.loss)
            at = f"{MODELS[rung.name][0]}: update {rung.done} of {updates}, training loss {rung.loss:.2f}"
            if rung.done % 5 == 0 or rung.done == updates:
                yield _shown(done, at, updates)
            if not run.wanted:
                yield _shown(done, "stopped; what is done is kept", updates)
                return
    yield _shown(done, "done", updates)


@cache
def _texts() -> tuple[np.ndarray, np.ndarray, int]:
    documents = corpus("anthology")
    tokenizer = CharTokenizer.train("".join(documents))
    train, valid = (tokenize(part, tokenizer) for part in split(documents))
    return train, valid[:_HELD_OUT], tokenizer.vocab_size


def _shown(done: dict[str, tuple[int, float]], state: str, updates: int) -> str:
    recorded = ladder.rungs()
    rows = [
        (title, sees, done[name][0] if name in done else "", f"{done[name][1]:.3f}" if name in done else "",
         f"{recorded[name].loss:.3f}")
        for name, (title, sees) in MODELS.items()
    ]  # fmt: skip
    text = (
        f"{updates:,} updates of {BATCH * WINDOW:,} characters each, the same ones for every model; the bigram is "
        "counted. The table above gave each 1,500."
    )
    if len(done) > 1:
        best = min(done, key=lambda name: done[name][1])
        text += f" Lowest so far: {MODELS[best][0]}, {done[best][1]:.3f}."
    columns = ("model", "sees", "parameters", "loss now", "recorded above")
    return sheet([Section(f"Run again here: {state}", text, columns, rows)])
