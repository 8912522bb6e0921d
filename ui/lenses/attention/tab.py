"""The Attention tab: where every head looks, what it does, and what it matters."""

from typing import Any

import gradio as gr

from ui.errors import shown_to_visitor
from ui.lenses.attention.compare import compare_view
from ui.lenses.attention.events import AttentionEvents, Switches, server_functions
from ui.lenses.attention.handlers import circuit, maps, neurons, recorded, why
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.attention.view.attention_view import attention_view
from ui.lenses.attention.view.insight_views import insight_view
from ui.services import Services
from ui.shared.controls import sentence_strip
from ui.shared.files import calling
from ui.shared.lens import Event, Lens, TabContext
from ui.shared.view.sheet_view import sheet_view
from ui.shared.wiring import QUIET, served, stop_event, view_tab

_MODES = list(zip(("as it is", "end-of-text token in front", "first token left out"), maps.MODES, strict=True))


def attention_tab(site: TabContext[AttentionExample]) -> Lens:
    """Lays out the tab and wires it."""
    services, model, example, model_work = site.services, site.model, site.example, site.model_work
    text, keep = _form(example.text)
    off = gr.State(Switches(example.off, example=True))
    # The page's script passes the open view as the first input: a server-side state would be set in undefined order
    # when two views open at once.
    shown = gr.Textbox(visible=False)
    with gr.Tabs(elem_id="attention-views"):
        with view_tab("attention", "look") as look_tab:
            view = attention_view(example.view, server_functions=server_functions(services), elem_id="attention")
            mode = gr.Radio(_MODES, value=maps.RAW, label="First token (attention sink)", elem_id="sink")
            gr.Markdown("### Switch parts off: what would it say without them?", elem_classes="section")
            switches = insight_view("ablation_view", example.ablation, events=("switch",), elem_id="ablation")
            with gr.Row(elem_classes="switches"):
                others = [("nothing (zero)", "zero"), ("its mean over the text", "mean")]
                replacement = gr.Radio(others, value="zero", label="In its place", elem_id="replacement", scale=3)
                every = gr.Button("Try every part alone", variant="primary", elem_id="try-all", min_width=120)
                stop = gr.Button("Stop", variant="stop", elem_id="stop-trying", min_width=80)
            title = "The real GPT-2, recorded: where its 144 heads look"
            with gr.Accordion(title, open=False, elem_id="recorded") as fold:
                _recorded(services, fold)
        with view_tab("attention", "lens") as lens_tab:
            gr.Markdown(
                "What would the model say next if it stopped after each layer? Its final norm and output head read "
                "every layer’s state (nostalgebraist 2020, “the logit lens”).",
                elem_classes="hint",
            )
            layers = insight_view("lens_view", example.lens, elem_id="lens")
            with gr.Accordion("A single neuron: what excites it, what it writes", open=False, elem_id="one-neuron"):
                asked = served(services, neurons.neurons, neurons.inner_sizes)
                neurons_shown = insight_view("neurons_view", server_functions=asked, elem_id="neurons")
        with view_tab("attention", "why") as why_tab:
            asked = served(services, why.why, circuit.circuit, circuit.circuit_without, circuit.formed)
            causes = insight_view("why_view", server_functions=asked, elem_id="why")
        with view_tab("attention", "compare") as compare_tab:
            on_model, pair = compare_view(services, compare_tab, model, model_work)

    events = AttentionEvents(services)
    inputs, outputs = [model, text, mode, keep, off, replacement], [view, switches, layers, keep, off]
    js = calling("shared/view/places.js", "[m.askedView('attention-views'), ...args.slice(1)]")
    show: Event = {"fn": events.show, "inputs": [shown, *inputs], "outputs": outputs, "js": js, **model_work}
    gr.on([text.change, mode.change, keep.change, replacement.change], trigger_mode="always_last", **show)
    view.expired(**show)
    for tab in (look_tab, lens_tab):
        tab.select(**show)
    switched = {"fn": events.off, "inputs": [model, text, mode, keep, replacement], **model_work}
    switches.switch(trigger_mode="always_last", outputs=[switches, off], **switched)
    js = calling("shared/view/places.js", "(m.goTo(new URLSearchParams({see: '#ablation'})), [])")
    view.off(outputs=[switches, off], **switched).then(None, None, None, js=js, **QUIET)
    every.click(events.try_all, [model, text, mode, keep, replacement], switches, **model_work)
    stop.click(stop_event(services), queue=False, **QUIET)
    js = "(model, text) => JSON.stringify({model, text})"
    for tab, shown_there in ((lens_tab, neurons_shown), (why_tab, causes)):
        told = {"inputs": [model, text], "outputs": shown_there, "js": js, **QUIET}
        gr.on([tab.select, text.change, model.change], None, **told)
    linked = gr.State(False)  # whether a link has set the text, which then is no example
    held = [linked, text]
    default_text: Event = {"fn": events.default_text, "inputs": [model, *held], "outputs": held, **QUIET}
    js = calling("shared/view/sentence.js", "(m.refill(), [])")
    refilled: Event = {"fn": None, "inputs": None, "js": js, **QUIET}
    set_by_link = {"text": text, "sink": mode, "keep": keep, "linked": linked, **pair}
    return Lens(set_by_link, [default_text, refilled, show, on_model])


def _form(example: str) -> tuple[gr.Textbox, gr.Radio]:
    """The text, and which end of one that is too long."""
    with gr.Column(elem_id="attention-head"):
        hint = "A text for the model to read, at least two words"
        text = sentence_strip(example, label="Text", placeholder=hint, elem_id="attention-text")
        with gr.Row(elem_classes="attention-more"):
            label = "The text is too long: keep its"
            keep = gr.Radio(list(maps.ENDS), value="end", label=label, elem_id="keep-end", visible=False)
    return text, keep


def _recorded(services: Services, fold: gr.Accordion) -> None:
    """The recorded heads of the real GPT-2: they need neither weights nor a network, and are filled when unfolded."""
    gr.Markdown(recorded.HOW, elem_id="recorded-how")
    texts = recorded.texts()
    text = gr.Radio(texts, value=texts[0], show_label=False, container=False, elem_id="recorded-text")
    picture = insight_view("recorded_picture", elem_id="recorded-picture")
    view = attention_view(server_functions=served(services, maps.head_map), recorded=True, elem_id="recorded-heads")
    following = sheet_view("", name="gpt2-next-token", elem_id="recorded-next")

    def on_text(chosen: str) -> list[Any]:
        with shown_to_visitor():
            return recorded.views(services, chosen)

    for listener in (fold.expand, text.input, view.expired):
        listener(on_text, text, [picture, view, following], queue=False, **QUIET)
