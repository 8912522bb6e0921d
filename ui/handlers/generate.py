"""The Generate tab: writing, one step at a time or all at once, with the distribution behind every token."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gptcore.errors import GPTCoreError
from gptcore.generation import (
    Alternative,
    Continuation,
    GeneratedToken,
    check_seed,
    continue_together,
    last_logits,
    prompt_ids,
)
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import StreamingText
from ui.handlers import distribution, inputs, records
from ui.handlers.inputs import InputError
from ui.services import Services
from ui.sessions import Document, NextToken, Run, Session

_TOKEN = '{"kind":"token"'  # how a token's record begins
# More often than this nobody sees, and every update costs the page some milliseconds.
UPDATES_PER_SECOND = 20


@dataclass(frozen=True)
class View:
    """What the tab shows; None leaves a part as it is."""

    stream: str | None = None
    seed: int | None = None
    distribution: str | None = None
    prompt: str | None = None


def write(
    services: Services, session_id: str | None, model: object, prompt: object, values: dict[str, Any]
) -> Iterator[View]:
    """Continues the prompt from its end. Raises InputError and the core's errors before anything is lost.

    Args:
        services: of the app.
        session_id: the visitor.
        model: name of the model in the picker.
        prompt: what to continue.
        values: the controls by name, see `inputs.settings` and `inputs.writing`.
    """
    lm, how = _prepare(services, model, values)
    document = _new_document(services, lm, str(model), prompt, how.seed)
    yield from _extend(services, session_id, lm, document, values, how.max_new_tokens)


def write_one(
    services: Services, session_id: str | None, model: object, prompt: object, values: dict[str, Any]
) -> Iterator[View]:
    """Adds one token to the text on the page, or begins one when the prompt has changed since."""
    lm, how = _prepare(services, model, values)
    document = services.sessions.get(session_id).document
    if document is None or document.prompt != prompt or document.model != model:
        document = _new_document(services, lm, str(model), prompt, how.seed)
    yield from _extend(services, session_id, lm, document, values, 1)


def branch(
    services: Services,
    session_id: str | None,
    model: object,
    prompt: object,
    values: dict[str, Any],
    place: object,
    token_id: object,
) -> Iterator[View]:
    """Puts a token of the visitor's choice into the text.

    Args:
        place: which generated token it replaces, from 0, to write on from there; None appends it, and stops
            there, so that the visitor can choose the next one too.
        token_id: what to put there.
    """
    lm, how = _prepare(services, model, values)
    chosen = inputs.whole(token_id, "The token", low=0, high=lm.model.config.vocab_size - 1)
    document = services.sessions.get(session_id).document
    if place is None and (document is None or (document.model, document.prompt) != (model, prompt)):
        document = _new_document(services, lm, str(model), prompt, how.seed)
    elif document is None or document.model != model:
        raise InputError("There is no text of this model on the page to branch from. Press Generate first.")
    n_written = len(document.ids) - document.n_prompt
    at = n_written if place is None else inputs.whole(place, "The place", low=0, high=n_written)
    kept = [record for record in document.records if record.startswith(_TOKEN)][:at]
    ids = document.ids[: document.n_prompt + at]
    made = _as_written(lm, ids, document.n_prompt, chosen)
    changed = replace(
        document,
        ids=(*ids, chosen),
        records=(records.prompt(document.prompt), *kept, records.token(lm.tokenizer, made)),
    )
    n_more = 0 if place is None else max(0, how.max_new_tokens - at - 1)
    yield from _extend(services, session_id, lm, changed, values, n_more)


def undo(services: Services, session_id: str | None, values: dict[str, Any]) -> View:
    """Brings back the text before the last action. Raises InputError when there is none."""
    session = services.sessions.get(session_id)
    if not session.undo:
        raise InputError("There is nothing to undo yet.")
    session.begin()  # ends what is being written
    document = session.document = session.undo.pop()
    lm = services.models.get(document.model)
    chart = _look(session, lm, document.model, document.ids, values, document.n_prompt)
    return View("".join(document.records), document.seed, chart, document.prompt)


def stop(services: Services, session_id: str | None) -> None:
    """Ends the visitor's run at its next token; what is written stays."""
    services.sessions.get(session_id).stop()


def adopt(services: Services, session_id: str | None, document: Document, next_token: NextToken) -> None:
    """Makes a ready text the visitor's own, to step, branch and undo from."""
    session = services.sessions.get(session_id)
    session.document, session.next_token = document, next_token


def look(services: Services, session_id: str | None, model: object, prompt: object, values: dict[str, Any]) -> View:
    """The distribution after a prompt that is being typed; the text on the page stays.

    What is wrong with a half-typed prompt is said in the chart's place: a notice at every key would be a nuisance.
    """
    if not isinstance(prompt, str) or not prompt:
        return View(distribution="")
    try:
        return _look_at_prompt(services, session_id, model, prompt, values)
    except GPTCoreError as error:
        return View(distribution=distribution.message(str(error)))


def _look_at_prompt(
    services: Services, session_id: str | None, model: object, prompt: str, values: dict[str, Any]
) -> View:
    lm, _ = _prepare(services, model, values)
    session = services.sessions.get(session_id)
    document = session.document
    if document is not None and (document.prompt, document.model) == (prompt, model):
        return View(distribution=_look(session, lm, document.model, document.ids, values, document.n_prompt))
    return View(distribution=_look(session, lm, str(model), tuple(prompt_ids(lm, prompt)), values))


def redraw(services: Services, session_id: str | None, values: dict[str, Any]) -> View:
    """The distribution under changed controls, from the logits of the last look: no model runs."""
    seen = services.sessions.get(session_id).next_token
    if seen is None:
        return View()
    lm = services.models.get(seen.model)
    return View(distribution=distribution.describe(lm.tokenizer, seen, inputs.settings(values, len(seen.logits))))


def _prepare(services: Services, model: object, values: dict[str, Any]) -> tuple[LanguageModel, inputs.Writing]:
    """Checks the controls before any work, and finds the model."""
    how = inputs.writing(values, services.limits)
    lm = services.models.get(inputs.model_name(model))
    inputs.settings(values, lm.model.config.vocab_size)
    return lm, how


def _new_document(services: Services, lm: LanguageModel, model: str, prompt: object, seed: int | None) -> Document:
    text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    ids = prompt_ids(lm, text)
    return Document(model, text, len(ids), tuple(ids), (records.prompt(text),), check_seed(seed))


def _extend(
    services: Services,
    session_id: str | None,
    lm: LanguageModel,
    document: Document,
    values: dict[str, Any],
    n_tokens: int,
) -> Iterator[View]:
    """Writes up to n_tokens more, shows them as they come, and keeps the text in the session at every update."""
    session = services.sessions.get(session_id)
    run = session.begin()
    session.remember(session.document)
    session.document = document
    how = inputs.writing(values, services.limits)
    settings = inputs.settings(values, lm.model.config.vocab_size)
    continuation = Continuation(
        document.ids, settings, seed=document.seed, tokenizer=lm.tokenizer, stop=how.stop,
        n_written=len(document.ids) - document.n_prompt,
    )  # fmt: skip
    yield View("".join(document.records), document.seed)
    if n_tokens:
        tokens = (made for _, made in continue_together(
            lm.model, [continuation], max_new_tokens=n_tokens, use_cache=how.use_cache
        ))  # fmt: skip
        n_shown = len(document.ids)
        for new in paced(tokens, how.tokens_per_second, run, lm):
            if not run.current:
                return  # another action has taken the page
            n_shown += sum(record.startswith(_TOKEN) for record in new)
            document = replace(document, records=(*document.records, *new), ids=tuple(continuation.ids[:n_shown]))
            session.document = document
            yield View("".join(document.records))
    yield View(distribution=_look(session, lm, document.model, document.ids, values, document.n_prompt))


def paced(
    tokens: Iterator[GeneratedToken], tokens_per_second: float, run: Run, lm: LanguageModel
) -> Iterator[list[str]]:
    """Batches of new records, at most UPDATES_PER_SECOND of them, no faster than a reader wants.

    Args:
        tokens: what the model writes.
        tokens_per_second: 0 for no limit.
        run: says when to end.
        lm: for the tokens' text.
    """
    began = shown = time.perf_counter()
    new: list[str] = []
    n, first, end, start = 0, 0.0, "", None
    for made in tokens:
        n += 1
        now = time.perf_counter()
        first = first or now - began
        if start is not None and made.context_start > start:
            new.append(
                records.note(
                    f"the window of {lm.model.config.n_positions} tokens is full: reading on from its last half"
                )
            )
        start = made.context_start
        new.append(records.token(lm.tokenizer, made))
        end = made.end
        busy = now - began
        while tokens_per_second and run.wanted and time.perf_counter() - began < n / tokens_per_second:
            time.sleep(min(0.05, max(0.0, n / tokens_per_second - (time.perf_counter() - began))))
        if not run.wanted:
            end = "stopped"
            break
        if time.perf_counter() - shown >= 1 / UPDATES_PER_SECOND:
            shown = time.perf_counter()
            yield [*new, _stats(n, first, busy, "")]
            new = []
    yield [*new, _stats(n, first, time.perf_counter() - began, end)]


def _stats(n: int, first: float, seconds: float, end: str) -> str:
    """Rate over the tokens after the first, which also waits for the prompt to be read."""
    rate = (n - 1) / (seconds - first) if n > 1 and seconds > first else None
    return records.stats(n=n, rate=rate and round(rate, 1), first_ms=round(1e3 * first, 1), end=end)


def _look(
    session: Session,
    lm: LanguageModel,
    model: str,
    ids: tuple[int, ...],
    values: dict[str, Any],
    n_prompt: int | None = None,
) -> str:
    """Reads the text once more for the logits after it, keeps them, and draws the distribution."""
    logits = last_logits(lm.model, ids, n_prompt=n_prompt)
    seen = NextToken(model, ids, len(ids) if n_prompt is None else n_prompt, logits)
    session.next_token = seen
    return distribution.describe(lm.tokenizer, seen, inputs.settings(values, lm.model.config.vocab_size))


def _as_written(lm: LanguageModel, before: tuple[int, ...], n_prompt: int, chosen: int) -> GeneratedToken:
    """The visitor's choice as a token with the model's figures for it."""
    logprobs = last_logits(lm.model, before, n_prompt=n_prompt).log_softmax(dim=0)
    best = logprobs.topk(min(5, len(logprobs)))
    text = StreamingText(lm.tokenizer)
    for written in before[n_prompt:]:
        text.push(written)
    return GeneratedToken(
        id=chosen,
        text=text.push(chosen),
        logprob=float(logprobs[chosen]),
        rank=1 + int((logprobs > logprobs[chosen]).sum()),
        sampling_probability=1.0,
        n_candidates=1,
        alternatives=tuple(Alternative(i, v) for i, v in zip(best.indices.tolist(), best.values.tolist(), strict=True)),
    )
