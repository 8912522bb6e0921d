"""The page: header, model picker, tabs, links and the named endpoints."""

import html
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from gptcore.errors import GPTCoreError
from ui import links
from ui.endpoints import add_endpoints
from ui.errors import show_notice, shown_to_visitor
from ui.frame.card import model_card
from ui.frame.example import PageExample
from ui.frame.handlers.model import load
from ui.lenses.attention.tab import attention_tab
from ui.lenses.generate.handlers import writing as handlers
from ui.lenses.generate.handlers.first_text import recover
from ui.lenses.generate.tab import generate_tab
from ui.lenses.parameters.tab import parameters_tab
from ui.lenses.start.tab import start_tab
from ui.lenses.train.tab import train_tab
from ui.lenses.zero_shot.tab import zero_shot_tab
from ui.rooms.exercises.room import exercises
from ui.rooms.hall.room import hall
from ui.server import gradio_internals
from ui.server.gradio_internals.api_reference import tell_of
from ui.services import Services
from ui.shared import inputs, picker, uses
from ui.shared.files import calling
from ui.shared.lens import Event, Fill, Lens, TabContext, Taking, Wiring
from ui.shared.wiring import QUIET, while_computing
from ui.state.model_store import RECORDED_GPT2, base_name, facts, moments
from ui.views import TAB_NAMES, TABS, title, title_of

TITLE = "GPT Lens"
# What lays out each tab, by its name.
BUILDERS: dict[str, Callable[[TabContext[Any]], Lens]] = {
    "start": start_tab,
    "generate": generate_tab,
    "attention": attention_tab,
    "parameters": parameters_tab,
    "train": train_tab,
    "zero-shot": zero_shot_tab,
}
# The recorded GPT-2 is no model: the picker goes back to the one before, and then the place of the recording opens.
_RECORDED = {"tab": title("attention"), "view": title_of("attention", "look"), "see": "#recorded"}
_NOTE_RECORDED = calling(
    "shared/view/places.js",
    f"(m.goLater(args[0] === {json.dumps(RECORDED_GPT2)} ? {json.dumps(_RECORDED)} : null), args)",
)
_GO_NOTED = calling("shared/view/places.js", "(m.goNow(), [])")


def build_page(services: Services, example: PageExample) -> gr.Blocks:
    """The whole page, wired, showing `example` at first; `launch` takes the theme and script of `ui.shared.theme`."""
    services = replace(services, notify=show_notice)
    default = services.models.get(services.models.default)
    # The queue only limits concurrency; `Services.compute` schedules the computation.
    model_work: Wiring = {**QUIET, "concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False) as page:
        with gr.Row(elem_id="head", equal_height=True):
            gr.Markdown(f"# {TITLE}", elem_id="title")
            model = _picker(services)
            line = gr.HTML(_dotted(facts(default)), elem_id="facts")
            moment, moment_note, carded = model_card(services, model, model_work)
        lines: list[Component] = []
        lenses: list[Lens] = []
        shown = {"start": example.sentence, "generate": example, "attention": example.attention}
        shown |= {"zero-shot": example.zero_shot}
        sentences = uses.model_lines(services, default.name, zero_shot_model=example.zero_shot.model)
        with gr.Tabs(elem_id="tabs") as tabs:
            for one, sentence in zip(TABS, sentences, strict=True):
                with gr.Tab(one.title, id=one.name) as tab:
                    lines.append(gr.HTML(sentence, elem_id=f"uses-{one.name}", elem_classes="uses"))
                    context = TabContext(services, model, shown.get(one.name), model_work, tab, tabs)
                    lenses.append(BUILDERS[one.name](context))
        exercises(services)
        following = hall(services, model)
        # The last model opened, and two signals that a link or a reload has set a model, or only controls. Each has a
        # number that changes every time, so that its change event fires.
        opened, model_set, controls_set = gr.State((services.models.default, 0)), gr.State(0), gr.State(0)
        opening: Event = {
            "fn": partial(_on_model, services),
            "inputs": [model, opened],
            "outputs": [line, model, opened, moment, moment_note],
            "js": _NOTE_RECORDED,
            "concurrency_id": "load",
            "concurrency_limit": 2,
            **QUIET,
        }

        def open_after(listener: Callable[..., Dependency]) -> None:
            listener(trigger_mode="always_last", **opening).then(None, None, None, js=_GO_NOTED, **QUIET)

        asks = [lens.asks for lens in lenses if lens.asks is not None]
        say = partial(uses.model_lines, services)  # on every tab, which model it works with
        telling: Event = {"fn": say, "inputs": [model, *asks], "outputs": lines, **QUIET}
        told = [opened.change, controls_set.change, *(one.input for one in asks)]
        gr.on(told, trigger_mode="multiple", **telling)  # a lens has the last choice of its own listener
        _chain(opened.change, [carded])
        for lens in lenses:
            _chain(opened.change, lens.on_model)
            _chain(controls_set.change, lens.on_settings)
        open_after(partial(gr.on, [model.input, model_set.change]))
        at, picked = [model, moment], [model, moment_note]
        moved = moment.input(partial(_on_moment, services), at, picked, trigger_mode="always_last", **QUIET)
        open_after(moved.success)
        open_after(following.listener(**following.event).success)
        linked = {"model": model, "moment": moment} | {name: at for lens in lenses for name, at in lens.linked.items()}
        filled = [lens.fills for lens in lenses if lens.fills is not None]
        wanted = gr.Textbox(visible=False)  # name of the tab that the link opens
        arriving: Event = {
            "fn": _on_load(services, example, list(linked), filled),
            "inputs": [gr.Textbox(visible=False) for _ in ("visit", "text", "tab")],
            "outputs": [wanted, model_set, controls_set, *linked.values(), *chain(*(fill.outputs for fill in filled))],
            "js": calling("frame/view/visit.js", "m.visit()"),
            **QUIET,
        }
        arrived = page.load(**arriving)
        arrived.success(None, [wanted], None, js=calling("frame/view/visit.js", "m.arrive(...args)"), **QUIET)
        taking = next(lens.takes for lens in lenses if lens.takes)
        for lens in lenses:
            for call in lens.offers:
                call.listener(**{**call.event, "outputs": model})
            for call in lens.picks:
                open_after(call.listener(**call.event).success)
            if lens.sends is not None:
                shape = [lens.sends.controls[name] for name in taking.names]
                lens.sends.listener(partial(_on_shape, taking), shape, [tabs, *taking.outputs], **QUIET)
        page.unload(_on_leave(services))
        endpoints = add_endpoints(services)
    gradio_internals.apply("API reference", lambda: tell_of(page, endpoints))
    return page


def _picker(services: Services) -> gr.Dropdown:
    choices, default, custom = picker.choices(services, None), services.models.default, services.limits.any_model
    looks: dict[str, Any] = {"label": "Model", "show_label": False, "container": False, "min_width": 150}
    return gr.Dropdown(choices, value=default, allow_custom_value=custom, elem_id="model", **looks)


def _chain(listener: Callable[..., Dependency], events: Sequence[Event]) -> None:
    """Chains events until one fails; a trigger during an event reruns it once."""
    for event in events:
        listener = while_computing(listener, event, trigger_mode="always_last").success


# Words of the model's line that the page's glossary explains (`ui/frame/view/glossary.js`).
_WORDS = re.compile("pre-norm|post-norm|byte-level BPE")


def _dotted(line: str) -> str:
    """The model's line as HTML, its words of the field marked."""
    return _WORDS.sub(lambda match: f'<span class="term" data-word="{match[0]}">{match[0]}</span>', html.escape(line))


def _facts_of(services: Services, name: str) -> str:
    """The shape of an open model in words; "" for one that is gone, such as that of a run whose place another took."""
    try:
        return facts(services.models.get(name))
    except GPTCoreError:
        return ""


def _on_model(services: Services, name: str, opened: tuple[str, int]) -> Iterator[list[Any]]:
    """Opens the picked model with progress; on failure resets the picker."""
    before, number = opened
    if name == RECORDED_GPT2:  # has no weights; the page's script opens its view
        yield [_dotted(_facts_of(services, before)), before, gr.skip(), gr.skip(), gr.skip()]
        return
    try:
        with shown_to_visitor():
            for said, done in load(services, name):
                moved = done and base_name(name) != base_name(before)  # else the visitor may be dragging the slider
                moment = picker.moment_slider(name) if moved else gr.skip()
                now = (name, number + 1) if done else gr.skip()
                moment_note = picker.moment_said(name) if done else gr.skip()
                yield [_dotted(said), gr.skip(), now, moment, moment_note]
    except gr.Error as error:
        gr.Warning(error.message, title="The model cannot be opened", duration=None)
        back, moment_note = picker.moment_slider(before), picker.moment_said(before)
        yield [_dotted(_facts_of(services, before)), before, gr.skip(), back, moment_note]


def _on_moment(services: Services, name: object, place: object) -> Any:
    """Picks a training checkpoint of the model; the last slider position is the finished model."""
    with shown_to_visitor():
        name = inputs.model_name(name)
        base, steps = base_name(name), moments(name)
        at = inputs.whole(place, "The point in training", low=0, high=len(steps))
        chosen = base if at == len(steps) else f"{base}@{steps[at]}"
    return [gr.Dropdown(choices=picker.choices_with(services, chosen), value=chosen), picker.moment_said(chosen)]


def _on_load(
    services: Services, example: PageExample, linked: Sequence[str], filled: Sequence[Fill]
) -> Callable[..., list[Any]]:
    """Load handler: restores the text from before a reload, from the server or the browser's copy, or else adopts the
    example; the query string sets the controls. Without either the page stays as sent, and no event follows.
    """

    def on_load(request: gr.Request, visit: str, held: str, was_open: str) -> list[Any]:
        query = links.expanded(dict(request.query_params))
        settings = links.read(query, services.limits.max_new_tokens)
        if mistakes := html.escape(" ".join(links.mistakes(query)[:3]), quote=False):
            gr.Warning(mistakes, title="Part of this link cannot be used", duration=20)
        wanted = was_open if was_open in TAB_NAMES else settings.get("tab", "generate" if settings else "")
        sets = bool(settings.keys() - {"tab"})
        kept = recover(services, request.session_hash, visit, held, example.document)
        if kept is not None:
            settings |= {"prompt": kept.prompt, "seed": kept.seed, "model": kept.model}
            settings["stream"] = kept.stream
        else:
            handlers.store_document(services, request.session_hash, example.document, example.next_token)
        sets_model = settings.get("model", services.models.default) != services.models.default
        settings["linked"] = "text" in settings and sets_model
        if "model" in settings:
            settings["moment"] = picker.moment_slider(settings["model"])
            choices = picker.choices_with(services, settings["model"])
            settings["model"] = gr.Dropdown(choices=choices, value=settings["model"])
        now, skip = time.monotonic_ns(), gr.skip()
        told = [now, skip] if sets_model else [skip, now] if sets or kept is not None else [skip, skip]
        set_here = (settings.get(name, skip) for name in linked)
        return [wanted, *told, *set_here, *chain(*(fill.values(settings) for fill in filled))]

    return on_load


def _on_shape(taking: Taking, *sizes: object) -> list[Any]:
    """Takes a shape to the tab that trains."""
    with shown_to_visitor():
        return [gr.Tabs(selected="train"), *taking.values(*sizes)]


def _on_leave(services: Services) -> Callable[[gr.Request], None]:
    """Unload handler: drops the visitor's session and stops its actions."""

    def on_leave(request: gr.Request) -> None:
        services.sessions.forget(request.session_hash)

    return on_leave
