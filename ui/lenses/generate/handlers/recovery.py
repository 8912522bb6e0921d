"""Recovery after a page reload: restores the text, even if the connection or the server was lost meanwhile."""

from dataclasses import replace

from gptcore.errors import GPTCoreError
from ui.lenses.generate.handlers import writing
from ui.services import Services
from ui.state import token_stream
from ui.state.sessions import Document

_CUT = "the connection was lost here; Write on continues"
_RESTARTED = "the server restarted; your browser kept this much of the text, and Write on continues it"


def recover(
    services: Services, session_id: str | None, visit: object, held: object, example: Document
) -> Document | None:
    """The text that the same browser tab showed before the reload, or None if it had none of its own.

    Args:
        session_id: of the page that has just been opened.
        visit: the browser tab's id.
        held: the text that the browser kept, in case the server has lost it; only its end, if it is too long.
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
    held, lm = held[-services.limits.max_prompt_chars :], services.models.get(example.model)
    try:
        ids, window = lm.tokenizer.encode(held), lm.model.config.n_positions
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
