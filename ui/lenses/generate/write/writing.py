"""Text generation for the Generate tab, token by token or all at once, with the distribution of
every token.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from gptcore.errors import GPTCoreError
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import StreamingText
from ui.lenses.generate.handlers import distribution
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError, WritingForm
from ui.shared.sheets import message
from ui.shared.streaming import STOPPED, Update, stream_text
from ui.state import token_stream
from ui.state.sessions import Document, NextToken, Session, Turn
from ui.state.token_stream import Line

_WINDOW_FULL = (
    "the window of {} tokens is full: from here on, the model re-reads the last half whenever it "
    "fills up"
)
_SAME = (
    "The same text as before: nothing has changed, and the seed is kept. Press “New dice” for "
    "another one."
)
_SHORT = 8  # tokens of a text that ends so early that a reader wonders
_SHORT_END = (
    "It ends here because the dice fell on the end-of-text token. Press “New dice” to try again."
)
_ENDED = "the model ended its text here; what follows begins another"


@dataclass(frozen=True)
class WritingExample:
    """The first content of Generate: a finished text of the default model, the settings that wrote
    it, an answered message.
    """

    document: Document
    next_token: NextToken
    distribution: str
    form: WritingForm
    chat: str


@dataclass(frozen=True)
class View:
    """View update; None leaves a part unchanged."""

    prompt: str | None = None
    stream: str | None = None
    seed: int | None = None
    distribution: str | None = None


def write(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """Continues the prompt from its end. Raises InputError and the core's errors before anything is
    lost.
    """
    lm = _opened(services, model, form)
    document = new_document(services, lm, str(model), prompt, form.seed)
    session = services.sessions.get(session_id)
    with session.turn() as run:
        before = session.document
        yield from _extend(services, session, run, lm, document, form, form.max_new_tokens)
        if run.wanted and not run.abandoned:
            yield from _remarks(session, lm, before)


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


def continue_text(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """Continues the text on the page, whose prompt may have been edited since; starts one if there
    is none.
    """
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
        place: which generated token it replaces, from 0, to write on from there; None appends it,
            and stops there, so that the visitor can choose the next one too.
        token_id: what to put there.
    """
    lm = _opened(services, model, form)
    chosen = inputs.whole(token_id, "The token", low=0, high=lm.model.config.vocab_size - 1)
    session = services.sessions.get(session_id)
    with session.turn(step=place is None) as run:
        document = session.document
        if place is None and (
            document is None or (document.model, document.prompt) != (model, prompt)
        ):
            document = new_document(services, lm, str(model), prompt, form.seed)
        elif document is None or document.model != model:
            raise InputError(
                "There is no text of this model on the page to branch from. Press Generate first."
            )
        n_written = len(document.ids) - document.n_prompt
        at = n_written if place is None else inputs.whole(place, "The place", low=0, high=n_written)
        kept = document.written[:at]
        ids = document.ids[: document.n_prompt + at]
        n_prompt = document.n_prompt
        line = services.now(lambda: _chosen_line(lm, ids, n_prompt, chosen))
        changed = replace(
            document, ids=(*ids, chosen), lines=(token_stream.prompt(document.prompt), *kept, line)
        )
        yield View(prompt=document.prompt)
        n_more = 0 if place is None else max(0, form.max_new_tokens - at - 1)
        yield from _extend(services, session, run, lm, changed, form, n_more)


def undo(
    services: Services, session_id: str | None, model: object, sampling: SamplingSettings
) -> View:
    """Brings back the model's text before the last action. Raises InputError when there is none."""
    session = services.sessions.get(session_id)
    with session.turn():
        session.undo = [document for document in session.undo if document.model == model]
        if not session.undo:
            raise InputError("There is nothing to undo yet.")
        document = session.document = session.undo.pop()
        chart = _read_next_token(
            services, session, services.models.get(document.model), document, sampling
        )
        return View(document.prompt, document.stream, document.seed, chart)


def store_document(
    services: Services, session_id: str | None, document: Document, next_token: NextToken
) -> None:
    """Stores a finished text in the session, to step, branch and undo from."""
    session = services.sessions.get(session_id)
    session.document = document
    session.next_token = next_token
    session.own_prompt, session.shown_by = document.prompt, id(services.models.get(document.model))


def preview(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> View:
    """The distribution after a prompt that is being typed; the text on the page stays.

    Errors in a half-typed prompt replace the chart: a notice at every keystroke would be a
    nuisance.
    """
    session = services.sessions.get(session_id)
    if session.opened not in ("", model):
        # this prompt stands beside a model that the page has left, or is still opening; it asks
        # again
        return View()
    try:
        if not isinstance(prompt, str) or not prompt:
            session.next_token = None
            return View(distribution="")
        lm = _opened(services, model, form)
        document = session.document
        if document is None or (document.prompt, document.model) != (prompt, model):
            document = new_document(services, lm, str(model), prompt, 0)
        seen = session.next_token
        if seen is not None and (seen.model, seen.ids) == (
            document.model,
            _ids_before_next(lm, document),
        ):
            return redraw(services, session_id, form.sampling)
        return View(distribution=_read_next_token(services, session, lm, document, form.sampling))
    except GPTCoreError as error:
        session.next_token = None
        return View(distribution=message(str(error)))


def refused(services: Services, session_id: str | None, error: GPTCoreError) -> View:
    """Replaces the chart with the error of an invalid control."""
    services.sessions.get(session_id).next_token = None
    return View(distribution=message(str(error)))


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


def _remarks(session: Session, lm: LanguageModel, before: Document | None) -> Iterator[View]:
    """Says under a text that is ready what a reader may wonder about: that it is the one before, or
    that short.
    """
    document = session.document
    if document is None:
        return
    notes = list[str]()
    if before is not None and (before.model, before.ids) == (document.model, document.ids):
        notes.append(_SAME)
    n_written = len(document.ids) - document.n_prompt
    if 0 < n_written < _SHORT and document.ids[-1] == lm.tokenizer.end_id:
        notes.append(_SHORT_END)
    if notes:
        session.document = document.noted(*map(token_stream.note, notes))
        yield View(stream=session.document.stream)


def _opened(services: Services, model: object, form: WritingForm) -> LanguageModel:
    """The model, once the controls are known to suit it."""
    lm = services.models.get(inputs.model_name(model))
    form.sampling.check_vocabulary(lm.model.config.vocab_size)
    return lm


def new_document(
    services: Services, lm: LanguageModel, model: str, prompt: object, seed: int | None = None
) -> Document:
    """A document with only its prompt. Raises InputError and the tokenizer's errors."""
    text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    ids = prompt_ids(lm, text)
    return Document(
        model, text, len(ids), tuple(ids), (token_stream.prompt(text),), check_seed(seed)
    )


def _extend(
    services: Services,
    session: Session,
    run: Turn,
    lm: LanguageModel,
    document: Document,
    form: WritingForm,
    n_tokens: int,
) -> Iterator[View]:
    """Writes up to n_tokens more, shows them as they come, and keeps the text in the session at
    every update.
    """
    if not run.wanted:  # stopped while it waited for its turn
        return
    session.remember(session.document)
    session.document = document
    session.moved = None
    n_written = len(document.ids) - document.n_prompt
    how: dict[str, Any] = {
        "seed": document.seed,
        "stop": form.stop,
        "n_written": n_written,
        "look_ahead": True,
    }
    continuation = TokenSequence(document.ids, form.sampling, tokenizer=lm.tokenizer, **how)
    if n_written and document.ids[-1] == lm.tokenizer.end_id:
        document = document.noted(token_stream.note(_ENDED))
    yield View(stream=document.stream, seed=document.seed)
    told = any(line.kind == "note" and "the window of" in line.text for line in document.lines)
    lines = _Lines(lm, n_before=len(document.written), single=n_tokens == 1, window_told=told)
    pace = form.tokens_per_second
    updates = stream_text(
        services,
        run,
        lm,
        [continuation],
        n_tokens,
        use_cache=form.use_cache,
        tokens_per_second=pace,
    )
    for update in updates:
        if run.abandoned:
            return
        if update.waiting:
            yield View(stream=document.noted(token_stream.waiting(update.waiting)).stream)
            continue
        document = document.noted(*lines.of(update))
        document = replace(
            document, ids=tuple(continuation.ids[: document.n_prompt + len(document.written)])
        )
        session.document = document
        yield View(stream=document.stream)
    if not run.superseded:
        known = continuation.next_logits if tuple(continuation.ids) == document.ids else None
        yield View(
            distribution=_read_next_token(
                services, session, lm, document, session.moved or form.sampling, known
            )
        )


class _Lines:
    """Turns updates of one text into lines of its token stream; of a single token the end is not
    reported.
    """

    def __init__(
        self, lm: LanguageModel, *, n_before: int, single: bool, window_told: bool
    ) -> None:
        self._lm = lm
        self._n_before = n_before
        self._single = single
        self._told = window_told
        self._start: int | None = None

    def of(self, update: Update) -> list[Line]:
        """The new tokens, with a note where the window filled up, and the figures so far."""
        lines: list[Line] = []
        for made in update.made:
            if self._start is not None and made.context_start > self._start and not self._told:
                lines.append(
                    token_stream.note(_WINDOW_FULL.format(self._lm.model.config.n_positions))
                )
                self._told = True
            self._start = made.context_start
            lines.append(token_stream.token(self._lm.tokenizer, made))
        (one,) = update.figures
        rate = None if one.rate is None else round(one.rate, 1)
        end = "step" if self._single and one.end in ("length", STOPPED) else one.end
        return [
            *lines,
            token_stream.stats(
                n=self._n_before + one.n, rate=rate, first_ms=round(one.first_ms, 1), end=end
            ),
        ]


def _read_next_token(
    services: Services,
    session: Session,
    lm: LanguageModel,
    document: Document,
    sampling: SamplingSettings,
    known: Tensor | None = None,
) -> str:
    """Reads the text for the logits after it unless they are known, keeps them for the sliders, and
    draws the distribution.
    """
    ids = _ids_before_next(lm, document)

    def read() -> tuple[NextToken, str]:
        logits = known
        if logits is None or ids != document.ids:
            logits = last_logits(lm.model, ids, n_prompt=document.n_prompt)
        seen = NextToken(document.model, ids, document.n_prompt, logits)
        return seen, distribution.describe(lm.tokenizer, seen, sampling)

    session.next_token, shown = services.now(read)
    return shown


def _ids_before_next(lm: LanguageModel, document: Document) -> tuple[int, ...]:
    """The tokens after which the next one is looked at: all, or the prompt where the text has
    ended.
    """
    is_ended = len(document.ids) > document.n_prompt and document.ids[-1] == lm.tokenizer.end_id
    return document.ids[: document.n_prompt] if is_ended else document.ids


def _chosen_line(lm: LanguageModel, before: tuple[int, ...], n_prompt: int, chosen: int) -> Line:
    """The line of a token that the visitor chose, with the model's figures for it."""
    logprobs = last_logits(lm.model, before, n_prompt=n_prompt).log_softmax(dim=0)
    best = logprobs.topk(min(5, len(logprobs)))
    text = StreamingText(lm.tokenizer)
    for written in before[n_prompt:]:
        text.push(written)
    rank = 1 + int((logprobs > logprobs[chosen]).sum())
    others = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return token_stream.scored_token(
        lm.tokenizer, chosen, text.push(chosen), float(logprobs[chosen]), rank, others, yours=True
    )
