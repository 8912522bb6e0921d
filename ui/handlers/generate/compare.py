"""Several strategies on one prompt, side by side, written together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gptcore.inference.generation import prompt_ids
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import LanguageModel
from ui.handlers import inputs, records
from ui.handlers.generate.strategies import COMPARED, FROM_SLIDERS, OFF, of_strategy
from ui.handlers.generate.writing import wait_until
from ui.handlers.inputs import InputError, WritingForm
from ui.services import Services
from ui.state.sessions import Turn

MOST = 4


def compare(
    services: Services,
    session_id: str | None,
    model: object,
    prompt: object,
    form: WritingForm,
    strategies: Sequence[object],
    same_numbers: object,
) -> Iterator[tuple[list[str], int]]:
    """Continues one prompt under up to four strategies, decoded as one batch.

    Args:
        form: the sliders, for the strategy FROM_SLIDERS and for what is not sampling.
        strategies: a name for each column; OFF leaves it empty.
        same_numbers: every column draws with the same seed, so only the strategy differs; otherwise column i
            adds i to the seed, and one strategy in all columns gives several texts.

    Yields:
        (a token stream for each column, the seed).
    """
    lm = services.models.get(inputs.model_name(model))
    text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    together = inputs.flag(same_numbers, "Same random numbers")
    columns = [place for place, name in enumerate(strategies[:MOST]) if name != OFF]
    if not columns:
        raise InputError("All columns are empty. Choose a strategy for at least one.")
    known = [FROM_SLIDERS, OFF, *COMPARED]
    if any(name not in known for name in strategies):
        raise InputError(f"A strategy is not among those known: {', '.join(known)}.")
    ids, vocab_size = prompt_ids(lm, text), lm.model.config.vocab_size
    if any(strategies[place] == FROM_SLIDERS for place in columns):
        form.sampling.check_vocabulary(vocab_size)
    seed = check_seed(form.seed)
    continuations = [
        TokenSequence(
            ids,
            of_strategy(str(strategies[place]), form.sampling, vocab_size),
            seed=seed if together else seed + place,
            tokenizer=lm.tokenizer,
            stop=form.stop,
        )
        for place in columns
    ]
    with services.sessions.get(session_id).turn() as run, services.admission.enter() as ticket:
        for place in ticket.waiting(lambda: run.wanted):
            line = records.prompt(text) + records.waiting(place)
            yield [line if column in columns else "" for column in range(MOST)], seed
        if not ticket.admitted:  # stopped while it waited
            form = replace(form, max_new_tokens=0)
        yield from _together(services, run, lm, text, form, dict(zip(columns, continuations, strict=True)), seed)


def _together(
    services: Services,
    run: Turn,
    lm: LanguageModel,
    prompt: str,
    form: WritingForm,
    columns: dict[int, TokenSequence],
    seed: int,
) -> Iterator[tuple[list[str], int]]:
    """Writes all columns as one batch; each stops by itself."""
    places, continuations = list(columns), list(columns.values())
    streams = [records.prompt(prompt) if place in columns else "" for place in range(MOST)]
    began, shown, computed = time.perf_counter(), 0.0, 0.0
    written = dict.fromkeys(places, 0)  # tokens that have arrived; the model is ahead of them
    ended, finished = set[int](), False

    def figures(place: int, end: str) -> str:
        rate = round(written[place] / computed, 1) if computed else None
        return records.stats(n=written[place], rate=rate, end=end)

    tokens = services.write(lm, continuations, form.max_new_tokens, use_cache=form.use_cache)
    for (index, made), seconds in tokens:
        computed += seconds
        place = places[index]
        streams[place] += records.token(lm.tokenizer, made)
        written[place] += 1
        if made.end:
            ended.add(place)
            streams[place] += figures(place, made.end)
        if form.tokens_per_second:
            wait_until(began + max(written.values()) / form.tokens_per_second, run)
        if not run.wanted:
            break
        if time.perf_counter() - shown >= services.update_seconds:
            shown = time.perf_counter()
            yield list(streams), seed
    else:
        finished = form.max_new_tokens > 0
    if run.superseded:
        return
    for place in columns.keys() - ended:
        streams[place] += figures(place, columns[place].end if finished else "stopped")
    yield list(streams), seed
