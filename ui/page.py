"""The page: header, model picker, tabs, links and the named endpoints."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ui import links
from ui.components.files import plotly_library
from ui.endpoints import add_endpoints
from ui.errors import shown_to_visitor
from ui.handlers import generate as handlers
from ui.handlers import loading, train
from ui.handlers.example import Example
from ui.handlers.train_plan import sent_shape
from ui.jobs import Bench
from ui.model_store import facts
from ui.services import Services
from ui.tabs.attention import attention_tab
from ui.tabs.controls import LINKED, QUIET
from ui.tabs.generate import generate_tab
from ui.tabs.parameters import parameters_tab
from ui.tabs.train import train_tab
from ui.tabs.zero_shot import zero_shot_tab

TITLE = "GPT Lens"
KEYS = "Keys: **G** generate · **N** next token · **S** stop · **P** large type · **D** dark · **Shift+Enter** in the prompt"


def build_page(services: Services, example: Example) -> gr.Blocks:
    """The whole page, wired; `launch` takes the theme, style sheet and script of `ui.theme`.

    Args:
        services: of the app.
        example: what every tab shows before anybody does anything.
    """
    default = services.models.get(services.models.default)
    # The queue only bounds how much is under way; `Services.compute` decides who computes at a moment.
    model_work = {**QUIET, "concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    hint = " Pick one from the list, or type a folder or a Hub repository." if services.limits.any_model else ""
    gr.set_static_paths([plotly_library()])  # the only call: a second one would replace the first
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False) as page:
        with gr.Row(elem_id="head", equal_height=True):
            with gr.Column(scale=3, min_width=280):
                gr.Markdown(
                    f"# {TITLE}\nOne model, seen from every side.{hint}",
                    elem_id="title",
                )
            with gr.Column(scale=4, min_width=280):
                model = gr.Dropdown(
                    [(choice.label, choice.name) for choice in services.models.choices()], value=services.models.default,
                    label="Model", allow_custom_value=services.limits.any_model, elem_id="model", show_label=False,
                    container=False,
                )  # fmt: skip
                line = gr.HTML(html.escape(facts(default)), elem_id="facts")
        with gr.Tabs(elem_id="tabs") as tabs:
            with gr.Tab("Generate", id="generate"):
                tab = generate_tab(services, model, example, model_work)
            with gr.Tab("Attention", id="attention"):
                heads = attention_tab(services, model, example.attention, model_work)
            with gr.Tab("Parameters", id="parameters") as parameters:
                counted = parameters_tab(services, model, model_work, parameters)
            with gr.Tab("Train", id="train"):
                training = train_tab(services, model)
            with gr.Tab("Zero-shot", id="zero-shot"):
                asked = zero_shot_tab(services, model, example.zero_shot, model_work)
        gr.Markdown(KEYS, elem_id="keys", elem_classes="no-present")
        opened = gr.State(services.models.default)  # the last model that could be opened
        opening: dict[str, Any] = {
            "fn": _on_model(services),
            "inputs": [model, opened],
            "outputs": [line, model, opened],
        }
        opening |= {"concurrency_id": "load", "concurrency_limit": 2, **QUIET}
        refreshing = [tab.look, heads.fresh, heads.look, heads.compare, *counted.follow, *asked.follow]
        _chain(model.input(**opening), refreshing)
        linked = {"prompt": tab.prompt, "seed": tab.controls.seed, "model": model, "text": heads.text}
        linked |= {"sink": heads.mode, "keep": heads.keep}
        linked |= {name: tab.controls.by_name[name] for name in LINKED}
        outputs = [tabs, heads.linked, *linked.values()]
        arriving = page.load(_on_load(services, example, list(linked)), None, outputs, **QUIET)
        _chain(arriving.then(**opening), refreshing)
        arrive, compose = asked.arrive
        page.load(**arrive).success(**compose)
        picking = [model, tabs, tab.prompt]
        training.view.models(_on_models(services), None, model, **QUIET)
        opened_here = training.view.open(_on_open(services), None, picking, **QUIET)
        _chain(opened_here.success(**opening), refreshing)
        uploaded = training.uploaded.upload(
            **{**training.upload, "fn": _on_upload(services, training.upload["fn"])}, outputs=[model, training.view]
        )
        _chain(uploaded.success(**opening), refreshing)
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
                    yield [html.escape(step.facts or step.progress), gr.skip(), name if done else gr.skip()]
        except gr.Error as error:
            gr.Warning(error.message, title="The model cannot be opened", duration=None)
            yield [html.escape(facts(services.models.get(before))), before, gr.skip()]

    return on_model


def _choices(services: Services, bench: object) -> list[tuple[str, str]]:
    """The picker's lines with a visitor's own models in front."""
    return train.own_models(services, bench) + [(choice.label, choice.name) for choice in services.models.choices()]


def _on_models(services: Services) -> Callable[[gr.EventData], Any]:
    """A model that is being trained appears in the picker; what is picked stays."""

    def on_models(event: gr.EventData) -> Any:
        return gr.Dropdown(choices=_choices(services, event._data.get("bench")))

    return on_models


def _on_open(services: Services) -> Callable[[gr.EventData], list[Any]]:
    """Picks the model of a run and goes to a tab; the picker's own event then opens it."""

    def on_open(event: gr.EventData) -> list[Any]:
        bench, name, tab = (event._data.get(key) for key in ("bench", "run", "tab"))
        choices = _choices(services, bench)
        if name not in {value for _, value in choices} or tab not in links.CHOICES["tab"]:
            return [gr.skip()] * 3
        run = services.jobs.find(name)
        prompt = run.plan.about["prompt"] if run is not None and tab == "generate" else gr.skip()
        return [gr.Dropdown(choices=choices, value=name), gr.Tabs(selected=tab), prompt]

    return on_open


def _on_send() -> Callable[..., list[Any]]:
    """Takes a shape from the Parameters tab to the Train tab's form."""

    def on_send(*sizes: Any) -> list[Any]:
        with shown_to_visitor():
            return [gr.Tabs(selected="train"), *sent_shape(sizes)]

    return on_send


def _on_upload(services: Services, keep: Callable[..., tuple[Bench, str]]) -> Callable[[str, str], list[Any]]:
    """Picks an uploaded model."""

    def on_upload(bench: str, file: str) -> list[Any]:
        kept, name = keep(bench, file)
        return [gr.Dropdown(choices=_choices(services, kept.id), value=name), json.dumps({"bench": kept.id})]

    return on_upload


def _on_load(services: Services, example: Example, linked: list[str]) -> Callable[[gr.Request], list[Any]]:
    """When a page is opened: the example becomes the visitor's own, and the query string sets the controls."""

    def on_load(request: gr.Request) -> list[Any]:
        handlers.adopt(services, request.session_hash, example.document, example.next_token)
        asked = links.read(dict(request.query_params), services.limits.max_new_tokens)
        tab = gr.Tabs(selected=asked["tab"]) if "tab" in asked else gr.skip()
        return [tab, "text" in asked, *(asked.get(name, gr.skip()) for name in linked)]

    return on_load


def _on_leave(services: Services) -> Callable[[gr.Request], None]:
    """When a page is closed, nothing of the visitor is kept and nothing goes on."""

    def on_leave(request: gr.Request) -> None:
        services.sessions.forget(request.session_hash)

    return on_leave
