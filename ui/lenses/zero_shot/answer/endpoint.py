"""The endpoint /zero_shot."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.zero_shot.handlers import asking, form
from ui.lenses.zero_shot.handlers.fields import AnswerFields, TaskFields
from ui.services import Services
from ui.shared import inputs
from ui.shared.endpoint import MODEL, SEED, Endpoint, needed, written
from ui.shared.fields import Choice, Table, declared, taken, values_of
from ui.shared.inputs import InputError

_TITLES = {name: task.title for name, task in TASKS.items()}
*_ALL_BUT_LAST, _LAST = TASKS
_OF_PAPER = "null takes the paper's setting."
# What a program may leave to the task, by its names in the form.
_SETTINGS = ("labels", "max_new_tokens", "temperature", "top_k", "top_p", "seed")


@dataclass(frozen=True, kw_only=True)
class ZeroShotRequest:
    """The request of a program to /zero_shot."""

    task: str = needed(
        Choice(
            title="Task",
            help=f"{', '.join(_ALL_BUT_LAST)} or {_LAST}.",
            options=_TITLES,
            listed=True,
        )
    )
    fields: dict[str, str] | None = declared(
        Table(
            title="Fields",
            help=(
                'the task\'s inputs, such as {"english": "the red cat"} or {"text": ..., '
                '"question": ...}.'
            ),
        ),
        None,
    )
    template: str = taken(TaskFields, "template", help='a template\'s name; "" takes the first.')
    n_examples: int = taken(TaskFields, "n_examples", help="worked examples first, 0 to 8.")
    prompt: str = declared(
        written("Prompt", 'what the model shall read instead of the assembled prompt, if not "".'),
        "",
    )
    labels: str = taken(
        TaskFields,
        "labels",
        help='answers to compare by likelihood, one a line; "" takes the task\'s, if it has some.',
    )
    max_new_tokens: int | None = taken(
        AnswerFields, "max_new_tokens", None, help=f"of the answer; {_OF_PAPER}"
    )
    temperature: float | None = taken(
        AnswerFields, "temperature", None, help=f"0 always takes the most likely token; {_OF_PAPER}"
    )
    top_k: int | None = taken(AnswerFields, "top_k", None, help=f"0 is off; {_OF_PAPER}")
    seed: int = declared(replace(SEED, help="the same seed gives the same answer."), 1)
    model: str = declared(MODEL, asking.TASK_MODEL)
    top_p: float | None = taken(AnswerFields, "top_p", None, help=f"1 is off; {_OF_PAPER}")


def zero_shot(services: Services, request: ZeroShotRequest) -> dict[str, Any]:
    """Puts a task to a model from a prompt alone.

    Returns:
        model, task, template, prompt, parts (kind, text), note (what was cut), budget (tokens),
        answer, written, seed, tokens (id, text, natural logprob), and labels (label, logprob,
        per_token, share).
    """
    asked = form.task_form(_form_values(request), services.limits)
    lm = services.models.get(inputs.model_name(request.model))
    fitted = asked.fitted(lm)
    settings = replace(asked.settings, top_k=asking.within(asked.settings.top_k, lm))
    seed = check_seed(asked.seed)
    sequence = TokenSequence(
        fitted.ids, settings, seed=seed, tokenizer=lm.tokenizer, stop=asked.stop
    )
    with services.admission.turn():
        tokens = [token.made for token in services.write(lm, [sequence], asked.max_new_tokens)]
    written_text = "".join(token.text for token in tokens)
    shown = asking.parts_of(services, lm, asked, fitted)
    return {
        "model": lm.name,
        "task": request.task,
        "template": asked.template.name,
        "prompt": fitted.prompt.text,
        "parts": shown["parts"],
        "note": shown["note"],
        "budget": shown["budget"],
        "answer": asked.template.found(written_text),
        "written": written_text,
        "seed": seed,
        "tokens": [
            {"id": token.id, "text": token.text, "logprob": round(token.logprob, 6)}
            for token in tokens
        ],
        "labels": asking.labels_of(services, lm, asked, fitted),
    }


def _form_values(request: ZeroShotRequest) -> Mapping[str, Any]:
    """The values of the tab's form: the task's own, then what the program has sent."""
    task = TASKS[request.task]
    fields = request.fields or {}
    for name in fields:
        if name not in task.fields:
            wanted = ", ".join(f'"{field}": "..."' for field in task.fields)
            raise InputError(
                f"There is no field {str(name)[:40]!r}. The task {request.task} takes {{{wanted}}}."
            )
    has_prompt = bool(request.prompt.strip())  # then the fields do not count
    values = form.defaults(request.task)
    for index, name in enumerate(task.fields):
        values[f"field_{index}"] = fields.get(name, "") or ("-" if has_prompt else "")
    values |= {"expected": "", "n_examples": request.n_examples, "prompt": request.prompt}
    values |= form.with_template(values, request.template or task.templates[0].name)
    sent = {name: value for name, value in values_of(request).items() if name in _SETTINGS}
    values |= {name: value for name, value in sent.items() if value not in (None, "")}
    return values


ENDPOINTS = (Endpoint("zero_shot", ZeroShotRequest, zero_shot),)
