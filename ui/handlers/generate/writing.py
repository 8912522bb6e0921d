"""The Generate tab: writing, one step at a time or all at once, with the distribution behind every token."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gptcore.errors import GPTCoreError
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import StreamingText
from ui.handlers import inputs, records
from ui.handlers.generate import distribution
from ui.handlers.inputs import InputError, WritingForm
from ui.services import Services
from ui.state.sessions import Document, NextToken, Session, Turn

_TOKEN = '{"kind":"token"'  # how a token's record begins
_NOTE = '{"kind":"note"'
_WINDOW_FULL = (
    "the window of {} tokens is full: from here on the model reads the last half of it again whenever it is full"
)
_ENDED = "the model ended its text here; what follows begins another"


@dataclass(frozen=True)
class View:
    """What the tab shows; None leaves a part as it is."""

    prompt: str | None = None
    stream: str | None = None
    seed: int | None = None
    distribution: str | None = None


def write(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """Continues the prompt from its end. Raises InputError and the core's errors before anything is lost.

    Args:
        services: of the app.
        session_id: the visitor.
        model: name of the model in the picker.
        prompt: what to continue.
        form: how.
    """
    lm = _opened(services, model, form)
    document = new_document(services, lm, str(model), prompt, form.seed)
    session = services.sessions.get(session_id)
    with session.turn() as run:
        yield from _extend(services, session, run, lm, document, form, form.max_new_tokens)


def write_one(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """Adds one token to the text on the page, or begins one when the prompt has changed since."""
    lm = _opened(services, model, form)
    session = services.sessions.get(session_id)
    with session.turn(step=True) as run:
        document = session.document
        if document is None or (document.model, document.prompt) != (model, prompt):
            document = new_document(services, lm, str(model), prompt, form.seed)
        yield from _extend(services, session, run, lm, document, form, 1)


def onward(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """Goes on with the text on the page, whose prompt may have been edited since; without one, begins it."""
    lm = _opened(services, model, form)
    session = services.sessions.get(session_id)
    with session.turn() as run:
        document = session.document
        if document is None or document.model != model:
            document = new_document(services, lm, str(model), prompt, form.seed)
        yield View(prompt=document.prompt)
        yield from _extend(services, session, run, lm, document, form, form.max_new_tokens)


def branch(
    services: Services,
    session_id: str | None,
    model: object,
    prompt: object,
    form: WritingForm,
    place: object,
    token_id: object,
) -> Iterator[View]:
    """Puts a token of the visitor's choice into the text.

    Args:
        place: which generated token it replaces, from 0, to write on from there; None appends it, and stops
            there, so that the visitor can choose the next one too.
        token_id: what to put there.
    """
    lm = _opened(services, model, form)
    chosen = inputs.whole(token_id, "The token", low=0, high=lm.model.config.vocab_size - 1)
    session = services.sessions.get(session_id)
    with session.turn(step=place is None) as run:
        document = session.document
        if place is None and (document is None or (document.model, document.prompt) != (model, prompt)):
            document = new_document(services, lm, str(model), prompt, form.seed)
        elif document is None or document.model != model:
            raise InputError("There is no text of this model on the page to branch from. Press Generate first.")
        n_written = len(document.ids) - document.n_prompt
        at = n_written if place is None else inputs.whole(place, "The place", low=0, high=n_written)
        kept = [record for record in document.records if record.startswith(_TOKEN)][:at]
        ids = document.ids[: document.n_prompt + at]
        n_prompt = document.n_prompt
        record = services.now(lambda: _chosen_record(lm, ids, n_prompt, chosen))
        changed = replace(document, ids=(*ids, chosen), records=(records.prompt(document.prompt), *kept, record))
        yield View(prompt=document.prompt)
        n_more = 0 if place is None else max(0, form.max_new_tokens - at - 1)
        yield from _extend(services, session, run, lm, changed, form, n_more)


def undo(services: Services, session_id: str | None, model: object, sampling: SamplingSettings) -> View:
    """Brings back the model's text before the last action. Raises InputError when there is none."""
    session = services.sessions.get(session_id)
    with session.turn():
        session.undo = [document for document in session.undo if document.model == model]
        if not session.undo:
            raise InputError("There is nothing to undo yet.")
        document = session.document = session.undo.pop()
        chart = _look(services, session, services.models.get(document.model), document, sampling)
        return View(document.prompt, "".join(document.records), document.seed, chart)


def stop(services: Services, session_id: str | None) -> None:
    """Ends what the visitor has running at its next token; what is written stays."""
    services.sessions.get(session_id).stop()


def adopt(services: Services, session_id: str | None, document: Document, next_token: NextToken) -> None:
    """Makes a ready text the visitor's own, to step, branch and undo from."""
    session = services.sessions.get(session_id)
    session.document, session.next_token = document, next_token
    session.own_prompt, session.shown_by = document.prompt, id(services.models.get(document.model))


def look(services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm) -> View:
    """The distribution after a prompt that is being typed; the text on the page stays.

    What is wrong with a half-typed prompt is said in the chart's place: a notice at every key would be a nuisance.
    """
    session = services.sessions.get(session_id)
    if session.opened not in ("", model):
        return View()  # this prompt stands beside a model that the page has left, or is still opening; it asks again
    try:
        if not isinstance(prompt, str) or not prompt:
            session.next_token = None
            return View(distribution="")
        lm = _opened(services, model, form)
        document = session.document
        if document is None or (document.prompt, document.model) != (prompt, model):
            document = new_document(services, lm, str(model), prompt, 0)
        return View(distribution=_look(services, session, lm, document, form.sampling))
    except GPTCoreError as error:
        session.next_token = None
        return View(distribution=distribution.message(str(error)))


def refused(services: Services, session_id: str | None, error: GPTCoreError) -> View:
    """What stands in the chart's place while a control cannot be used."""
    services.sessions.get(session_id).next_token = None
    return View(distribution=distribution.message(str(error)))


def derails(services: Services, model: object, prompt: object) -> bool:
    """Whether a prompt ends in a space that the model's tokens would carry in front of the next word."""
    if not isinstance(prompt, str) or not prompt.endswith(" "):
        return False
    try:
        return services.models.get(inputs.model_name(model)).tokenizer.kind != "char"
    except GPTCoreError:
        return False


def redraw(services: Services, session_id: str | None, sampling: SamplingSettings) -> View:
    """The distribution under changed controls, from the logits of the last look: no model runs."""
    session = services.sessions.get(session_id)
    seen = session.next_token
    if seen is None:
        return View()
    sampling.check_vocabulary(len(seen.logits))
    session.moved = sampling
    tokenizer = services.models.get(seen.model).tokenizer
    return View(distribution=services.now(lambda: distribution.describe(tokenizer, seen, sampling)))


def _opened(services: Services, model: object, form: WritingForm) -> LanguageModel:
    """The model, once the controls are known to suit it."""
    lm = services.models.get(inputs.model_name(model))
    form.sampling.check_vocabulary(lm.model.config.vocab_size)
    return lm


def new_document(
    services: Services, lm: LanguageModel, model: str, prompt: object, seed: int | None = None
) -> Document:
    """A text that is nothing but its prompt yet. Raises InputError and what the tokenizer raises."""
    text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    ids = prompt_ids(lm, text)
    return Document(model, text, len(ids), tuple(ids), (records.prompt(text),), check_seed(seed))


def _extend(
    services: Services,
    session: Session,
    run: Turn,
    lm: LanguageModel,
    document: Document,
    form: WritingForm,
    n_tokens: int,
) -> Iterator[View]:
    """Writes up to n_tokens more, shows them as they come, and keeps the text in the session at every update."""
    if not run.wanted:  # stopped while it waited for its turn
        return
    session.remember(session.document)
    session.document, session.moved = document, None
    continuation = TokenSequence(
        document.ids,
        form.sampling,
        seed=document.seed,
        tokenizer=lm.tokenizer,
        stop=form.stop,
        n_written=len(document.ids) - document.n_prompt,
    )
    ended = len(document.ids) > document.n_prompt and document.ids[-1] == lm.tokenizer.end_id
    if ended:
        document = replace(document, records=(*document.records, records.note(_ENDED)))
    yield View(stream="".join(document.records), seed=document.seed)
    with services.admission.enter() as ticket:
        for place in ticket.waiting(lambda: run.wanted):
            yield View(stream="".join((*document.records, records.waiting(place))))
        told = any("the window of" in record and record.startswith(_NOTE) for record in document.records)
        paced = _paced(services, run, lm, continuation, form, n_tokens if ticket.admitted else 0, window_told=told)
        for new in paced:
            if run.abandoned:
                return
            if continuation.done:  # what is left is to show it, at the reader's pace
                ticket.leave()
            shown = (*document.records, *new)
            n_shown = document.n_prompt + sum(record.startswith(_TOKEN) for record in shown)
            document = replace(document, records=shown, ids=tuple(continuation.ids[:n_shown]))
            session.document = document
            yield View(stream="".join(document.records))
    if not run.superseded:
        yield View(distribution=_look(services, session, lm, document, session.moved or form.sampling))


def _paced(
    services: Services,
    run: Turn,
    lm: LanguageModel,
    continuation: TokenSequence,
    form: WritingForm,
    n_tokens: int,
    *,
    window_told: bool,
) -> Iterator[list[str]]:
    """Batches of new records, in updates as far apart as the services say, no faster than the reader wants.

    The model is ahead of what is shown: what counts here is the tokens that have arrived.
    """
    began = shown = time.perf_counter()
    before, n, end = continuation.n_new, 0, ""
    computed, first_computed, first_ms, start = 0.0, 0.0, 0.0, None
    new: list[str] = []

    def figures(end: str) -> str:
        """Totals of the text; the rate counts time spent computing, after the first token and without waiting."""
        seconds = computed - first_computed
        rate = round((n - 1) / seconds, 1) if n > 1 and seconds > 0 else None
        return records.stats(n=before + n, rate=rate, first_ms=round(first_ms, 1), end=end)

    tokens = services.write(lm, [continuation], n_tokens, use_cache=form.use_cache)
    for n, ((_, made), seconds) in enumerate(tokens, start=1):
        computed, end = computed + seconds, made.end
        if n == 1:
            first_computed = computed
            first_ms = 1e3 * (time.perf_counter() - began)
        if start is not None and made.context_start > start:
            if not window_told:
                new.append(records.note(_WINDOW_FULL.format(lm.model.config.n_positions)))
            window_told = True
        start = made.context_start
        new.append(records.token(lm.tokenizer, made))
        if form.tokens_per_second:
            wait_until(began + n / form.tokens_per_second, run)
        if not run.wanted:
            break
        if n == 1 or time.perf_counter() - shown >= services.update_seconds:  # the first one at once
            shown = time.perf_counter()
            yield [*new, figures("")]
            new = []
    else:
        end = continuation.end
    reason = end or "stopped"
    # A single step has reached its length by intention; only an end of the text is news.
    yield [*new, figures("step" if n_tokens == 1 and reason in ("length", "stopped") else reason)]


def wait_until(moment: float, run: Turn) -> None:
    """Sleeps until a moment of time.perf_counter, or until the run should end."""
    while run.wanted and (left := moment - time.perf_counter()) > 0:
        time.sleep(min(0.05, left))


def _look(
    services: Services, session: Session, lm: LanguageModel, document: Document, sampling: SamplingSettings
) -> str:
    """Reads the text for the logits after it, keeps them for the sliders, and draws the distribution."""

    def read() -> tuple[NextToken, str]:
        logits = last_logits(lm.model, document.ids, n_prompt=document.n_prompt)
        seen = NextToken(document.model, document.ids, document.n_prompt, logits)
        return seen, distribution.describe(lm.tokenizer, seen, sampling)

    session.next_token, shown = services.now(read)
    return shown


def _chosen_record(lm: LanguageModel, before: tuple[int, ...], n_prompt: int, chosen: int) -> str:
    """The record of a token that the visitor chose, with the model's figures for it."""
    logprobs = last_logits(lm.model, before, n_prompt=n_prompt).log_softmax(dim=0)
    best = logprobs.topk(min(5, len(logprobs)))
    text = StreamingText(lm.tokenizer)
    for written in before[n_prompt:]:
        text.push(written)
    rank = 1 + int((logprobs > logprobs[chosen]).sum())
    others = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return records.scored_token(
        lm.tokenizer, chosen, text.push(chosen), float(logprobs[chosen]), rank, others, yours=True
    )
