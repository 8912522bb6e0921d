"""Zero-shot prompting: the prompt's parts, the label likelihoods, and the model's answer."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gptcore.analysis import count_parameters
from gptcore.errors import GPTCoreError
from gptcore.formatting import percent
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import LanguageModel, bundled_models
from gptcore.zero_shot.likelihood import score_labels
from gptcore.zero_shot.metrics import exact_match, rouge
from gptcore.zero_shot.templates import Fitted
from ui.lenses.zero_shot.handlers.form import OWN_WORDING, TaskForm, defaults, task_form
from ui.lenses.zero_shot.handlers.recorded import expected_of
from ui.payloads import probability
from ui.services import Services
from ui.shared import inputs
from ui.shared.sheets import big
from ui.shared.streaming import Figures, stream_text
from ui.state import token_stream

_RATED = 8  # tokens; below this no rate is shown
_TAIL = 60  # characters of the prompt that stand before an answer
FIRST_TASK = "sentiment"  # as the page is sent
TASK_MODEL = "world"  # has read demonstrations of the tasks
log = logging.getLogger("gptlens")


def composed(services: Services, model: object, form: TaskForm) -> tuple[str, str]:
    """The prompt in its parts, how much of the window it takes, and what the labels' likelihoods
    are.

    Returns:
        (JSON for the view: of `parts_of`, with what is `expected` and the `labels` of `labels_of`;
        the prompt's text).
    """
    lm = services.models.get(inputs.model_name(model))
    fitted = form.fitted(lm)
    expected = form.template.label(form.item.answer)
    labels = labels_of(services, lm, form, fitted)
    value = {**parts_of(services, lm, form, fitted), "expected": expected, "labels": labels}
    return json.dumps(value, ensure_ascii=False), form.edited or form.prompt.text


def parts_of(
    services: Services, lm: LanguageModel, form: TaskForm, fitted: Fitted
) -> dict[str, Any]:
    """The prompt's `parts` of {kind, text}, a `note` of what was cut, its `budget`: tokens of
    {prompt, answer, window}.

    With the model's `name`, and in words `model`, the template's `source`, whether it is the
    visitor's `own`, and what `people` may expect.
    """
    kinds = [("edited" if form.edited else part.kind, part.text) for part in fitted.prompt.parts]
    return {
        "parts": [{"kind": kind, "text": text} for kind, text in kinds],
        "note": fitted.note,
        "budget": {
            "prompt": len(fitted.ids),
            "answer": form.max_new_tokens,
            "window": lm.model.config.n_positions,
        },
        "name": lm.name,
        "model": f"{lm.name}, {big(count_parameters(lm.model.config).total)} parameters",
        "source": "" if form.edited else form.template.source,
        "own": not form.edited and form.template.name == OWN_WORDING,
        "people": expected_of(services.models.bundled_name(lm), form.name),
    }


def labels_of(
    services: Services, lm: LanguageModel, form: TaskForm, fitted: Fitted
) -> list[dict[str, Any]]:
    """The likelihood of each label, raw and per token.

    None where the template asks for steps: what follows the prompt there is a step, and no label.
    """
    if not form.compared:
        return []
    lead = "" if fitted.prompt.text.endswith((" ", "\n")) else form.template.lead
    scores = services.now(lambda: score_labels(lm, fitted.ids, form.compared, lead=lead))
    return [
        {
            "label": score.label,
            "tokens": score.n_tokens,
            "logprob": round(score.logprob, 4),
            "per_token": round(score.per_token, 4),
            "share": probability(score.share),
        }
        for score in scores
    ]


def answer(
    services: Services, session_id: str | None, model: object, form: TaskForm
) -> Iterator[str]:
    """The model's answer as a token stream that grows; its last line says whether it is the
    expected one.
    """
    lm = services.models.get(inputs.model_name(model))
    fitted = form.fitted(lm)
    settings = replace(form.settings, top_k=within(form.settings.top_k, lm))
    continuation = TokenSequence(
        fitted.ids, settings, seed=check_seed(form.seed), tokenizer=lm.tokenizer, stop=form.stop
    )
    stream = token_stream.prompt(_tail(fitted.prompt.text)).json
    written = ""
    one = Figures()
    with services.sessions.get(session_id).turn() as run:
        for update in stream_text(services, run, lm, [continuation], form.max_new_tokens):
            if update.waiting:
                yield stream + token_stream.waiting(update.waiting).json
                continue
            (one,) = update.figures
            stream += token_stream.serialise(
                token_stream.token(lm.tokenizer, made) for made in update.made
            )
            written += "".join(made.text for made in update.made)
            yield stream
        if run.superseded:
            return
    rate = round(one.rate, 1) if one.rate is not None and one.n >= _RATED else None
    stream += token_stream.stats(n=one.n, rate=rate, end=one.end).json
    verdict = _verdict(form, written)
    yield stream + (token_stream.note(verdict).json if verdict else "")


def _tail(prompt: str) -> str:
    """The end of the prompt, as context for the answer."""
    return prompt if len(prompt) <= _TAIL else f"…{prompt[-_TAIL:]}"


def within(top_k: int | None, lm: LanguageModel) -> int | None:
    """Clamps the papers' top-k to the vocabulary."""
    return None if top_k is None else min(top_k, lm.model.config.vocab_size)


def _verdict(form: TaskForm, written: str) -> str:
    """Whether the answer is the expected one, as a sentence; "" where none is expected."""
    expected = form.template.label(form.item.answer)
    if not expected or form.edited:
        return ""
    answer = form.template.found(written)
    if form.template.chain_of_thought and not answer:
        announced = form.template.answer_follows
        return (
            f"The steps ended before “{announced}”, so there is no answer to compare. Allow "
            f"more than {form.max_new_tokens} tokens under “How it answers”. Expected: "
            f"{expected}"
        )
    if form.name == "summarise":
        return (
            f"Expected: {expected} Words in common with it (ROUGE-L): "
            f"{percent(rouge(expected, answer))}."
        )
    sentence = (
        "As expected"
        if exact_match(expected, answer, articles=form.task.articles)
        else "Not as expected"
    )
    return f"{sentence}: {expected}"


@dataclass(frozen=True)
class ZeroShotExample:
    """A finished answer: which model is asked, the tab's values, the view of the prompt, its text,
    and the answer.
    """

    model: str
    values: dict[str, Any]
    view: str
    prompt: str
    stream: str


def task_model(default: str) -> str:
    """The bundled model that knows tasks, or the default one where that is not there."""
    return TASK_MODEL if TASK_MODEL in bundled_models() else default


def make_zero_shot_example(services: Services) -> ZeroShotExample:
    """Asks the model that is asked first."""
    model = task_model(services.models.default)
    try:
        services.models.get(model)
    except GPTCoreError:  # a damaged folder: the rest of the page works
        log.warning(
            "The model %s cannot be opened; %s does the tasks.", model, services.models.default
        )
        model = services.models.default
    values = defaults(FIRST_TASK)
    if services.models.get(model).tokenizer.kind == "char":  # its alphabet may lack any letter
        return ZeroShotExample(model, values, "", "", "")
    parsed = task_form(values, services.limits)
    view, prompt = composed(services, model, parsed)
    *_, stream = answer(services, "example", model, parsed)
    services.sessions.forget("example")
    return ZeroShotExample(model, values, view, prompt, stream)
