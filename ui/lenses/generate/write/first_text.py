"""What Generate shows unasked: a text of the model just picked, or the one from before a reload."""

from collections.abc import Iterator
from dataclasses import replace

from gptcore.analysis import count_parameters
from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.lenses.generate.write import writing
from ui.lenses.generate.write.writing import View
from ui.services import Services
from ui.shared.inputs import WritingForm
from ui.shared.own_text import own_text, reads
from ui.shared.sheets import COMPUTING, message
from ui.state import token_stream
from ui.state.sessions import Document

# models above this size write only so many tokens unasked
_QUICK_PARAMETERS = 50_000_000
_SHORT = 24
_CUT = "the connection was lost here; Write on continues"
_RESTARTED = (
    "the server restarted; your browser kept this much of the text, and Write on continues it"
)


def first_text(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """Yields the views of a model that has just been opened: its text after the visitor's prompt,
    or after its own.

    A prompt that the visitor wrote stays, if the model can read it. Where the text on the page is
    already this model's, only the distribution is drawn.
    """
    session = services.sessions.get(session_id)
    lm = services.models.get(str(model))
    session.opened = str(model)
    document = session.document
    if (
        document is not None
        and (document.model, document.prompt) == (model, prompt)
        and session.shown_by == id(lm)
    ):
        # The chart may be another model's: a reload sets prompt and model at once, and the prompt
        # is looked at first.
        yield writing.preview(services, session_id, model, prompt, form)
        return
    session.shown_by = id(lm)
    typed = (
        isinstance(prompt, str)
        and prompt.strip()
        and prompt != session.own_prompt
        and reads(lm, prompt)
    )
    text = str(prompt) if typed else own_text(services, str(model), lm)
    session.own_prompt = session.own_prompt if typed else text
    yield View(prompt=text, stream="", distribution=message(COMPUTING))
    try:
        yield from writing.write(services, session_id, model, text, _fitting(form, lm))
    except GPTCoreError as error:
        yield View(distribution=message(str(error)))


def _fitting(form: WritingForm, lm: LanguageModel) -> WritingForm:
    """Clamps the controls to a model's vocabulary, with a shorter text for a slow model."""
    large = count_parameters(lm.model.config).total > _QUICK_PARAMETERS
    return form.within(lm.model.config.vocab_size, _SHORT if large else form.max_new_tokens)


def recover(
    services: Services, session_id: str | None, visit: object, held: object, example: Document
) -> Document | None:
    """The text that the same browser tab showed before the reload, or None if it had none of its
    own.

    Args:
        session_id: of the page that has just been opened.
        visit: the browser tab's id.
        held: the text that the browser kept, in case the server has lost it; only its end, if it is
            too long.
        example: the initial example, which is not recovered: what a link sets would be lost to it.
    """
    before = services.sessions.resume(session_id, visit)
    if before is not None and before.document not in (None, example):
        if before.cut:
            before.cut = False
            before.document = _with(before.document, _CUT, "cut")
        return before.document
    if not isinstance(held, str) or not held.strip() or held == _text(example):
        return None
    held = held[-services.limits.max_prompt_chars :]
    lm = services.models.get(example.model)
    try:
        ids = lm.tokenizer.encode(held, allow_special=True)
        window = lm.model.config.n_positions
        # Of a text beyond the window the model reads its last half, here as while it writes.
        read = held if len(ids) <= window else lm.tokenizer.decode(ids[-(window // 2) :])
        document = writing.new_document(services, lm, example.model, read)
    except GPTCoreError:  # characters outside the model's vocabulary
        return None
    document = _with(replace(document, lines=(token_stream.prompt(held),)), _RESTARTED, "kept")
    session = services.sessions.get(session_id)
    session.document, session.shown_by = document, id(lm)
    return document


def _with(document: Document, message: str, end: str) -> Document:
    return document.noted(token_stream.note(message), token_stream.stats(end=end))


def _text(document: Document) -> str:
    return "".join(line.text for line in document.lines if line.kind in ("prompt", "token"))
