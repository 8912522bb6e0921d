"""Nothing on the page is stale without a mark: derived from the page, whatever views, fields and
events it has.
"""

import importlib
import json
import re
from pathlib import Path

import gradio as gr
import pytest
from gradio.block_function import BlockFunction

from ui.forms import FIELDS
from ui.frame.example import page_example
from ui.page import build_page
from ui.shared.files import component
from ui.shared.lens import Event
from ui.shared.site import Asked, PageFields, WiringError
from ui.views import TABS

# Events that fill a component before any question is asked: what a link, or a reload, sets.
ARRIVING = "_on_load"


@pytest.fixture(scope="module")
def page(bundled):
    return build_page(bundled, page_example(bundled))


def answering(page):
    """The components whose content depends on something, by their ids."""
    return {block.elem_id: block for block in page.blocks.values() if getattr(block, "needs", ())}


def test_every_need_of_every_component_is_a_field_that_the_page_follows(page):
    names = {field["name"] for field in page.register["fields"]} | {
        "model",
        "opened",
        "text",
        "prompt",
        "head",
        "token",
    }
    needs = [(name, need) for name, item in answering(page).items() for need in item.needs]
    assert len(answering(page)) > 30 and len(needs) > 300
    unknown = [(name, need) for name, need in needs if not set(need.split("|")) <= names]
    assert unknown == []


def test_every_event_that_fills_a_component_stamps_its_answer_with_its_question(page):
    shown = set(answering(page).values())
    found = 0
    for event in page.fns.values():
        filled = shown & set(event.outputs)
        if not filled or event.name == ARRIVING:
            continue
        found += 1
        script = event.js if isinstance(event.js, str) else ""
        called = re.search(r"m\.asks\((\[.*?\]), (\[.*?\]), ", script)
        assert called, (event.name, [item.elem_id for item in filled])
        assert set(json.loads(called[1])) == {item.elem_id for item in filled}
        needed = {name for item in filled for need in item.needs for name in need.split("|")}
        assert set(json.loads(called[2])) <= needed
    assert found > 40


def test_every_component_that_asks_by_itself_is_heard_or_asks_with_its_own_script(page):
    heard = {
        target for event in page.fns.values() for target, name in event.targets if name == "ask"
    }
    silent = []
    for block in page.blocks.values():
        script = getattr(block, "js_on_load", None) or ""
        if re.search(r'asks: "\w', script) and block._id not in heard:
            module = re.search(r'lensModule\("([^"]+)"\)', script)[1]
            silent.append(module)
    assert silent  # some ask the server themselves
    for module in silent:
        assert "answer.ask = " in module_text(module), module


def module_text(name: str) -> str:
    folder = Path(importlib.import_module("ui").__path__[0])
    return (folder / name).read_text(encoding="utf-8")


def test_every_field_of_every_form_is_on_the_page_and_heard_of_when_it_changes(page):
    laid_out = {field["name"] for field in page.register["fields"]}
    linked = {name for name, field in FIELDS.items() if field.linked}
    assert linked - laid_out == set()
    telling = [
        event
        for event in page.fns.values()
        if isinstance(event.js, str) and "holdFields" in event.js
    ]
    (first,) = [event for event in telling if "load" in {name for _, name in event.targets}]
    heard = set[int]()
    for event in telling:
        changed = {target for target, name in event.targets if name == "change"}
        assert changed <= {item._id for item in event.inputs}  # whatever changes is told
        heard |= changed
    assert {item._id for item in first.inputs if hasattr(item, "change")} == heard
    assert len(first.inputs) > len(linked)


def test_fields_that_an_event_sets_are_told_by_it_or_by_the_change_of_any_of_them(page):
    """A field that is off screen has no change event: its neighbours' brings it."""
    together = dict[int, set[int]]()
    followers = dict[int, list[BlockFunction]]()
    for event in page.fns.values():
        if event.trigger_after is not None:
            followers.setdefault(event.trigger_after, []).append(event)
        if "change" in {name for _, name in event.targets} and "holdFields" in str(event.js):
            ids = {item._id for item in event.inputs}
            together |= dict.fromkeys(ids, ids)

    def told_after(event: BlockFunction) -> set[int]:
        found = set[int]()
        for then in followers.get(event._id, []):
            if "holdFields" in str(then.js) or "ended(" in str(then.js):
                found |= {item._id for item in then.inputs}
            found |= told_after(then)
        return found

    n_set = 0
    for event in page.fns.values():
        untold = {item._id for item in event.outputs} & together.keys() - told_after(event)
        n_set += len(untold)
        assert all(untold <= together[item] for item in untold), event.name
    assert n_set > 50 and len({frozenset(ids) for ids in together.values()}) > 4


def test_every_view_is_a_folder_that_lays_itself_out_and_no_two_share_a_name():
    for tab in TABS:
        names = [view.name for view in tab.views]
        assert len(set(names)) == len(names)
        for view in tab.views:
            lens = tab.name.replace("-", "_")
            package = importlib.import_module(f"ui.lenses.{lens}.{view.name}")
            assert package.VIEW is view and package.__doc__


def test_an_event_that_takes_what_no_component_needs_is_refused_when_the_page_is_built():
    with gr.Blocks():
        fields = PageFields(FIELDS)
        fields.add("temperature", gr.Number())
        fields.add("seed", gr.Number())
        shown = component("", "<p></p>", "m.js", needs=("temperature",), elem_id="shown")
        button = gr.Button()
        with pytest.raises(
            WiringError, match="shown: computed from seed, which none of them needs"
        ):
            fields.listen(button.click, Asked(lambda *_: "", ("temperature", "seed"), [shown]))
        with pytest.raises(WiringError, match="No form declares the field 'warmth'"):
            fields.add("warmth", gr.Number())
        with pytest.raises(WiringError, match="Two components are the field 'seed'"):
            fields.add("seed", gr.Number())


def stamped(fn, values, *, n_outputs=1):
    """What Gradio gets of an event that answers for its first output."""
    with gr.Blocks() as blocks:
        fields = PageFields(FIELDS)
        fields.add("seed", gr.Number())
        shown = component("", "<p></p>", "m.js", needs=("seed",), elem_id="shown")
        outputs = [shown, fields["seed"]][:n_outputs]
        options: Event = {"queue": False}
        fields.listen(
            gr.Button().click, Asked(fn(shown, fields["seed"]), ("seed",), outputs, options=options)
        )
    event = next(event for event in blocks.fns.values() if event.fn is not None)
    return event.fn(*values)


def test_an_answer_carries_the_number_of_its_question_and_what_the_event_has_set():
    assert stamped(lambda *_: lambda seed: f"of {seed}", ["7", 3]) == "#7\nof 3"
    both = stamped(
        lambda shown, seed: lambda value: {shown: "drawn", seed: 9}, ["8", None], n_outputs=2
    )
    assert both == ['#8 {"seed": 9}\ndrawn', 9]
    for wrong in (None, "", "x", 7, "-1", [1]):  # a program may send anything
        assert stamped(lambda *_: lambda seed: "x", [wrong, 3]) == "x"


def test_an_answer_that_grows_keeps_its_number_and_one_that_never_comes_changes_nothing():
    def grows(shown, seed):
        def on_event(value):
            yield {seed: 5}
            yield {shown: "a"}
            yield {shown: "ab"}

        return on_event

    first, *rest = stamped(grows, ["3", None], n_outputs=2)
    assert first == [gr.skip(), 5]
    assert [row[0] for row in rest] == ['#3 {"seed": 5}\na', '#3 {"seed": 5}\nab']

    def nothing(*_):
        def on_event(value):
            yield from ()

        return on_event

    assert list(stamped(nothing, ["4", None])) == [gr.skip()]
