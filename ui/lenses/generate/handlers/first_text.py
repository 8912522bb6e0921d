"""Initial text of the Generate tab: written when a model is picked, before any button is pressed."""

from collections.abc import Iterator

from gptcore.analysis import count_parameters
from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.lenses.generate.handlers import writing
from ui.lenses.generate.handlers.writing import View
from ui.services import Services
from ui.shared.inputs import WritingForm
from ui.shared.own_text import own_text, reads
from ui.shared.sheets import COMPUTING, message

_QUICK_PARAMETERS, _SHORT = 50_000_000, 24  # models above this size write only so many tokens unasked


def first_text(
    services: Services, session_id: str | None, model: object, prompt: object, form: WritingForm
) -> Iterator[View]:
    """What to show for a model that has just been opened: its text after the visitor's prompt, or after its own.

    A prompt that the visitor wrote stays, if the model can read it. Where the text on the page is already this model's,
    only the distribution is drawn.
    """
    session = services.sessions.get(session_id)
    lm = services.models.get(str(model))
    session.opened = str(model)
    document = session.document
    if document is not None and (document.model, document.prompt) == (model, prompt) and session.shown_by == id(lm):
        # The chart may be another model's: a reload sets prompt and model at once, and the prompt is looked at first.
        yield writing.preview(services, session_id, model, prompt, form)
        return
    session.shown_by = id(lm)
    typed = isinstance(prompt, str) and prompt.strip() and prompt != session.own_prompt and reads(lm, prompt)
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
