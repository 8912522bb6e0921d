"""Lays out the answer: the prompt in its parts, what the model answers, and what of the prompt it
used.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.zero_shot.answer import VIEW
from ui.lenses.zero_shot.events import DRAWN, NEEDS, TAKES, named, parsed
from ui.lenses.zero_shot.handlers import asking, views
from ui.lenses.zero_shot.handlers import form as forms
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample
from ui.lenses.zero_shot.handlers.fields import AnswerFields
from ui.lenses.zero_shot.prompt_state import PromptState
from ui.lenses.zero_shot.prompt_view import asking_buttons, prompt_view
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, stop_event


def lay_out(site: Site[ZeroShotExample], state: PromptState) -> None:
    """Lays out the view and wires it."""
    example = site.example
    services = site.services
    fields = site.fields
    parts = prompt_view(example.view, name="prompt", needs=NEEDS, asks="always", elem_id="zs-view")
    start, stop = asking_buttons("Answer", "answer", "stop", 110)
    stream = token_stream(
        example.stream, label="Answer", needs=NEEDS, compact=True, tail=True, elem_id="zs-stream"
    )
    prompt = gr.Textbox(
        example.prompt,
        label="Prompt (editable)",
        info="The model reads exactly this. A change in the fields rebuilds it.",
        lines=3,
        max_lines=10,
        elem_id="zs-prompt",
    )
    site.add("zs.prompt", prompt)

    def compose(*values: object) -> dict[Any, Any]:
        *taken, drawn, composed = values
        with shown_to_visitor():
            made = _composed(site, taken, drawn, composed)
            return {places[name]: value for name, value in made.items()}

    def answer(request: gr.Request, *values: object) -> Iterator[str]:
        *taken, composed = values
        with shown_to_visitor():
            model, form = parsed(services, taken, composed)
            yield from asking.answer(services, request.session_hash, model, form)

    places = {
        "view": parts,
        "prompt": prompt,
        "expected": fields["expected"],
        "composed": state.composed,
    }
    more = [state.drawn, state.composed]
    composing = Asked(compose, TAKES, list(places.values()), more, options=QUIET)
    fields.keep(parts, composing)
    options = {**site.model_work, "trigger_mode": "multiple"}
    answers = Asked(answer, TAKES, [stream], [state.composed], options=options)
    fields.listen(start.click, answers)
    stop.click(stop_event(services), queue=False, **QUIET)
    _uses(site, state)


def _uses(site: Site[ZeroShotExample], state: PromptState) -> None:
    """Lays out the effect of the prompt's parts on the answer: it costs as many answers as the
    prompt has words.
    """
    gr.Markdown("### What did it use?")
    with gr.Row(elem_classes="zs-buttons"):
        start = gr.Button("Remove each word in turn", elem_id="zs-uses-start", min_width=150)
        bare: dict[str, Any] = {"show_label": False, "container": False, "min_width": 200}
        site.add("zs.whose", control(AnswerFields, "zs", "whose", **bare), VIEW.name)
    needs = (*NEEDS, "zs.whose")
    shown = prompt_view(name="what-it-used", needs=needs, elem_id="zs-uses")

    def uses(*values: object) -> str:
        *taken, whose, composed = values
        with shown_to_visitor():
            return views.uses(site.services, *parsed(site.services, taken, composed), whose)

    asked = Asked(uses, (*TAKES, "zs.whose"), [shown], [state.composed], options=site.model_work)
    site.fields.listen(start.click, asked)


def _composed(
    site: Site[ZeroShotExample], taken: Sequence[object], drawn: object, composed: object
) -> dict[str, Any]:
    """Returns the new values of the view, the prompt, the expected answer, and what was composed.

    A prompt that differs from what was composed of the same fields was edited, and stays; once a
    field has changed, the prompt is rebuilt. An input that was changed no longer has the answer
    that came with it.
    """
    model, values = named(taken)
    names = [template.name for template in forms.known_task(values["task"]).templates]
    if values["template"] not in names:
        return {}  # inconsistent during a change of task; another event follows
    known = dict(zip(DRAWN, drawn, strict=True)) if isinstance(drawn, list) else {}
    is_moved = any(values[name] != known.get(name) for name in DRAWN[:-1])
    is_foreign = is_moved and values["expected"] == known.get("expected") != ""
    changed = {"expected": ""} if is_foreign else {}
    of_fields = {**values, **changed, "prompt": ""}
    now = json.dumps([model, of_fields], default=str)
    last = composed if isinstance(composed, Mapping) else {}
    # Of the prompt that the page was sent with, or a link has set, no fields are known yet.
    is_of_these = last.get("fields") in (None, now) and str(values["prompt"]).strip() != ""
    is_edited = is_of_these and values["prompt"] != last.get("prompt")
    view, prompt = _view_of(site, model, of_fields)
    made = {"composed": {"prompt": prompt, "fields": now}, **changed}
    if is_edited and values["prompt"] != prompt:
        return {"view": _view_of(site, model, values)[0], **made}
    return {"view": view, "prompt": prompt, **made}


def _view_of(
    site: Site[ZeroShotExample], model: object, values: Mapping[str, object]
) -> tuple[str, str]:
    """(the view, the prompt); a refusal stands in the view's place: a notice for every letter would
    be a nuisance.
    """
    try:
        return asking.composed(site.services, model, forms.task_form(values, site.services.limits))
    except GPTCoreError as error:
        return json.dumps({"message": str(error)}), str(values["prompt"])
