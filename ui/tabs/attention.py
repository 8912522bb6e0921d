"""The Attention tab: where every head looks, what it does, and what it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.components.attention_view import attention_view, standalone_page
from ui.components.insight_views import ablation_view, lens_view
from ui.errors import shown_to_visitor
from ui.figures import attention as figures
from ui.figures.slide import KINDS
from ui.handlers import ablation, attention, attention_files, attention_texts, lens
from ui.handlers.attention_example import AttentionExample
from ui.services import Services
from ui.tabs.attention_compare import compare_view
from ui.tabs.controls import QUIET, stop_event

_MODES = [
    ("as it is", attention.RAW),
    ("end-of-text token in front", attention.IN_FRONT),
    ("first token left out", attention.WITHOUT_FIRST),
]
_HINT = "Every change is read at once. Repeat a name, and see who looks back."
_MOST_CHARS = 3_000_000


@dataclass(frozen=True)
class AttentionTab:
    """What the page needs of this tab.

    Attributes:
        text, mode: what a link sets.
        fresh: when the model has changed, the example for it, as keyword arguments of an event.
        look: how to look anew, as keyword arguments of an event.
    """

    text: gr.Textbox
    mode: gr.Radio
    fresh: dict[str, Any]
    look: dict[str, Any]


def attention_tab(
    services: Services, model: gr.Dropdown, example: AttentionExample, model_work: dict[str, Any]
) -> AttentionTab:
    """Lays out the tab and wires it; arguments as in `generate_tab`."""
    with gr.Row(equal_height=False, elem_id="attention-head"):
        with gr.Column(scale=3, min_width=330):
            text = gr.Textbox(
                example.text, show_label=False, lines=2, max_lines=5, elem_id="attention-text", container=False,
                placeholder="A text for the model to read, at least two words",
            )  # fmt: skip
            with gr.Row(elem_classes="attention-more"):
                use = gr.Button(
                    "Use the text from Generate", size="sm", min_width=190, scale=0, elem_id="use-generated"
                )
                woken = gr.Markdown(_HINT, elem_id="woken")
        with gr.Column(scale=2, min_width=330):
            mode = gr.Radio(_MODES, value=attention.RAW, label="Resting on the first token (the sink)", elem_id="sink")
            keep = gr.Radio(
                list(attention.ENDS), value="end", label="The text is too long: keep its", elem_id="keep-end",
                visible=False,
            )  # fmt: skip
    shown, off = gr.State("look"), gr.State(example.off)
    with gr.Tabs(elem_id="attention-views") as views:
        with gr.Tab("Heads", id="look") as look_tab:
            view = attention_view(example.view, server_functions=_server_functions(services), elem_id="attention")
        with gr.Tab("Switch off", id="off") as off_tab:
            with gr.Row(elem_classes="switches"):
                replacement = gr.Radio(
                    [("nothing (zero)", "zero"), ("its mean over the text", "mean")], value="zero", label="In its place",
                    elem_id="replacement", scale=3,
                )  # fmt: skip
                every = gr.Button("Try every part alone", variant="primary", elem_id="try-all", min_width=120)
                stop = gr.Button("Stop", variant="stop", elem_id="stop-trying", min_width=80)
            switches = ablation_view(example.ablation, server_functions=[_change_picture()], elem_id="ablation")
        with gr.Tab("Logit lens", id="lens") as lens_tab:
            gr.Markdown(
                "What would the model say next if it stopped after each layer? Its final norm and output head read every "
                "layer’s state (nostalgebraist 2020, “the logit lens”).",
                elem_classes="hint",
            )
            layers = lens_view(example.lens, server_functions=[_lens_picture()], elem_id="lens")
        with gr.Tab("Compare", id="compare"):
            compare_view(services, model, example, model_work)

    on_look, on_off, on_try, on_wake, on_fresh, on_generated = _events(services)
    inputs, outputs = [model, text, mode, keep, off, replacement], [view, switches, layers, keep]
    look = {"fn": on_look, "inputs": [shown, *inputs], "outputs": outputs, **model_work}
    gr.on([text.change, mode.change, keep.change, replacement.change], trigger_mode="always_last", **look)
    view.expired(**look)
    for name, tab in (("look", look_tab), ("off", off_tab), ("lens", lens_tab)):
        tab.select(lambda name=name: name, None, shown, queue=False, **QUIET).then(**look)
    switched = {"fn": on_off, "inputs": [model, text, keep, replacement], **model_work}
    switches.switch(trigger_mode="always_last", outputs=[switches, off, views], **switched)
    view.off(outputs=[switches, off, views], **switched)
    every.click(on_try, [model, text, keep, off, replacement], switches, **model_work)
    stop.click(stop_event(services), queue=False, **QUIET)
    view.wake(on_wake, model, [text, woken], **model_work)
    text.input(None, None, woken, js=f"() => {_HINT!r}", **QUIET)
    use.click(on_generated, None, text, **QUIET)
    return AttentionTab(text, mode, {"fn": on_fresh, "inputs": [model, text], "outputs": text, **QUIET}, look)


def _events(services: Services) -> tuple[Callable[..., Any], ...]:
    """The tab's events as Gradio wants them: the request first, then the values of the inputs."""

    def on_look(request: gr.Request, shown: str, *raw: Any) -> Iterator[list[Any]]:
        name, text, mode, keep, off, replacement = raw
        visitor = request.session_hash
        with shown_to_visitor():
            if shown == "off":
                value = ablation.switch_off(services, visitor, name, text, keep, off, replacement)
                yield [gr.skip(), value, gr.skip(), gr.skip()]
            elif shown == "lens":
                yield [gr.skip(), gr.skip(), lens.lens(services, visitor, name, text, keep), gr.skip()]
            for seen in attention.look(services, visitor, name, text, mode, keep):
                yield [seen.value, gr.skip(), gr.skip(), gr.Radio(visible=seen.cut)]

    def on_off(request: gr.Request, event: gr.EventData, *raw: Any) -> list[Any]:
        asked = event._data if isinstance(event._data, dict) else {}
        off = asked["off"] if "off" in asked else [[asked.get("layer"), "head", asked.get("head")]]
        name, text, keep, replacement = raw
        with shown_to_visitor():
            value = ablation.switch_off(services, request.session_hash, name, text, keep, off, replacement)
        return [value, off, gr.skip() if "off" in asked else gr.Tabs(selected="off")]

    def on_try(request: gr.Request, *raw: Any) -> Iterator[str]:
        with shown_to_visitor():
            yield from ablation.try_all(services, request.session_hash, *raw)

    def on_wake(event: gr.EventData, name: str) -> list[Any]:
        asked = event._data if isinstance(event._data, dict) else {}
        with shown_to_visitor():
            return list(attention_texts.wake(services, name, asked.get("layer"), asked.get("head")))

    def on_fresh(name: str, text: str) -> Any:
        with shown_to_visitor():
            if not attention_texts.is_example(text):
                return gr.skip()
            return attention_texts.example_text(services.models.get(name))

    def on_generated(request: gr.Request) -> str:
        with shown_to_visitor():
            return attention.generated_text(services, request.session_hash)

    return on_look, on_off, on_try, on_wake, on_fresh, on_generated


def _server_functions(services: Services) -> list[Callable[..., Any]]:
    """What the component asks for outside any queue, so that moving from head to head never waits."""

    def head_map(request: Any) -> Any:
        return attention.head_map(services, request)

    def steps(request: Any) -> Any:
        return attention.steps(services, request)

    def arithmetic(request: Any) -> Any:
        return attention.arithmetic(services, request)

    def picture(request: Any) -> str | None:
        where, kind, dark = request if isinstance(request, list) and len(request) == 3 else (None, None, None)
        found = attention.chosen(services, where)
        if found is None or kind not in KINDS:
            return None
        causal, labels = found.kept.reading.causal, found.kept.labels
        title = attention_files.caption(found)
        return figures.draw_map(found.weights, labels, title, kind, dark=dark is True, causal=causal)

    def standalone(request: Any) -> str | None:
        where, value = request if isinstance(request, list) and len(request) == 2 else (None, None)
        maps = attention_files.maps_for_a_page(services, where)
        if maps is None or not isinstance(value, str) or len(value) > _MOST_CHARS:
            return None
        return attention_files.html_url(standalone_page(value, maps))

    def arrays(request: Any) -> str | None:
        return attention_files.arrays(services, request)

    return [head_map, steps, arithmetic, picture, standalone, arrays]


def _change_picture() -> Callable[..., Any]:
    def picture(request: Any) -> str | None:
        return figures.change_picture(request)

    return picture


def _lens_picture() -> Callable[..., Any]:
    def picture(request: Any) -> str | None:
        return figures.lens_picture(request)

    return picture
