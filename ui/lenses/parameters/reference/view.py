"""Lays out the view of reference: what a shape costs, and how it stands among others."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.parameters.handlers import shapes
from ui.lenses.parameters.handlers.forms import ReferenceFields
from ui.lenses.parameters.reference import VIEW, charts, costs, families, quoted, scaling
from ui.shared import sheets
from ui.shared.files import Asks, calling, component
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.view.save_menu import save_menu
from ui.shared.view.sentence import sentence_view
from ui.shared.view.sheet_view import sheet_view
from ui.shared.wiring import QUIET

_TRAINING = ("cost_batch", "cost_length", "cost_tokens")
_COSTED = (*shapes.FIELDS, *_TRAINING)
_PICTURES = f'<div class="ts-tools u-row u-type-xs">{save_menu("png", "svg")}</div>'
_LONGEST_FIRST = 256  # tokens of a sequence, where the window allows
_AT_ONCE: dict[str, Any] = {"queue": False, **QUIET}
_WITH_WORKSPACE = calling("shared/view/workspace.js", "[m.ownWorkspace()]")


def lay_out(site: Site[None]) -> None:
    """Lays out the view and wires it: three pages, of which one is seen."""
    site.add(
        "reference_page",
        control(ReferenceFields, "", "reference_page", show_label=False),
        VIEW.name,
    )
    with gr.Column(elem_id="page-cost"):
        _cost(site)
    with gr.Column(elem_id="page-history"):
        _history(site)
    with gr.Column(elem_id="page-numbers"):
        sheet_view(quoted.quoted(), name="quoted-numbers", elem_id="quoted")


def _cost(site: Site[None]) -> None:
    """Memory and operations of the shape, and what was measured here."""
    models = site.services.models
    config = models.get(models.default).model.config
    length = min(_LONGEST_FIRST, config.n_positions)
    with gr.Row():
        for name in _TRAINING:
            changes = {"value": length} if name == "cost_length" else {}
            site.add(name, control(ReferenceFields, "", name, min_width=120, **changes), VIEW.name)
    table = sheet_view(
        costs.costs(config, 8, length, 300),
        name="cost",
        needs=(*_COSTED, shapes.ORIGIN),
        asks="always",
        elem_id="cost",
    )
    site.fields.keep(table, Asked(_costs, _COSTED, [table], options=_AT_ONCE))
    _measurements(site)


def _history(site: Site[None]) -> None:
    """Sizes of the models in a picture, scaling laws, and tables of the relatives."""
    bars = _plot(
        name="models-side-by-side", height=300, needs=shapes.NEEDS, asks="always", elem_id="bars"
    )
    site.fields.keep(bars, Asked(_bars, shapes.FIELDS, [bars], options=_AT_ONCE))
    _laws(site)
    sheet_view(families.families(), name="families", elem_id="families")


def _measurements(site: Site[None]) -> None:
    """The buttons that measure here, and what they found."""
    services = site.services
    with gr.Row():
        rate = gr.Button("Measure training here (2 s)", elem_id="measure-training", min_width=160)
        cache = gr.Button(
            "Time the KV cache with the model above", elem_id="measure-cache", min_width=160
        )
    measured = sentence_view(needs=(*_COSTED, shapes.ORIGIN, "model"), elem_id="measured")

    def measure_rate(*values: object) -> str:
        with shown_to_visitor():
            try:
                *shape, batch, length, millions = values
                config = shapes.shape_of(shape)
                return costs.measure_training(services, config, batch, length, millions)
            except GPTCoreError as error:
                return str(error)

    def measure_cache(model: str) -> str:
        with shown_to_visitor():
            return costs.measure_cache(services, model)

    fields = site.fields
    fields.listen(rate.click, Asked(measure_rate, _COSTED, [measured], options=site.model_work))
    fields.listen(
        cache.click, Asked(measure_cache, ("model",), [measured], options=site.model_work)
    )


def _laws(site: Site[None]) -> None:
    """Loss against size and against text, with the visitor's own runs."""
    gr.Markdown(f"### Why larger models, and more text\n\n{scaling.said()}", elem_id="scaling-said")
    plots = []
    with gr.Row():
        # The first asks for both.
        laws: Sequence[tuple[str, Asks]] = (("size", "opened"), ("text", ""))
        for along, asks in laws:
            name = "loss-by-parameters" if along == "size" else "loss-by-tokens"
            with gr.Column(min_width=320):
                plot = _plot(name=name, height=360, needs=(), asks=asks, elem_id=f"scaling-{along}")
                plots.append(plot)

    def draw(workspace: str) -> list[str]:
        with shown_to_visitor():
            own = scaling.of_runs(site.services, workspace)
            points = [*scaling.bundled(), *own]
        return [
            charts.laws(along, scaling.lines(along), points) for along in ("parameters", "tokens")
        ]

    workspace = gr.Textbox(visible=False)
    plots[0].ask(draw, workspace, plots, js=_WITH_WORKSPACE, **_AT_ONCE)


def _plot(*, name: str, height: int, needs: tuple[str, ...], asks: Asks, elem_id: str) -> Any:
    """A plotly figure that keeps its zoom and follows dark mode; `name` is that of a saved file."""
    box = f'<div class="pl-box" style="width:100%;height:{height}px"></div>'
    return component(
        "",
        f'<div class="pl-said" role="status"></div>{box}{_PICTURES}',
        "lenses/parameters/reference/plot.js",
        needs=needs,
        asks=asks,
        given={"name": name},
        elem_id=elem_id,
    )


def _costs(*values: object) -> str:
    *shape, batch, length, millions = values
    with shown_to_visitor():
        try:
            return costs.costs(shapes.shape_of(shape), batch, length, millions)
        except GPTCoreError as error:
            return sheets.message(str(error))


def _bars(*values: object) -> str:
    with shown_to_visitor():
        try:
            return charts.bars(shapes.side_by_side(shapes.shape_of(values)))
        except GPTCoreError as error:
            return sheets.message(str(error))
