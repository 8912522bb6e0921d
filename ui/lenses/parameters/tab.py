"""The Parameters tab: what a GPT is made of, and what it costs."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import gradio as gr

from gptcore.config import PRESETS
from ui.errors import shown_to_visitor
from ui.lenses.parameters.handlers import shapes
from ui.lenses.parameters.handlers.forms import ReferenceFields
from ui.lenses.parameters.handlers.shapes import ShapeForm
from ui.shared.controls import settings_opener
from ui.shared.fields import fields_of
from ui.shared.form_controls import control, group
from ui.shared.lens import Event, Fill, Lens, Sending
from ui.shared.site import Site
from ui.shared.uses import ABOVE
from ui.shared.wiring import QUIET, filling
from ui.views import TABS

TAB = next(tab for tab in TABS if tab.name == "parameters")
_LONGEST_FIRST = 256  # tokens of a sequence, where the window allows


def parameters_tab(site: Site[None]) -> Lens:
    """Lays out the shape beside every view of the tab."""
    services = site.services
    config = services.models.get(services.models.default).model.config
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320, elem_id="parameters-of-shape"):
            origin = site.add("shape_from", control(ReferenceFields, "", "shape_from"))
            settings_opener("shape-settings")
            _shape(site, shapes.controls_of(config))
            send = gr.Button("Train this shape", elem_id="shape-to-train", min_width=0)
        with gr.Column(scale=5, min_width=330), gr.Tabs(elem_id="parameter-views"):
            for view in TAB.views:
                with gr.Tab(view.title, id=view.name):
                    import_module(f"ui.lenses.parameters.{view.name}.view").lay_out(site)
    sizes = {name: site.fields[f"shape.{name}"] for name in fields_of(ShapeForm)}
    length = site.fields["cost_length"]
    # the model whose shape is shown, or "" for a preset's
    followed = gr.State(services.models.default)

    def load(name: str, model: str) -> dict[str, Any]:
        with shown_to_visitor():
            config = shapes.known_shape(services, name, model)
        values = shapes.controls_of(config)
        shape = {size: values[size] for size in sizes}
        length_shown = min(_LONGEST_FIRST, config.n_positions)
        return {**shape, "cost_length": length_shown, "followed": model if name == ABOVE else ""}

    def follow(name: str, model: str, before: str) -> dict[str, Any]:
        return {} if name != ABOVE or model == before else load(name, model)

    def fill(settings: Mapping[str, Any]) -> dict[str, Any]:
        """The shape that a link names, with what it sets of it, for the model that it names."""
        filled = {name: settings[name] for name in by_link if name in settings}
        source = settings.get("shape_from")
        if source in PRESETS:
            of_source = load(source, "")
            filled = {**{f"shape.{size}": of_source[size] for size in sizes}, **filled}
            return {"cost_length": of_source["cost_length"], **filled, "followed": ""}
        if any(name.startswith("shape.") for name in filled):
            filled["followed"] = settings.get("model", services.models.default)
        return filled

    named = {**sizes, "cost_length": length, "followed": followed}
    outputs = list(named.values())
    loaded = origin.input(filling(load, named), [origin, site.model], outputs, **QUIET)
    site.fields.note(loaded, outputs)
    on_model: Event = {
        "fn": filling(follow, named),
        "inputs": [origin, site.model, followed],
        "outputs": outputs,
        **QUIET,
    }
    by_link = {
        **{f"shape.{size}": component for size, component in sizes.items()},
        "cost_length": length,
    }
    fills = Fill(fill, {**by_link, "followed": followed})
    return Lens(on_model=[on_model], fills=fills, asks=origin, sends=Sending(send.click, sizes))


def _shape(site: Site[None], values: Mapping[str, Any]) -> None:
    """The controls of the shape."""

    def add(names: Iterable[str], **changes: Any) -> None:
        for name in names:
            site.add(
                f"shape.{name}", control(ShapeForm, "shape", name, value=values[name], **changes)
            )

    with gr.Column(elem_classes="shape-sliders"):
        add(group(ShapeForm, "sizes"))
    with gr.Row(elem_classes="shape-switches"):
        add(group(ShapeForm, "switches"), min_width=130)
    add(("norm_position",))
    with gr.Row(elem_classes="shape-switches"):
        add(group(ShapeForm, "more"), min_width=0)
