"""Lays out the view of heads: their maps, the parts that are switched off, and a recorded model."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.handlers.forms import HeadsFields
from ui.lenses.attention.heads import VIEW, ablation, recorded
from ui.lenses.attention.heads.head_weights import head_weights
from ui.lenses.attention.heads.templates import ABLATION, RECORDED
from ui.lenses.attention.view.attention_view import attention_view
from ui.shared.files import component
from ui.shared.form_controls import control
from ui.shared.site import Asked, Site
from ui.shared.view.sheet_view import sheet_view
from ui.shared.wiring import QUIET, served, stop_event

_READ = ("model", "text", "sink", "keep")  # what a text is read with
_SWITCHED = (*_READ, "replacement", "off")


def lay_out(site: Site[AttentionExample]) -> None:
    """Lays out the view and wires it."""
    heads = _maps(site)
    site.add("sink", control(HeadsFields, "", "sink"), VIEW.name)
    _switches(site)
    _recorded(site)

    def read(request: gr.Request, *values: object) -> Iterator[dict[Any, Any]]:
        with shown_to_visitor():
            form = maps.AttentionForm(*values)
            for seen in maps.views(site.services, request.session_hash, form):
                yield {heads: seen.value, site.fields["keep"]: gr.Radio(visible=seen.cut)}

    asked = Asked(read, _READ, [heads, site.fields["keep"]], options=site.model_work)
    site.fields.keep(heads, asked)
    site.fields.listen(heads.expired, asked)  # the server no longer has the text


def _maps(site: Site[AttentionExample]) -> Any:
    services = site.services
    asked = served(services, maps.head_map, maps.steps, maps.arithmetic, maps.arrays, head_weights)
    return attention_view(
        site.example.view, needs=_READ, asks="always", server_functions=asked, elem_id="attention"
    )


def _switches(site: Site[AttentionExample]) -> None:
    """The board of parts, which are on or off, and the next token with and without them."""
    services = site.services
    gr.Markdown("### Switch parts off: what would it say without them?", elem_classes="section")
    board = component(
        site.example.ablation,
        ABLATION,
        "lenses/attention/heads/ablation.js",
        needs=_SWITCHED,
        asks="always",
        elem_id="ablation",
    )
    with gr.Row(elem_classes="switches"):
        replacement = control(HeadsFields, "", "replacement", scale=3)
        site.add("replacement", replacement, VIEW.name)
        every = gr.Button(
            "Try every part alone", variant="primary", elem_id="try-all", min_width=120
        )
        stop = gr.Button("Stop", variant="stop", elem_id="stop-trying", min_width=80)
    # The board's script writes the parts into this field (`ui/lenses/attention/heads/ablation.js`).
    site.add("off", gr.Textbox("", label="Parts off", visible="hidden", elem_id="off"), VIEW.name)

    def switch_off(request: gr.Request, *values: object) -> str:
        with shown_to_visitor():
            *read, replacement, off = values
            form = maps.AttentionForm(*read)
            return ablation.switch_off(services, request.session_hash, form, off, replacement)

    def try_all(request: gr.Request, *values: object) -> Iterator[str]:
        with shown_to_visitor():
            *read, replacement, _ = values
            form = maps.AttentionForm(*read)
            yield from ablation.try_all(services, request.session_hash, form, replacement)

    site.fields.keep(board, Asked(switch_off, _SWITCHED, [board], options=site.model_work))
    site.fields.listen(every.click, Asked(try_all, _SWITCHED, [board], options=site.model_work))
    stop.click(stop_event(services), queue=False, **QUIET)


def _recorded(site: Site[AttentionExample]) -> None:
    """The recorded heads of the real GPT-2: they need neither weights nor a network, and are filled
    when unfolded.
    """
    services = site.services
    title = "The real GPT-2, recorded: where its 144 heads look"
    with gr.Accordion(title, open=False, elem_id="recorded"):
        gr.Markdown(recorded.HOW, elem_id="recorded-how")
        texts = recorded.texts()
        site.add(
            "recorded",
            gr.Radio(
                texts, value=texts[0], show_label=False, container=False, elem_id="recorded-text"
            ),
            VIEW.name,
        )
        needs = ("recorded",)
        picture = component(
            "",
            RECORDED,
            "lenses/attention/heads/recorded.js",
            needs=needs,
            asks="always",
            elem_id="recorded-picture",
        )
        heads = attention_view(
            needs=needs,
            server_functions=served(services, maps.head_map),
            recorded=True,
            elem_id="recorded-heads",
        )
        following = sheet_view("", name="gpt2-next-token", needs=needs, elem_id="recorded-next")

    def read(chosen: str) -> list[Any]:
        with shown_to_visitor():
            return recorded.views(services, chosen)

    asked = Asked(read, needs, [picture, heads, following], options={"queue": False, **QUIET})
    site.fields.keep(picture, asked)
    site.fields.listen(heads.expired, asked)
