"""Private parts of Gradio: listed, used only for the version they were written for, and not needed
by the app.
"""

import asyncio
import logging
import re
import threading
from pathlib import Path

import gradio as gr
import httpx
import pytest
from gradio.exceptions import ServerFailedToStartError
from gradio_client import Client
from starlette.applications import Starlette
from starlette.testclient import TestClient
from wire import apart

from serving import served_page
from tiny import ROOT, ran
from ui.server import gradio_internals
from ui.server.gradio_internals import configuration, patient_start, quick_front_end
from ui.server.gradio_internals.configuration import PageStates
from ui.server.gradio_internals.queue_share import look_seldom


def test_the_pinned_gradio_is_the_one_that_they_were_written_for():
    assert f"gradio=={gradio_internals.WRITTEN_FOR}\n" in (ROOT / "requirements.txt").read_text(
        encoding="utf-8"
    )
    assert gradio_internals.is_written_for()


def test_every_part_is_applied_somewhere_and_the_list_for_contributors_is_this_one():
    sources = [ROOT / "app.py", *(ROOT / "ui").rglob("*.py")]
    used = {
        name
        for file in sources
        for name in re.findall(r'apply\(\s*"([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert used == set(gradio_internals.PARTS)
    assert gradio_internals.table() in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_a_part_that_has_changed_is_left_alone_and_what_is_lost_is_logged(caplog):
    with caplog.at_level(logging.WARNING, logger="gptlens"):
        assert not gradio_internals.apply("queue pauses", lambda: object().pause)  # type: ignore[attr-defined]
    assert "generation is a fifth slower" in caplog.text


@pytest.mark.slow
def test_the_app_works_with_another_gradio_and_none_of_the_parts(monkeypatch, caplog):
    monkeypatch.setattr(gradio_internals, "WRITTEN_FOR", "1.2.3")
    with caplog.at_level(logging.WARNING, logger="gptlens"), served_page() as address:
        assert "gradio" in httpx.get(address).text
        client = Client(address, verbose=False)
        answered = client.predict(prompt="Once upon a time", max_new_tokens=4, api_name="/generate")
        assert "Once upon a time" in str(answered)
    left_alone = [
        record.getMessage() for record in caplog.records if "is left alone" in record.getMessage()
    ]
    # The import, the start and the end are of a process of their own.
    assert len(left_alone) >= len(gradio_internals.PARTS) - 3


@pytest.mark.parametrize(
    ("looking", "pause"), [("start_processing", 0.005), ("start_progress_updates", 1.0)]
)
def test_a_queue_with_nothing_to_do_pauses_between_looks_for_as_long_as_it_is_told(looking, pause):
    with gr.Blocks() as page:
        page.load(lambda: None)
    queue = page.queue()._queue
    pauses = []

    class OnePause(asyncio.SelectorEventLoop):
        def call_later(self, delay, *rest, **options):
            pauses.append(delay)
            raise TimeoutError  # the test has seen for how long

    def look():
        with asyncio.Runner(loop_factory=OnePause) as loop:
            loop.run(getattr(queue, looking)())

    look_seldom(queue)
    with pytest.raises(TimeoutError):
        apart(look)
    assert pauses == [pause]


@pytest.fixture
def page():
    with gr.Blocks() as page:
        gr.State([1])
        gr.Textbox("a")
    page.state_session_capacity = 2
    return page


def test_each_page_has_values_of_its_own_and_no_copy_of_the_configuration(page):
    states = PageStates(page)
    held, box = (
        block for block in page.blocks.values() if isinstance(block, (gr.State, gr.Textbox))
    )
    mine = states["mine"]
    other = states["other"]
    mine[held._id].append(2)
    assert (mine[held._id], other[held._id], held.value) == ([1, 2], [1], [1])
    mine[box._id] = gr.Textbox("b", render=False)
    mine._update_value_in_config(box._id, "c" * 1000)  # as Gradio calls it after every event
    assert other[box._id].value == "a" and not other.config_values
    assert "ccc" not in str(list(mine.components))
    assert states["mine"] is mine and page.state_holder is states


def test_the_page_that_was_used_longest_ago_makes_room(page):
    states = PageStates(page)
    for name in ("a", "b", "a", "c"):
        assert states[name] is states[name]
    assert set(states.session_data) == {"a", "c"}


COUNTED = """
import ast, inspect, sys
parse, parsed = ast.parse, []
def counting(*given, **named):
    parsed.append(sys._getframe(1).f_globals.get("__name__"))
    return parse(*given, **named)
ast.parse = counting
import {module}
import gradio
assert "quick" not in inspect.getfile.__module__ and gradio.HTML("here").value == "here"
print(parsed.count("gradio.component_meta"))
"""


def parsed(module: str) -> int:
    """How often Gradio parses a source while a module is imported."""
    return int(ran("-c", COUNTED.format(module=module), check=True).stdout)


@pytest.mark.slow
def test_no_source_is_parsed_that_an_app_does_not_need():
    assert parsed("app") == 0 < parsed("gradio")


class SlowServer:
    """What a start waits for: it listens once the gate is open, or ends without."""

    def __init__(self, *, listens: bool) -> None:
        self.gate = threading.Event()
        self.listens = listens
        self.started = False
        self.reloader = None

    def run(self) -> None:
        self.gate.wait(60.0)
        self.started = self.listens
        if self.listens:
            threading.Event().wait(60.0)


def test_a_start_waits_for_as_long_as_the_server_takes_and_no_longer_than_it_lives():
    slow = SlowServer(listens=True)
    waiting = threading.Thread(target=patient_start.start, args=(slow,))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()  # it does not listen yet
    slow.gate.set()
    waiting.join(60.0)
    assert slow.started and not waiting.is_alive()
    ended = SlowServer(listens=False)
    ended.gate.set()
    with pytest.raises(ServerFailedToStartError):
        patient_start.start(ended)


def test_a_server_that_lives_and_never_listens_is_given_up(monkeypatch):
    monkeypatch.setattr(patient_start, "_PATIENCE", 0.0)
    silent = SlowServer(listens=True)
    with pytest.raises(ServerFailedToStartError):
        patient_start.start(silent)
    assert silent.thread.is_alive() and not silent.started
    silent.gate.set()


def test_a_first_answer_is_awaited_through_refusals_and_errors(monkeypatch):
    answers = [
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.Response(503),
        httpx.Response(200),
    ]

    def head(url, **_):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(patient_start.httpx, "head", head)
    assert patient_start.answers("http://127.0.0.1:1/") and not answers
    monkeypatch.setattr(patient_start, "_PATIENCE", 0.0)
    assert not patient_start.answers("http://127.0.0.1:1/")


def test_every_part_is_applied_somewhere():
    folder = Path(gradio_internals.__file__).parents[2]
    sources = [file.read_text(encoding="utf-8") for file in folder.rglob("*.py")]
    applied = re.findall(r"\bapply\(\s*\"([^\"]+)\"", "\n".join(sources))
    assert sorted(applied) == sorted(gradio_internals.PARTS)


def test_what_means_the_same_is_left_out_of_a_component():
    props = {"_selectable": False, "visible": False, "label": "A"}
    item = {"type": "slider", "id": 1, "props": props}
    assert configuration._component(item)["props"] == {"visible": False, "label": "A"}
    chosen = {**item, "props": {**props, "_selectable": True}}
    assert configuration._component(chosen)["props"]["_selectable"] is True


def test_an_event_that_follows_another_one_has_no_target_and_the_first_event_has_followers():
    empty = {"js": None, "queue": False, "cancels": [], "max_batch_size": 4}
    clicked = {**empty, "id": 0, "targets": [[7, "click"]], "trigger_after": None}
    then = {**empty, "id": 1, "targets": [[None, "then"]], "trigger_after": 0}
    assert configuration._event(clicked) == {"id": 0, "targets": [[7, "click"]], "cancels": []}
    assert configuration._event(then) == {"id": 1, "targets": [], "trigger_after": 0, "cancels": []}


def test_a_script_of_the_front_end_is_sent_as_it_is_but_for_what_searches():
    client = TestClient(Starlette(routes=list(quick_front_end.routes())))
    texts = {}
    for name in quick_front_end.mended():
        answer = client.get(f"/assets/{name}")
        whole = (quick_front_end._SCRIPTS / name).read_text(encoding="utf-8")
        assert answer.text[:400] == whole[:400] and answer.text[-400:] == whole[-400:]
        tag = {"If-None-Match": answer.headers["etag"]}
        assert client.get(f"/assets/{name}", headers=tag).status_code == 304
        texts[name.partition("-")[0]] = answer.text
    assert "function Z(root, id) {" in texts["core"] and "export function" not in texts["core"]
    assert texts["core"].count("attachedEvents(") == 2
    assert quick_front_end._SHOWING not in texts["statustracker"]


@pytest.mark.parametrize("part", ["_FINDING", "_ATTACHED", "_SHOWING"])
def test_a_front_end_that_lacks_a_part_is_left_alone(monkeypatch, caplog, part):
    monkeypatch.setattr(quick_front_end, part, "what is no part of it")
    with caplog.at_level(logging.WARNING, logger="gptlens"):
        assert not gradio_internals.apply("quick front end", quick_front_end.routes)
    assert "are as they were" in caplog.text
