"""The Generate tab: write, compare strategies, and see what surprises a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui import links
from ui.components.generate.distribution_view import distribution_view
from ui.components.shared.token_stream import token_stream
from ui.errors import shown_to_visitor
from ui.handlers.generate import writing as handlers
from ui.handlers.generate.first_text import first_text
from ui.handlers.generate.strategies import STRATEGIES
from ui.handlers.page.example import PageExample
from ui.services import Services
from ui.tabs.controls import (
    LINKED,
    QUIET,
    Controls,
    event_data,
    main_sliders,
    more_controls,
    or_nothing,
    sampling_of,
    seed_row,
    stop_event,
    writing_form,
)
from ui.tabs.generate.views import compare_view, score_view


@dataclass(frozen=True)
class GenerateTab:
    """What the page needs of this tab.

    Attributes:
        prompt, controls: what a link sets.
        stream: the text.
        opened: what to show of a model that has just been opened, as keyword arguments of an event.
    """

    prompt: gr.Textbox
    controls: Controls
    stream: gr.HTML
    opened: dict[str, Any]


def generate_tab(
    services: Services, model: gr.Dropdown, example: PageExample, model_work: dict[str, Any]
) -> GenerateTab:
    """Lays out the tab and wires it.

    Args:
        services: of the app.
        model: the picker in the page's header.
        example: what is on screen before anybody does anything.
        model_work: keyword arguments of events that run a model.
    """
    with gr.Tabs(elem_id="generate-views"):
        with gr.Tab("Write"), gr.Row(equal_height=False):
            with gr.Column(scale=1, min_width=330):
                prompt = gr.Textbox(
                    example.document.prompt, label="Prompt", lines=2, max_lines=6, elem_id="prompt",
                    info="The model continues this text; it does not answer it.",
                )  # fmt: skip
                with gr.Row(visible=False, elem_id="space-warning") as warning:
                    gr.Markdown(
                        "The prompt ends in a space. Most tokens start with their space, so this derails the model."
                    )
                    strip = gr.Button("Remove it", size="sm", scale=0, min_width=110, elem_id="strip")
                with gr.Row(elem_classes="steps"):
                    start = gr.Button("Generate", variant="primary", elem_id="generate", min_width=0)
                    step = gr.Button("Next token", elem_id="next-token", min_width=0)
                    stop = gr.Button("Stop", variant="stop", elem_id="stop", min_width=0)
                    undo = gr.Button("Undo", elem_id="undo", min_width=0)
                seed = seed_row(example.document.seed)
                stream = token_stream(example.stream, label="Generated text", elem_id="stream", branching=True)
                with gr.Accordion(
                    "More: stop strings, speed limit, KV cache, minimum length", open=False, elem_id="more"
                ):
                    more = more_controls(example.form)
                    copy_link = gr.Button(
                        "Copy a link to these settings", elem_id="copy-link", elem_classes="no-present"
                    )
                    copied = gr.Markdown("", elem_id="link-said")
            with gr.Column(scale=1, min_width=330):
                with gr.Row(elem_classes="presets"):
                    presets = {
                        name: gr.Button(name, size="sm", min_width=0, elem_id=f"preset-{place}")
                        for place, name in enumerate(STRATEGIES)
                    }
                sliders = main_sliders(example.form, services.limits.max_new_tokens)
                chart = distribution_view(example.distribution, elem_id="distribution")
        controls = Controls({**sliders, **more}, *seed)
        with gr.Tab("Compare strategies"):
            compare_view(services, model, example, controls, model_work)
        with gr.Tab("What surprises it"):
            score_view(services, model, example, model_work)

    on_write, on_step, on_branch, on_look, on_redraw, on_undo, on_opened = _events(services)
    inputs, outputs = [model, prompt, *controls.inputs], [prompt, stream, controls.seed, chart]
    writing = {**model_work, "trigger_mode": "multiple"}
    gr.on([start.click, prompt.submit], on_write, inputs, outputs, **writing)
    step.click(on_step, inputs, outputs, **writing)
    stream.pick(on_branch, inputs, outputs, **writing)
    chart.pick(on_branch, inputs, outputs, **writing)
    stop.click(stop_event(services), queue=False, **QUIET)
    undo.click(on_undo, inputs, outputs, **model_work)
    look = {"fn": on_look, "inputs": inputs, "outputs": [warning, chart], **model_work}
    prompt.change(trigger_mode="always_last", **look)
    strip.click(lambda text: text.rstrip(" "), prompt, prompt, queue=False, **QUIET)
    moved = [slider.input for slider in controls.sampling]
    gr.on(moved, on_redraw, controls.inputs, chart, trigger_mode="always_last", concurrency_limit=4, **QUIET)
    for name, button in presets.items():
        button.click(_on_preset(services, name), controls.inputs, [*controls.sampling, chart], **QUIET)
    draw = "() => [Math.floor(Math.random() * 2147483647), true]"
    controls.new_seed.click(None, None, [controls.seed, controls.keep_seed], js=draw, **QUIET)
    linked = {"model": model, "prompt": prompt, "seed": controls.seed}
    linked |= {name: controls.by_name[name] for name in LINKED}
    copy_link.click(None, list(linked.values()), copied, js=links.copy_script(list(linked)), **QUIET)
    opened = {"fn": on_opened, "inputs": inputs, "outputs": outputs, **model_work}
    return GenerateTab(prompt, controls, stream, opened)


def _shown(view: handlers.View) -> list[Any]:
    """A view as values for [prompt, stream, seed, distribution]."""
    parts = (view.prompt, view.stream, view.seed, view.distribution)
    return [gr.skip() if part is None else part for part in parts]


def _events(services: Services) -> tuple[Callable[..., Any], ...]:
    """The tab's events as Gradio wants them: the request first, then the values of the inputs."""

    def shown(views: Iterator[handlers.View]) -> Iterator[list[Any]]:
        return or_nothing(map(_shown, views), _shown(handlers.View()))

    def on_write(request: gr.Request, name: str, text: str, *raw: Any) -> Iterator[list[Any]]:
        with shown_to_visitor():
            yield from shown(handlers.write(services, request.session_hash, name, text, writing_form(services, raw)))

    def on_step(request: gr.Request, name: str, text: str, *raw: Any) -> Iterator[list[Any]]:
        with shown_to_visitor():
            yield from shown(
                handlers.write_one(services, request.session_hash, name, text, writing_form(services, raw))
            )

    def on_branch(request: gr.Request, event: gr.EventData, name: str, text: str, *raw: Any) -> Iterator[list[Any]]:
        picked = event_data(event)
        with shown_to_visitor():
            place, token = picked.get("place"), picked.get("id")
            yield from shown(
                handlers.branch(services, request.session_hash, name, text, writing_form(services, raw), place, token)
            )

    def on_look(request: gr.Request, name: str, text: str, *raw: Any) -> list[Any]:
        with shown_to_visitor():
            view = handlers.look(services, request.session_hash, name, text, writing_form(services, raw))
            warned = handlers.derails(services, name, text)
        return [gr.Row(visible=warned), view.distribution]

    def on_redraw(request: gr.Request, *raw: Any) -> Any:
        with shown_to_visitor():
            view = handlers.redraw(services, request.session_hash, sampling_of(raw))
        return gr.skip() if view.distribution is None else view.distribution

    def on_undo(request: gr.Request, name: str, text: str, *raw: Any) -> list[Any]:
        with shown_to_visitor():
            return _shown(handlers.undo(services, request.session_hash, name, writing_form(services, raw)))

    def on_opened(request: gr.Request, name: str, text: str, *raw: Any) -> Iterator[list[Any]]:
        with shown_to_visitor():
            yield from shown(first_text(services, request.session_hash, name, text, writing_form(services, raw)))

    return on_write, on_step, on_branch, on_look, on_redraw, on_undo, on_opened


def _on_preset(services: Services, preset: str) -> Callable[..., list[Any]]:
    """Moves the sliders to a strategy and draws the distribution under it."""

    def on_preset(request: gr.Request, *raw: Any) -> list[Any]:
        with shown_to_visitor():
            chosen = STRATEGIES[preset]
            view = handlers.redraw(services, request.session_hash, chosen)
        moved = list(chosen.on_controls().values())
        return [*moved, gr.skip() if view.distribution is None else view.distribution]

    return on_preset
