"""The Zero-shot tab: tasks from a prompt alone."""

from typing import Any

import gradio as gr

from gptcore.zero_shot.items import TASKS_WITH_ITEMS
from gptcore.zero_shot.tasks import TASKS
from ui.lenses.zero_shot.events import DRAWN, LINKED, PICKED, REFILLED, REWORDED, TYPED, ZeroShotEvents, counted
from ui.lenses.zero_shot.form import task_fields
from ui.lenses.zero_shot.handlers import recorded, scoreboard
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample
from ui.lenses.zero_shot.handlers.form import FIELDS
from ui.lenses.zero_shot.handlers.views import EXPECTED, OWN
from ui.shared.files import component
from ui.shared.lens import Event, Fill, Lens, TabContext, Wiring
from ui.shared.opening import WAITING, Opening
from ui.shared.view.save_menu import save_menu
from ui.shared.view.sheet_view import sheet_view
from ui.shared.view.token_stream import token_stream
from ui.shared.wiring import QUIET, copy_script, stop_event, view_tab

# Fields that change together each send the form, in undefined order, so the page numbers the forms.
_NUMBERED = "(...form) => [...form.slice(0, -1), (window.formsSent = (window.formsSent || 0) + 1)]"
_ONE_AT_A_TIME: Wiring = {"concurrency_limit": 1, "concurrency_id": "zero-shot prompt"}
_VIEW = """
<div class="zs-message u-aside" role="status"></div>
<div class="zs-box"></div>
<div class="ts-tools u-row u-type-xs" hidden><button type="button" data-do="copy">Copy prompt</button>
SAVE
<span class="ts-said u-muted" role="status"></span></div>
""".replace("SAVE", save_menu("json", "csv", "png", "svg"))


def zero_shot_tab(site: TabContext[ZeroShotExample]) -> Lens:
    """Lays out the tab and wires it."""
    services, model, example, model_work = site.services, site.model, site.example, site.model_work
    choices = services.models.choices()
    names = [choice.name for choice in choices if not choice.closed]
    cached = [choice.name for choice in choices if choice.cached]
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=310, elem_id="zero-shot-form"):
            with gr.Row():
                task, picked = _task_and_model(example, names)
            fields, (another, others, link), said_of_link, language = task_fields(example.values)
        with gr.Column(scale=4, min_width=330), gr.Tabs(elem_id="zero-shot-views"):
            with view_tab("zero-shot", "answer"):
                view, start, stop, stream, prompt = _answer(example)
                uses_start, uses, whose = _uses()
            with view_tab("zero-shot", "ways") as ways_tab:
                ways_start, ways_stop = _buttons("Ask in every way", "compare")
                ways = _view(WAITING, name="ways-of-asking", elem_id="zs-ways")
                sheet_view(scoreboard.gpt2_prompts(), name="gpt2-prompts", elem_id="zs-gpt2")
            with view_tab("zero-shot", "models") as models_tab:
                ticked = list(dict.fromkeys([services.models.default, example.model, *cached]))
                rungs = gr.CheckboxGroup(names, value=ticked, label="Models", elem_id="zs-rungs")
                climb, ladder_stop = _buttons("Ask them all", "ladder-start")
                ladder = sheet_view(WAITING, name="size-ladder", elem_id="zs-ladder")
                counted_by, count, count_stop, board = _scoreboard(names, example.model)

    drawn = gr.State([example.values[name] for name in DRAWN])
    newest, number = gr.State(0), gr.Number(0, visible=False)  # of the forms sent to be composed
    fills = gr.State(0)  # tells that an event filled in fields, also those in a closed accordion, which do not tell
    events = ZeroShotEvents(services)
    values = [{"task": task, "prompt": prompt, **fields}[name] for name in FIELDS]
    inputs = [model, picked, *values]
    sent, made = [*inputs, drawn, newest, number], [view, prompt, fields["expected"], stream, newest]
    manner: Wiring = {**_ONE_AT_A_TIME, **QUIET}
    composing: Event = {"fn": events.compose, "inputs": sent, "outputs": made, "js": _NUMBERED, **manner}
    refilled = [fields[name] for name in REFILLED]
    reworded = [fields[name] for name in REWORDED]
    filling = (
        (task.input, events.task, task, [*refilled, drawn]),
        (another.click, events.another, task, [*refilled, drawn]),
        (fields["template"].input, events.template, [task, fields["template"]], reworded),
        (others.click, events.examples, task, [fields["examples"]]),
    )
    for trigger, fn, given, outputs in filling:
        trigger(counted(fn), given, [*outputs, fills], trigger_mode="always_last", **QUIET)
    # Not the input event, which misses pasted text.
    changed = [fields[name].change for name in TYPED]
    gr.on([*changed, picked.input, fills.change], trigger_mode="always_last", **composing)
    picked.input(lambda: "", None, stream, queue=False, **QUIET)
    gr.on([prompt.input, prompt.blur], events.edit, inputs, view, trigger_mode="always_last", **QUIET)
    start.click(events.answer, inputs, stream, **{**model_work, "trigger_mode": "multiple"})
    # Each is asked by itself when its tab is opened for the first time, so that none opens empty.
    for asks, tab, fn, given, shown in (
        (ways_start, ways_tab, events.ways, inputs, ways),
        (climb, models_tab, events.ladder, [*inputs, rungs], ladder),
    ):
        view_of = Opening(services, str(shown.elem_id), fn)
        asks.click(view_of.pressed, given, shown, **model_work)
        tab.select(view_of.opened, given, shown, **model_work)
    # What the answer used is asked for: it costs as many answers as the prompt has words.
    uses_start.click(events.uses, [*inputs, whose], uses, **model_work)
    spoken = [fields["template"], *reworded, fields["expected"], fills]
    language.change(events.language, [task, fields["template"], language], spoken, **QUIET)
    task.change(lambda name: gr.Textbox("French", visible=name == "translate"), task, language, **QUIET)
    count.click(events.scoreboard, counted_by, board, **model_work)
    for button in (stop, ways_stop, ladder_stop, count_stop):
        button.click(stop_event(services), queue=False, **QUIET)
    linked = {"asked": picked, "task": task} | {name: fields[name] for name in LINKED}
    copy = copy_script(list(linked), tab="zero-shot", note="It leaves out edited examples and an edited prompt.")
    link.click(None, list(linked.values()), said_of_link, js=copy, **QUIET)
    follow: Event = {**composing, "fn": events.follow}
    return Lens(on_model=[follow], fills=Fill(events.fill, [picked, task, *refilled, drawn, fills]), asks=picked)


def _task_and_model(example: ZeroShotExample, names: list[str]) -> tuple[gr.Dropdown, gr.Dropdown]:
    titles, chosen = [(known.title, name) for name, known in TASKS.items()], example.values["task"]
    task = gr.Dropdown(titles, value=chosen, label="Task", elem_id="zs-task", min_width=140)
    model = gr.Dropdown([PICKED, *names], value=example.model, label="Model", elem_id="zs-model", min_width=140)
    return task, model


def _view(value: str, *, name: str, elem_id: str) -> gr.HTML:
    """A view of a prompt: JSON with "parts", "ways" or "uses", as `handlers` make it; `name` is that of its files."""
    return component(value, _VIEW, "lenses/zero_shot/view/zero_shot_view.js", given={"name": name}, elem_id=elem_id)


def _answer(example: ZeroShotExample) -> tuple[gr.HTML, gr.Button, gr.Button, gr.HTML, gr.Textbox]:
    """The prompt in its parts, the buttons, the answer, and the prompt to edit."""
    view = _view(example.view, name="prompt", elem_id="zs-view")
    start, stop = _buttons("Answer", "answer", "stop", 110)
    stream = token_stream(example.stream, label="Answer", compact=True, tail=True, elem_id="zs-stream")
    info = "The model reads exactly this. A change in the fields rebuilds it."
    title = "Prompt (editable)"
    prompt = gr.Textbox(example.prompt, label=title, info=info, lines=3, max_lines=10, elem_id="zs-prompt")
    return view, start, stop, stream, prompt


def _buttons(title: str, name: str, stop: str | None = None, width: int = 150) -> tuple[gr.Button, gr.Button]:
    """The button that asks, and Stop."""
    with gr.Row(elem_classes="zs-buttons"):
        start = gr.Button(title, variant="primary", elem_id=f"zs-{name}", min_width=width)
        return start, gr.Button("Stop", variant="stop", elem_id=stop and f"zs-{stop}", min_width=80)


def _scoreboard(names: list[str], player: str) -> tuple[list[Any], gr.Button, gr.Button, gr.HTML]:
    """What the scoreboard counts, Count, Stop, and where it is shown; `player` is the model that is ticked at first."""
    titles, first = [(TASKS[name].title, name) for name in TASKS_WITH_ITEMS], ["sentiment", "translate", "arithmetic"]
    tests = gr.CheckboxGroup(titles, value=first, label="Tasks", elem_id="zs-tests")
    with gr.Row():
        players = gr.CheckboxGroup(names, value=[player], label="Models", elem_id="zs-players", min_width=200)
        ways, title = list(scoreboard.WAYS), "Examples in the prompt"
        shots = gr.CheckboxGroup(ways, value=["0", "2"], label=title, elem_id="zs-shots", min_width=200)
    with gr.Row():
        sides, most = list(recorded.SIDES), scoreboard.MOST_ITEMS
        side = gr.Radio(sides, value=sides[0], label="Held out from training", elem_id="zs-side")
        look: dict[str, Any] = {"label": "Items in each row", "elem_id": "zs-items", "min_width": 140}
        n_items = gr.Slider(5, most, 40, step=5, buttons=[], **look)
    count, stop = _buttons("Count", "count", "count-stop", 110)
    board = sheet_view(recorded.recorded(), name="scoreboard", elem_id="zs-board")
    return [players, tests, shots, side, n_items], count, stop, board


def _uses() -> tuple[gr.Button, gr.HTML, gr.Radio]:
    """What the answer owes to the parts of the prompt."""
    gr.Markdown("### What did it use?")
    with gr.Row(elem_classes="zs-buttons"):
        look = gr.Button("Leave out one word after the other", elem_id="zs-uses-start", min_width=150)
        bare: dict[str, Any] = {"show_label": False, "container": False, "min_width": 200}
        whose = gr.Radio([OWN, EXPECTED], value=OWN, **bare, elem_id="zs-whose")
    return look, _view("", name="what-it-used", elem_id="zs-uses"), whose
