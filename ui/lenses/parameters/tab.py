"""The Parameters tab: what a GPT is made of, and what it costs."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import gradio as gr

from gptcore.config import PRESETS, GPTConfig
from ui.lenses.parameters.events import FIELDS, PICKED, ParametersEvents, drawn
from ui.lenses.parameters.handlers import anatomy, costs, families, quoted, scaling, shapes
from ui.lenses.parameters.handlers.shapes import ShapeForm
from ui.lenses.parameters.view.views import BREAKDOWN, DRAWING, FIGURE, plotly_view
from ui.shared.colours import PARTS
from ui.shared.controls import settings_opener
from ui.shared.files import calling, component
from ui.shared.form_controls import control, group, in_order
from ui.shared.lens import Event, Lens, Sending, TabContext
from ui.shared.view.sheet_view import sheet_view
from ui.shared.wiring import QUIET, view_tab, while_computing

_VIEWS = "lenses/parameters/view"
_WITH_WORKSPACE = calling("shared/view/workspace.js", "[m.ownWorkspace()]")

# What the view of reference holds: where it stands, and what it is called.
_SECTIONS = {
    "cost": "memory and computation",
    "families": "from the bigram to GPT",
    "quoted": "117M or 124M?",
    "bars": "all models side by side",
    "scaling-said": "why larger models",
}
_CONTENTS = "On this page: " + " · ".join(f'<a href="#{name}">{title}</a>' for name, title in _SECTIONS.items())


def parameters_tab(site: TabContext[None]) -> Lens:
    """Lays out the tab and wires it."""
    services, model, model_work, tab = site.services, site.model, site.model_work, site.tab
    config = services.models.get(services.models.default).model.config
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320, elem_id="parameters-of-shape"):
            load = gr.Dropdown([PICKED, *PRESETS], value=PICKED, label="Start from", elem_id="shape-from")
            settings_opener("shape-settings")
            controls = _controls(shapes.controls_of(config))
            send = gr.Button("Train this shape", elem_id="shape-to-train", min_width=0)
        with gr.Column(scale=5, min_width=330), gr.Tabs(elem_id="parameter-views"):
            with view_tab("parameters", "breakdown") as breakdown_tab:
                counted, hues = shapes.breakdown(config), {"hues": list(PARTS.values())}
                script = f"{_VIEWS}/breakdown_view.js"
                table = component(counted, BREAKDOWN, script, given=hues, elem_id="breakdown")
            with view_tab("parameters", "drawing") as drawing_tab:
                script = f"{_VIEWS}/drawing_view.js"
                drawing = component("", DRAWING, script, server_functions=[drawn], elem_id="drawing")
                gr.Markdown("### How its parts behave", elem_id="anatomy")
                names = list(anatomy.EXPERIMENTS)
                which = gr.Radio(names, value=names[0], show_label=False, container=False, elem_id="experiment")
                shown_figure = component("", FIGURE, f"{_VIEWS}/figure_view.js", elem_id="anatomy-figure")
            with view_tab("parameters", "cost") as cost_tab:
                gr.HTML(_CONTENTS, elem_id="reference-contents")
                (batch, length, millions), costing, (rate, cache), measured = _cost(config)
                sheet_view(quoted.quoted(), name="quoted-numbers", elem_id="quoted")
                bars = plotly_view(name="models-side-by-side", height=420, elem_id="bars")
                gr.Markdown(f"### Why larger models, and more text\n\n{scaling.said()}", elem_id="scaling-said")
                with gr.Row():
                    with gr.Column(min_width=320):
                        by_size = plotly_view(name="loss-by-parameters", height=360, elem_id="scaling-size")
                    with gr.Column(min_width=320):
                        by_text = plotly_view(name="loss-by-tokens", height=360, elem_id="scaling-text")

    # The page's script passes the open view: a server-side state would be set in undefined order when two views open
    # at once, as they do by a link.
    shown = gr.Textbox(visible=False)
    js = calling("shared/view/places.js", "[m.openView('parameter-views'), ...args.slice(1)]")
    events = ParametersEvents(services)
    fields = [controls[name] for name in FIELDS]
    inputs, outputs = [shown, batch, length, millions, *fields], [table, bars, costing, drawing]
    show = {"fn": events.show, "inputs": inputs, "outputs": outputs, "queue": False, "js": js, **QUIET}
    changed = [component.change for component in [*fields, batch, length, millions]]
    # Not "always_last", which loses the change when a field is moved into its range while the first one is answered.
    gr.on(changed, trigger_mode="multiple", **show)
    for opened in (breakdown_tab, cost_tab, drawing_tab, tab):
        opened.select(**show)
    workspace = gr.Textbox(visible=False)
    drawn_laws = {"fn": events.laws, "inputs": workspace, "outputs": [by_size, by_text], "js": _WITH_WORKSPACE}
    cost_tab.select(**drawn_laws, queue=False, **QUIET)
    followed = gr.State(services.models.default)  # the model whose shape the sliders show, or "" for a preset's
    load.input(events.load, [load, model], [*fields, length, followed], **QUIET)
    seen, moved = [shown, load, model, followed, batch, millions], [*fields, length, followed, *outputs]
    follow: Event = {"fn": events.follow, "inputs": seen, "outputs": moved, "js": js, **QUIET}
    rate.click(events.rate, [batch, length, millions, *fields], measured, **model_work)
    cache.click(events.cache, model, measured, **model_work)
    figure: Event = {"outputs": shown_figure, **model_work}
    examined: Event = {"fn": events.anatomy, "inputs": [shown, which, model], "js": js, **figure}
    # "always_last" may lose a choice that is made while the tab opens; the view leaves out what is no longer chosen.
    examine: Event = {"fn": events.examine, "inputs": [which, model], **figure}
    while_computing(partial(gr.on, [which.input, drawing_tab.select]), examine, trigger_mode="multiple")
    return Lens(on_model=[follow, examined], asks=load, sends=Sending(send.click, controls))


def _cost(config: GPTConfig) -> tuple[list[gr.Number], gr.HTML, list[gr.Button], gr.Markdown]:
    """What a shape costs: the fields, the view, and the buttons that measure with what they found."""
    n_tokens, title = min(256, config.n_positions), "Training tokens, millions"
    whole: dict[str, Any] = {"precision": 0, "minimum": 1, "min_width": 120}
    with gr.Row():
        batch = gr.Number(8, label="Sequences in a batch", **whole, elem_id="cost-batch")
        length = gr.Number(n_tokens, label="Tokens in each", **whole, elem_id="cost-length")
        millions = gr.Number(300, label=title, minimum=0.001, elem_id="cost-tokens", min_width=120)
    table = sheet_view(costs.costs(config, 8, n_tokens, 300), name="cost", elem_id="cost")
    with gr.Row():
        rate = gr.Button("Measure training here (2 s)", elem_id="measure-training", min_width=160)
        cache = gr.Button("Time the KV cache with the model above", elem_id="measure-cache", min_width=160)
    measured = gr.Markdown("", elem_id="measured")
    sheet_view(families.families(), name="families", elem_id="families")
    return [batch, length, millions], table, [rate, cache], measured


def _controls(values: dict[str, Any]) -> dict[str, Any]:
    """The shape's controls, by the names of GPTConfig's fields."""
    components: dict[str, Any] = {}

    def add(names: Iterable[str], **changes: Any) -> None:
        for name in names:
            components[name] = control(ShapeForm, "shape", name, value=values[name], **changes)

    with gr.Column(elem_classes="shape-sliders"):
        add(group(ShapeForm, "sizes"))
    with gr.Row(elem_classes="shape-switches"):
        add(group(ShapeForm, "switches"), min_width=130)
    add(("norm_position",))
    with gr.Row(elem_classes="shape-switches"):
        add(group(ShapeForm, "more"), min_width=0)
    return in_order(ShapeForm, components)
