"""The page: header, model picker, tabs, links and the named endpoints."""

import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import gradio as gr
from gradio.events import Dependency

from gptcore.errors import GPTCoreError
from ui.arrival import Arrival
from ui.endpoints import ENDPOINTS, add_endpoints
from ui.errors import show_notice, shown_to_visitor
from ui.forms import FIELDS
from ui.frame.card import model_card
from ui.frame.example import PageExample
from ui.frame.handlers.model import load
from ui.lenses.attention.tab import attention_tab
from ui.lenses.generate.tab import generate_tab
from ui.lenses.parameters.tab import parameters_tab
from ui.lenses.start.tab import start_tab
from ui.lenses.train.tab import train_tab
from ui.lenses.zero_shot.tab import zero_shot_tab
from ui.rooms.exercises.room import exercises
from ui.rooms.hall.room import Hall, hall
from ui.server import gradio_internals
from ui.server.gradio_internals.api_reference import tell_of
from ui.services import Services
from ui.shared import inputs, picker, uses
from ui.shared.files import calling
from ui.shared.lens import Call, Event, Lens, Taking, Wiring
from ui.shared.site import Asked, PageFields, Site
from ui.shared.wiring import QUIET, at_end, filling
from ui.state.model_store import RECORDED_GPT2, base_name, facts, moments
from ui.views import TABS, title, title_of

TITLE = "GPT Lens"
# What lays out each tab, by its name.
BUILDERS: dict[str, Callable[[Site[Any]], Lens]] = {
    "start": start_tab,
    "generate": generate_tab,
    "attention": attention_tab,
    "parameters": parameters_tab,
    "train": train_tab,
    "zero-shot": zero_shot_tab,
}
# The recorded GPT-2 is no model: the picker goes back to the one before, and then the place of the
# recording opens.
_RECORDED = {"tab": title("attention"), "view": title_of("attention", "heads"), "see": "#recorded"}
_NOTE_RECORDED = calling(
    "shared/view/places.js",
    f"(m.goLater(args[0] === {json.dumps(RECORDED_GPT2)} ? {json.dumps(_RECORDED)} : null), args)",
)
_GO_NOTED = calling("shared/view/places.js", "(m.goNow(), [])")


def build_page(services: Services, example: PageExample) -> gr.Blocks:
    """The whole page, wired, showing `example` at first; `launch` takes the theme and script of
    `ui.shared.theme`.
    """
    services = replace(services, notify=show_notice)
    # The queue only limits concurrency; `Services.compute` schedules the computation.
    model_work: Wiring = {
        **QUIET,
        "concurrency_id": "model",
        "concurrency_limit": services.limits.concurrent_visits,
    }
    with gr.Blocks(title=TITLE, fill_width=True, analytics_enabled=False) as page:
        fields = PageFields(FIELDS)
        head = _head(services, fields, model_work)
        tabs = _tabs(services, fields, example, model_work, head)
        exercises(services)
        in_room = hall(services, fields["model"])
        _Wiring(services, fields, example, head, tabs, model_work).wire(page, in_room)
        fields.follow(page)
        add_endpoints(services)
    page.register = _register(fields, tabs.lenses)  # type: ignore[attr-defined]
    gradio_internals.apply("API reference", lambda: tell_of(page, ENDPOINTS))
    return page


@dataclass(frozen=True)
class _Head:
    """The components above the tabs, and the states that say which model is open."""

    line: gr.HTML  # the model's shape in words
    moment: gr.Slider  # how long the model was trained
    moment_note: gr.HTML
    carded: Event  # tells the card of another model
    opened: gr.State  # the last model that was opened, and a number that changes every time
    opened_name: gr.Textbox  # its name, for the page's scripts


def _head(services: Services, fields: PageFields, model_work: Wiring) -> _Head:
    default = services.models.get(services.models.default)
    with gr.Row(elem_id="head", equal_height=True):
        gr.Markdown(f"# {TITLE}", elem_id="title")
        fields.add("model", _picker(services))
        line = gr.HTML(_dotted(facts(default)), elem_id="facts")
        moment, moment_note, carded = model_card(services, fields, model_work)
    opened = gr.State((services.models.default, 0))
    # Hidden, and not invisible: its change must reach the page's scripts.
    name = gr.Textbox(
        services.models.default, label="Open model", visible="hidden", elem_id="opened"
    )
    fields.add("opened", name)
    return _Head(line, moment, moment_note, carded, opened, name)


@dataclass(frozen=True)
class _Tabs:
    """The tabs, what each gives the page, and the line in each that names its model."""

    row: gr.Tabs
    lenses: Sequence[Lens]
    lines: Sequence[gr.HTML]


def _tabs(
    services: Services, fields: PageFields, example: PageExample, model_work: Wiring, head: _Head
) -> _Tabs:
    shown = {
        "start": example.sentence,
        "generate": example,
        "attention": example.attention,
        "zero-shot": example.zero_shot,
    }
    default = services.models.default
    sentences = uses.model_lines(services, default, zero_shot_model=example.zero_shot.model)
    lenses = list[Lens]()
    lines = list[gr.HTML]()
    with gr.Tabs(elem_id="tabs") as row:
        for tab, sentence in zip(TABS, sentences, strict=True):
            with gr.Tab(tab.title, id=tab.name) as item:
                lines.append(gr.HTML(sentence, elem_id=f"uses-{tab.name}", elem_classes="uses"))
                of_tab = shown.get(tab.name)
                site = Site(services, fields, of_tab, model_work, head.opened, item, row)
                lenses.append(BUILDERS[tab.name](site))
    return _Tabs(row, lenses, lines)


class _Wiring:
    """The events of the page itself: models are opened, links are read, tabs hand things to each
    other.
    """

    def __init__(
        self,
        services: Services,
        fields: PageFields,
        example: PageExample,
        head: _Head,
        tabs: _Tabs,
        work: Wiring,
    ) -> None:
        self._services = services
        self._fields = fields
        self._example = example
        self._head = head
        self._tabs = tabs
        self._work = work
        self._model = fields["model"]
        # Signals that a link has set a model, or only fields (`Arrival`).
        self._model_set = gr.State(0)
        self._fields_set = gr.State(0)

    def wire(self, page: gr.Blocks, in_room: Hall) -> None:
        """Wires all of them."""
        self._models(in_room.opens)
        arrival = Arrival(
            self._services, self._fields, self._example, self._tabs.lenses, self._head.moment,
            model_set=self._model_set, fields_set=self._fields_set,
        )  # fmt: skip
        arrival.wire(page, in_room.fills)
        self._exchange()
        page.unload(_on_leave(self._services))

    def _models(self, following: Call) -> None:
        head = self._head
        opened = self._head.opened
        asks = [lens.asks for lens in self._tabs.lenses if lens.asks is not None]
        telling: Event = {
            "fn": partial(uses.model_lines, self._services),
            "inputs": [self._model, *asks],
            "outputs": list(self._tabs.lines),
            **QUIET,
        }
        told = [opened.change, self._fields_set.change, *(ask.input for ask in asks)]
        # a lens has the last choice of its own listener
        gr.on(told, trigger_mode="multiple", **telling)
        lenses = self._tabs.lenses
        self._chain(opened.change, [head.carded])
        # The page takes the model up before any component asks about it: what stands in fields for
        # a model comes first.
        named: Event = {
            "fn": _name_of,
            "inputs": opened,
            "outputs": [head.opened_name],
            "queue": False,
            **QUIET,
        }
        filling = [
            event for lens in lenses for event in lens.on_model if not isinstance(event, Asked)
        ]
        self._chain(opened.change, [*filling, named])
        for lens in lenses:
            self._chain(
                opened.change, [event for event in lens.on_model if isinstance(event, Asked)]
            )
            self._chain(self._fields_set.change, lens.on_settings)
        self._open_after(partial(gr.on, [self._model.input, self._model_set.change]))
        at = [self._model, head.moment]
        picked = [self._model, head.moment_note]
        pick = partial(_on_moment, self._services)
        moved = head.moment.input(pick, at, picked, trigger_mode="always_last", **QUIET)
        self._fields.note(moved, picked)
        self._open_after(moved.success)
        self._open_after(following.listener(**following.event).success)

    def _open_after(self, listener: Callable[..., Dependency]) -> None:
        """Opens the picked model after an event."""
        head = self._head
        named = {
            "line": head.line,
            "model": self._model,
            "opened": head.opened,
            "moment": head.moment,
            "moment_note": head.moment_note,
        }
        outputs = list(named.values())
        opening = listener(
            fn=filling(partial(_on_model, self._services), named),
            inputs=[self._model, head.opened],
            outputs=outputs,
            js=_NOTE_RECORDED,
            concurrency_id="load",
            concurrency_limit=2,
            trigger_mode="always_last",
            **QUIET,
        )
        self._fields.note(opening, outputs)
        at_end(opening, [], _GO_NOTED)

    def _chain(self, listener: Callable[..., Dependency], events: Sequence[Event | Asked]) -> None:
        """Adds events one after the other; a trigger during an event reruns it once."""
        for event in events:
            if isinstance(event, Asked):
                dependency = self._fields.listen(listener, event, trigger_mode="always_last")
            else:
                dependency = listener(**event, trigger_mode="always_last")
                outputs = event.get("outputs")
                self._fields.note(
                    dependency, list(outputs) if isinstance(outputs, (list, set)) else []
                )
            listener = dependency.then

    def _exchange(self) -> None:
        """A tab offers models to the picker, opens one, or sends a shape to the tab that trains."""
        taking = next(lens.takes for lens in self._tabs.lenses if lens.takes)
        for lens in self._tabs.lenses:
            for call in lens.offers:
                call.listener(**{**call.event, "outputs": self._model})
            for call in lens.picks:
                picked = call.listener(**call.event)
                self._fields.note(picked, [self._model])
                self._open_after(picked.success)
            if lens.sends is not None:
                shape = [lens.sends.controls[name] for name in taking.names]
                outputs = [self._tabs.row, *taking.outputs]
                sent = lens.sends.listener(partial(_on_shape, taking), shape, outputs, **QUIET)
                self._fields.note(sent, outputs)


def _register(fields: PageFields, lenses: Sequence[Lens]) -> dict[str, Any]:
    bases = {name: base for lens in lenses for name, base in lens.bases.items()}
    return {"tabs": [asdict(tab) for tab in TABS], "fields": fields.register(), "bases": bases}


def _picker(services: Services) -> gr.Dropdown:
    choices = picker.choices(services, None)
    default = services.models.default
    custom = services.limits.any_model
    looks: dict[str, Any] = {
        "label": "Model",
        "show_label": False,
        "container": False,
        "min_width": 150,
    }
    return gr.Dropdown(choices, value=default, allow_custom_value=custom, elem_id="model", **looks)


# Words of the model's line that the page's glossary explains (`ui/frame/view/glossary.js`).
_WORDS = re.compile("pre-norm|post-norm|byte-level BPE")


def _dotted(line: str) -> str:
    """The model's line as HTML, its words of the field marked."""
    return _WORDS.sub(
        lambda match: f'<span class="term" data-word="{match[0]}">{match[0]}</span>',
        html.escape(line),
    )


def _facts_of(services: Services, name: str) -> str:
    """The shape of an open model in words; "" for one that is gone, such as that of a run whose
    place another took.
    """
    try:
        return facts(services.models.get(name))
    except GPTCoreError:
        return ""


def _on_model(services: Services, name: str, opened: tuple[str, int]) -> Iterator[dict[str, Any]]:
    """Opens the picked model with progress; on failure resets the picker."""
    before, number = opened
    if name == RECORDED_GPT2:  # has no weights; the page's script opens its view
        yield {"line": _dotted(_facts_of(services, before)), "model": before}
        return
    try:
        with shown_to_visitor():
            for said, done in load(services, name):
                shown: dict[str, Any] = {"line": _dotted(said)}
                if done:
                    shown["opened"] = (name, number + 1)
                    shown["moment_note"] = picker.moment_said(name)
                # else the visitor may be dragging the slider
                if done and base_name(name) != base_name(before):
                    shown["moment"] = picker.moment_slider(name)
                yield shown
    except gr.Error as error:
        gr.Warning(error.message, title="The model cannot be opened", duration=None)
        yield {
            "line": _dotted(_facts_of(services, before)),
            "model": before,
            "moment": picker.moment_slider(before),
            "moment_note": picker.moment_said(before),
        }


def _name_of(opened: tuple[str, int]) -> str:
    """The name of the model that was opened last."""
    return opened[0]


def _on_moment(services: Services, name: object, place: object) -> Any:
    """Picks a training checkpoint of the model; the last slider position is the finished model."""
    with shown_to_visitor():
        name = inputs.model_name(name)
        base = base_name(name)
        steps = moments(name)
        at = inputs.whole(place, "The point in training", low=0, high=len(steps))
        chosen = base if at == len(steps) else f"{base}@{steps[at]}"
    return [
        gr.Dropdown(choices=picker.choices_with(services, chosen), value=chosen),
        picker.moment_said(chosen),
    ]


def _on_shape(taking: Taking, *sizes: object) -> list[Any]:
    """Takes a shape to the tab that trains."""
    with shown_to_visitor():
        return [gr.Tabs(selected="train"), *taking.values(*sizes)]


def _on_leave(services: Services) -> Callable[[gr.Request], None]:
    """Unload handler: drops the visitor's session and stops its actions."""

    def on_leave(request: gr.Request) -> None:
        services.sessions.forget(request.session_hash)

    return on_leave
