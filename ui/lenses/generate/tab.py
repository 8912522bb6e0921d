"""The Generate tab: write and see what surprises a model, compare strategies, chat, steer, and cut text into tokens."""

import gradio as gr

from ui.lenses.generate.events import GenerateEvents
from ui.lenses.generate.handlers import probabilities, tokens
from ui.lenses.generate.handlers import writing as handlers
from ui.lenses.generate.handlers.strategies import STRATEGIES
from ui.lenses.generate.steer import steer_view
from ui.lenses.generate.view.views import distribution_view, strategies_view, tokens_view
from ui.lenses.generate.views import chat, compare_view, surprise_view
from ui.shared.controls import LINKED, Controls, main_sliders, more_controls, seed_row, sentence_strip
from ui.shared.lens import Event, Lens, TabContext
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, copy_script, served, share_sentence, stop_event, view_tab


def generate_tab(site: TabContext[handlers.WritingExample]) -> Lens:
    """Lays out the tab and wires it."""
    services, model, example, model_work = site.services, site.model, site.example, site.model_work
    with gr.Column(elem_id="generate-strip"):
        prompt = sentence_strip(
            example.document.prompt,
            label="Prompt",
            placeholder="The beginning of a text; the model continues it, it does not answer it",
            elem_id="prompt",
        )
        warning, strip = _warning()
    with gr.Tabs(elem_id="generate-views"):
        with view_tab("generate", "write"), gr.Row(equal_height=False):
            with gr.Column(scale=1, min_width=330):
                start, step, stop, undo = _buttons()
                stream = token_stream(example.document.stream, label="Generated text", elem_id="stream", branching=True)
                measure = surprise_view(services, model, prompt, model_work)
                with gr.Accordion(
                    "More: seed, min-p, penalties, stop strings, speed limit, KV cache", open=False, elem_id="more"
                ):
                    seed = seed_row(example.document.seed)
                    more = more_controls(example.form)
                    copy = "Copy a link to these settings"
                    copy_link = gr.Button(copy, elem_id="copy-link", elem_classes="no-present")
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
        with view_tab("generate", "compare") as compare_tab:
            compare_view(services, compare_tab, model, prompt, controls, model_work)
            asked = served(services, probabilities.probabilities)
            strategies = strategies_view(server_functions=asked, elem_id="strategies")
        with view_tab("generate", "chat"):
            chat(services, model, example.chat, model_work)
        with view_tab("generate", "steer") as steer_tab:
            steered = steer_view(services, steer_tab, model, prompt, model_work)
        with view_tab("generate", "tokens") as tokens_tab:
            asked = served(services, tokens.cut, tokens.steps, tokens.learned)
            cuts = tokens_view(server_functions=asked, elem_id="tokens")

    events = GenerateEvents(services)
    inputs, outputs = [model, prompt, *controls.inputs], [prompt, stream, controls.seed, chart]
    writing = {**model_work, "trigger_mode": "multiple"}
    gr.on([start.click, prompt.submit], events.writing(handlers.write), inputs, outputs, **writing)
    step.click(events.writing(handlers.write_one), inputs, outputs, **writing)
    stream.continue_text(events.writing(handlers.continue_text), inputs, outputs, **writing)
    stream.pick(events.branch, inputs, outputs, **writing)
    chart.pick(events.branch, inputs, outputs, **writing)
    stop.click(stop_event(services), queue=False, **QUIET)
    share_sentence(undo.click(events.undo, inputs, outputs, **model_work), prompt)
    preview = {"fn": events.preview, "inputs": inputs, "outputs": [warning, chart], **model_work}
    prompt.change(trigger_mode="always_last", **preview).then(trigger_mode="always_last", **measure)
    stripped = strip.click(lambda text: str(text or "").rstrip(" "), prompt, prompt, queue=False, **QUIET)
    share_sentence(stripped, prompt)  # or the sentence would come back with its space
    # One event draws the chart, whatever moves the sliders: of two that are under way, the later one may end first.
    set_at_once = gr.State(0)
    moved = [*(slider.input for slider in controls.sampling), set_at_once.change]
    redraw: Event = {"fn": events.redraw, "inputs": controls.inputs, "outputs": chart, "concurrency_limit": 4, **QUIET}
    gr.on(moved, trigger_mode="always_last", **redraw)
    for button in presets.values():
        button.click(events.preset, button, [*controls.sampling, set_at_once], **QUIET)
    told = "(model, text) => [JSON.stringify({model, text}), model]"
    gr.on(
        [compare_tab.select, tokens_tab.select, model.change],
        None, [model, prompt], [strategies, cuts], js=told, **QUIET,
    )  # fmt: skip
    strategies.pick(events.use, None, [*controls.sampling, set_at_once], **QUIET)
    draw = "() => [Math.floor(Math.random() * 2147483647), true]"
    controls.new_seed.click(None, None, [controls.seed, controls.keep_seed], js=draw, **QUIET)
    linked = {"model": model, "prompt": prompt, "seed": controls.seed}
    linked |= {name: controls.by_name[name] for name in LINKED}
    copy_link.click(None, list(linked.values()), copied, js=copy_script(list(linked), tab="generate"), **QUIET)
    opened: Event = {"fn": events.opened, "inputs": inputs, "outputs": outputs, **model_work}
    return Lens({**linked, **steered, "stream": stream}, [opened, measure], [opened, redraw])


def _warning() -> tuple[gr.Row, gr.Button]:
    """The warning of a space at the prompt's end, with its button."""
    with gr.Row(visible=False, elem_id="space-warning") as warning:
        gr.Markdown("The prompt ends in a space. Most tokens start with their space, so this derails the model.")
        strip = gr.Button("Remove it", size="sm", scale=0, min_width=110, elem_id="strip")
    return warning, strip


def _buttons() -> list[gr.Button]:
    """The buttons that write."""
    with gr.Row(elem_classes="steps"):
        start = gr.Button("Generate", variant="primary", elem_id="generate", min_width=0)
        step = gr.Button("Next token", elem_id="next-token", min_width=0)
        stop = gr.Button("Stop", variant="stop", elem_id="stop", min_width=0)
        undo = gr.Button("Undo", elem_id="undo", min_width=0)
    return [start, step, stop, undo]
