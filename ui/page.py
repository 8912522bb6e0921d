"""The page: header, model picker, tabs, links and the named endpoints."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ui import links
from ui.components.files import calling
from ui.endpoints import add_endpoints
from ui.errors import shown_to_visitor
from ui.handlers import inputs
from ui.handlers.generate import writing as handlers
from ui.handlers.models import loading, uses
from ui.handlers.page.example import PageExample
from ui.handlers.train import watching
from ui.handlers.train.forms import shape_of
from ui.handlers.train.presets import SENT
from ui.jobs import Bench
from ui.model_store import base_name, facts, moments, title_of
from ui.services import Services
from ui.tabs.attention.tab import attention_tab
from ui.tabs.controls import LINKED, QUIET, event_data
from ui.tabs.generate.tab import generate_tab
from ui.tabs.parameters.tab import parameters_tab
from ui.tabs.train.tab import train_tab
from ui.tabs.zero_shot.tab import zero_shot_tab

TITLE = "GPT Lens"
KEYS = "Keys: **G** main button · **N** next token · **S** stop · **P** large type · **D** dark · **1** to **5** tabs · **Shift+Enter** in the prompt"


def build_page(services: Services, example: PageExample) -> gr.Blocks:
    """The whole page, wired; `launch` takes the theme, style sheet and script of `ui.theme`.

    Args:
        services: of the app.
        example: what every tab shows before anybody does anything.
    """
    default = services.models.get(services.models.default)
    # The queue only bounds how much is under way; `Services.compute` decides who computes at a moment.
    model_work = {**QUIET, "concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    hint = " Pick one from the list, or type a folder or a Hub repository." if services.limits.any_model else ""
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False) as page:
        with gr.Row(elem_id="head", equal_height=True):
            with gr.Column(scale=3, min_width=280):
                gr.Markdown(
                    f"# {TITLE}\nOne model, seen from every side.{hint}",
                    elem_id="title",
                )
            with gr.Column(scale=4, min_width=280), gr.Row(elem_id="pick"):
                model = gr.Dropdown(
                    _choices(services, None), value=services.models.default,
                    label="Model", allow_custom_value=services.limits.any_model, elem_id="model", show_label=False,
                    container=False,
                )  # fmt: skip
                moment = _moment_slider(services.models.default)
                line = gr.HTML(html.escape(facts(default)), elem_id="facts")
        with gr.Tabs(elem_id="tabs") as tabs:
            lines: list[gr.HTML] = []
            sentences = iter(uses.model_lines(services, default.name, asked=example.zero_shot.model))

            def model_line(name: str) -> None:
                lines.append(gr.HTML(html.escape(next(sentences)), elem_id=f"uses-{name}", elem_classes="uses"))

            with gr.Tab("Generate", id="generate"):
                model_line("generate")
                tab = generate_tab(services, model, example, model_work)
            with gr.Tab("Attention", id="attention"):
                model_line("attention")
                heads = attention_tab(services, model, example.attention, model_work)
            with gr.Tab("Parameters", id="parameters") as parameters:
                model_line("parameters")
                counted = parameters_tab(services, model, model_work, parameters)
            with gr.Tab("Train", id="train"):
                model_line("train")
                training = train_tab(services, model)
            with gr.Tab("Zero-shot", id="zero-shot"):
                model_line("zero-shot")
                asked = zero_shot_tab(services, model, example.zero_shot, model_work)
        gr.Markdown(KEYS, elem_id="keys", elem_classes="no-present")
        opened = gr.State(services.models.default)  # the last model that could be opened
        opening: dict[str, Any] = {
            "fn": _on_model(services),
            "inputs": [model, opened],
            "outputs": [line, model, opened, moment],
        }
        opening |= {"concurrency_id": "load", "concurrency_limit": 2, "trigger_mode": "always_last", **QUIET}
        telling = {
            "fn": _on_lines(services),
            "inputs": [model, counted.start_from, asked.asked],
            "outputs": lines,
            **QUIET,
        }
        refreshing = [telling, heads.fresh, heads.look, heads.compare, *counted.follow, *asked.follow]

        def on_opened(opened_now: Any) -> None:
            opened_now.success(**tab.opened)
            _chain(opened_now, refreshing)

        gr.on([counted.start_from.input, asked.asked.input], **telling)
        on_opened(model.input(**opening))
        moved = moment.input(_on_moment(services), [model, moment], model, trigger_mode="always_last", **QUIET)
        on_opened(moved.success(**opening))
        linked = {"prompt": tab.prompt, "seed": tab.controls.seed, "model": model, "text": heads.text}
        linked |= {"sink": heads.mode, "keep": heads.keep}
        linked |= {name: tab.controls.by_name[name] for name in LINKED}
        visit = gr.Textbox(visible=False)
        arriving = page.load(
            _on_load(services, example, list(linked)), visit, [tabs, heads.linked, tab.stream, moment, *linked.values()],
            js=calling("shared/visit.js", "[m.visit()]"), **QUIET,
        )  # fmt: skip
        on_opened(arriving.then(**opening))
        arrive, compose = asked.arrive
        page.load(**arrive).success(**compose).success(**telling)
        training.view.models(_on_models(services), None, model, **QUIET)
        opened_here = training.view.open(_on_open(services), None, [model, tabs], **QUIET)
        on_opened(opened_here.success(**opening))
        uploaded = training.uploaded.upload(
            **{**training.upload, "fn": _on_upload(services, training.upload["fn"])}, outputs=[model, training.view]
        )
        on_opened(uploaded.success(**opening))
        counted.send.click(_on_send(), counted.sent, [tabs, *training.shape], **QUIET)
        page.unload(_on_leave(services))
        add_endpoints(services)
    return page


def _chain(first: Any, events: list[dict[str, Any]]) -> None:
    """Runs events one after the other, as long as none fails."""
    for event in events:
        first = first.success(**event)


def _on_model(services: Services) -> Callable[..., Iterator[list[Any]]]:
    """Opens the picked model, reporting as it comes; a failure puts the picker back."""

    def on_model(name: str, before: str) -> Iterator[list[Any]]:
        try:
            with shown_to_visitor():
                for step in loading.load(services, name):
                    done = step.facts is not None
                    moved = done and base_name(name) != base_name(before)  # else the visitor's hand is on the slider
                    moment = _moment_slider(name) if moved else gr.skip()
                    yield [html.escape(step.facts or step.progress), gr.skip(), name if done else gr.skip(), moment]
        except gr.Error as error:
            gr.Warning(error.message, title="The model cannot be opened", duration=None)
            yield [html.escape(facts(services.models.get(before))), before, gr.skip(), _moment_slider(before)]

    return on_model


def _moment_slider(name: str) -> gr.Slider:
    """How long the model in the picker was trained, where snapshots of its training come with it."""
    steps = moments(name)
    step = int(name.rpartition("@")[2]) if base_name(name) != name else -1
    at = steps.index(step) if step in steps else len(steps)
    return gr.Slider(
        0, max(1, len(steps)), at, step=1, precision=0, label="Trained for", visible=bool(steps), buttons=[], min_width=150,
        elem_id="moment", container=False,
    )  # fmt: skip


def _on_moment(services: Services) -> Callable[[str, float], Any]:
    """Picks the model as it was at a moment of its training; the last place is the finished one."""

    def on_moment(name: str, place: float) -> Any:
        with shown_to_visitor():
            base, steps = base_name(name), moments(name)
            at = inputs.whole(place, "The moment of the training", low=0, high=len(steps))
            chosen = base if at == len(steps) else f"{base}@{steps[at]}"
        return gr.Dropdown(choices=_choices_with(services, chosen), value=chosen)

    return on_moment


def _choices(services: Services, bench: object) -> list[tuple[str, str]]:
    """The picker's lines with a visitor's own models in front."""
    return watching.own_models(services, bench) + [(choice.label, choice.name) for choice in services.models.choices()]


def _choices_with(services: Services, name: str) -> list[tuple[str, str]]:
    """The picker's lines with those of the bench that a model was trained on, if it was trained here."""
    bench = services.jobs.bench_of(name)
    moment = [(title_of(name), name)] if base_name(name) != name else []
    return moment + _choices(services, None if bench is None else bench.id)


def _on_models(services: Services) -> Callable[[gr.EventData], Any]:
    """A model that is being trained appears in the picker; what is picked stays."""

    def on_models(event: gr.EventData) -> Any:
        return gr.Dropdown(choices=_choices(services, event_data(event).get("bench")))

    return on_models


def _on_open(services: Services) -> Callable[[gr.EventData], list[Any]]:
    """Picks the model of a run and goes to a tab; the event that opens a model follows."""

    def on_open(event: gr.EventData) -> list[Any]:
        bench, name, tab = (event_data(event).get(key) for key in ("bench", "run", "tab"))
        choices = _choices(services, bench)
        if name not in [value for _, value in choices] or tab not in links.CHOICES["tab"]:
            return [gr.skip()] * 2
        return [gr.Dropdown(choices=choices, value=name), gr.Tabs(selected=tab)]

    return on_open


def _on_send() -> Callable[..., list[Any]]:
    """Takes a shape from the Parameters tab to the Train tab's form."""

    def on_send(*sizes: Any) -> list[Any]:
        with shown_to_visitor():
            shape = shape_of(dict(zip(SENT, sizes, strict=True)))
            return [gr.Tabs(selected="train"), *(getattr(shape, name) for name in SENT)]

    return on_send


def _on_upload(services: Services, keep: Callable[..., tuple[Bench, str]]) -> Callable[[str, str], list[Any]]:
    """Picks an uploaded model."""

    def on_upload(bench: str, file: str) -> list[Any]:
        kept, name = keep(bench, file)
        return [gr.Dropdown(choices=_choices(services, kept.id), value=name), json.dumps({"bench": kept.id})]

    return on_upload


def _on_lines(services: Services) -> Callable[..., list[str]]:
    """Says on every tab which model it works with."""

    def on_lines(model: str, shape: str, asked: str) -> list[str]:
        return [html.escape(line) for line in uses.model_lines(services, model, shape, asked)]

    return on_lines


def _on_load(services: Services, example: PageExample, linked: list[str]) -> Callable[[gr.Request, str], list[Any]]:
    """When a page is opened: the example becomes the visitor's own, or the text before a reload comes back; the query
    string sets the controls.
    """

    def on_load(request: gr.Request, visit: str) -> list[Any]:
        asked = links.read(dict(request.query_params), services.limits.max_new_tokens)
        tab = gr.Tabs(selected=asked["tab"]) if "tab" in asked else gr.skip()
        stream = gr.skip()
        before = services.sessions.resume(request.session_hash, visit)
        if before is not None and before.document is not None:
            kept = before.document
            asked |= {"prompt": kept.prompt, "seed": kept.seed, "model": kept.model}
            stream = "".join(kept.records)
        else:
            handlers.adopt(services, request.session_hash, example.document, example.next_token)
        moment = _moment_slider(asked["model"]) if moments(asked.get("model", "")) else gr.skip()
        if "model" in asked:
            asked["model"] = gr.Dropdown(choices=_choices_with(services, asked["model"]), value=asked["model"])
        return [tab, "text" in asked, stream, moment, *(asked.get(name, gr.skip()) for name in linked)]

    return on_load


def _on_leave(services: Services) -> Callable[[gr.Request], None]:
    """When a page is closed, nothing of the visitor is kept and nothing goes on."""

    def on_leave(request: gr.Request) -> None:
        services.sessions.forget(request.session_hash)

    return on_leave
