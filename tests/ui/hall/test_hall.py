"""A room of people: leading and following, and the wall."""

import json
import math

import pytest

from ui.handlers.hall import leading, wall
from ui.handlers.train import watching
from ui.handlers.train.forms import train_form
from ui.handlers.train.presets import PRESETS
from ui.state.stages import Stages, name_of

SPEAKER, PAGE, OTHER = ("s" * 22, "p" * 22, "q" * 22)
SCENE = {"tab": "Attention", "view": "Heads", "model": "mini", "text": "Tom saw", "head": [1, 2], "token": None}
LESSON = {
    **PRESETS["30 seconds, letters"], "corpus": "yours", "written": "the cat sat on the mat. " * 90, "n_layer": 1,
    "n_head": 2, "n_embd": 16, "n_positions": 16, "batch_size": 4, "length": "steps", "max_steps": 4, "prompt": "the ",
}  # fmt: skip


def led(services, scene):
    return json.loads(leading.lead(services, {"secret": SPEAKER, "scene": scene}))


def followed(services, version=0, page=PAGE, name=None):
    return json.loads(leading.follow(services, {"name": name or name_of(SPEAKER), "page": page, "version": version}))


def on_wall(services):
    return json.loads(wall.wall(services, None))["runs"]


def sign(services, bench, name):
    return json.loads(wall.sign(services, {"bench": bench, "name": name}))


# --- leading and following
def test_whoever_follows_gets_each_scene_once_and_hears_of_the_end(services):
    assert followed(services) == {"on": False, "version": 0, "scene": None}
    name = led(services, SCENE)["name"]
    first = followed(services, name=name)
    assert first["on"] and first["scene"] == SCENE
    assert followed(services, first["version"], name=name)["scene"] is None
    led(services, SCENE)  # said again, nothing new
    assert followed(services, first["version"], name=name)["scene"] is None
    led(services, {**SCENE, "text": "Tom saw a zebra"})
    assert followed(services, first["version"], name=name)["scene"]["text"] == "Tom saw a zebra"
    led(services, None)
    assert not followed(services, name=name)["on"]
    assert led(services, SCENE)["name"] == name and followed(services, name=name)["on"]


def test_the_name_of_a_stage_does_not_let_anybody_lead_it(services):
    name = led(services, SCENE)["name"]
    assert SPEAKER not in name
    assert leading.lead(services, {"secret": name, "scene": {**SCENE, "tab": "Train"}}) is None  # too short a secret
    longer = name + "xx"
    leading.lead(services, {"secret": longer, "scene": {**SCENE, "tab": "Train"}})
    assert followed(services, name=name)["scene"]["tab"] == "Attention"


@pytest.mark.parametrize(
    "scene",
    [
        7, [], "x", {}, {**SCENE, "tab": ""}, {**SCENE, "text": "x" * 2001}, {**SCENE, "head": ["a", "b"]},
        {**SCENE, "token": -1}, {**SCENE, "token": 1.5}, {**SCENE, "model": None},
    ],
)  # fmt: skip
def test_a_scene_that_is_none_is_refused(services, scene):
    assert leading.lead(services, {"secret": SPEAKER, "scene": scene}) is None
    assert not followed(services)["on"]


def test_pages_that_follow_are_counted_while_they_ask_and_the_oldest_stage_makes_room():
    now = [0.0]
    stages = Stages(most=2, clock=lambda: now[0])
    name, _ = stages.lead(SPEAKER, SCENE)
    for page in (PAGE, OTHER, PAGE):
        stages.follow(name, page)
    assert stages.lead(SPEAKER, SCENE)[1] == 2
    now[0] = 8.0
    stages.follow(name, PAGE)
    now[0] = 15.0
    assert stages.lead(SPEAKER, SCENE)[1] == 1
    for other in ("x" * 22, "y" * 22):
        stages.lead(other, SCENE)
    assert stages.follow(name, PAGE) is None


# --- the wall
def test_runs_are_on_the_wall_only_by_their_owners_name_and_can_be_opened_but_not_steered(services):
    workspace = watching.start(services, None, train_form(LESSON, services.limits))
    assert workspace.run is not None and workspace.run.wait(120.0)
    assert on_wall(services) == []
    assert sign(services, workspace.id, "  Ada   L. ") == {"name": "Ada L.", "said": ""}
    [run] = on_wall(services)
    assert run["name"] == "Ada L." and run["state"] == "ended" and run["step"] == 4 and run["text"]
    record = workspace.current
    scale = record.facts.tokens_per_character / math.log(2)
    assert run["unit"] == "bits per character" and run["loss"] == pytest.approx(scale * record.final_loss, abs=1e-3)
    assert run["points"][-1][1] == pytest.approx(scale * record.observations[-1].valid_loss, abs=1e-3)
    assert services.models.get(run["model"]) is record.language_model
    assert workspace.id not in json.dumps(run)
    assert watching.command(services, {"bench": run["viewing"], "command": "stop", "value": None}) is None
    sign(services, workspace.id, "")
    assert on_wall(services) == []


def test_a_name_without_a_run_stands_there_and_the_lowest_loss_comes_first(services):
    sign(services, "n" * 22, "Noether")
    quick = watching.start(services, None, train_form({**LESSON, "max_steps": 1}, services.limits))
    longer = watching.start(services, None, train_form({**LESSON, "max_steps": 60}, services.limits))
    for workspace, name in ((quick, "Quick"), (longer, "Longer")):
        assert workspace.run is not None and workspace.run.wait(120.0)
        sign(services, workspace.id, name)
    runs = on_wall(services)
    assert [run["name"] for run in runs if run["title"]] == ["Longer", "Quick"]
    [bare] = [run for run in runs if not run["title"]]
    assert bare["name"] == "Noether" and bare["state"] == "none" and bare["points"] == []
    assert all(len(run["points"]) <= 60 for run in runs)


def test_who_only_watches_cannot_sign_and_a_long_name_is_refused_with_its_limit(services):
    workspace = watching.start(services, None, train_form(LESSON, services.limits), go=False)
    assert "only watches" in sign(services, workspace.viewing, "Eve")["said"]
    assert "24" in sign(services, workspace.id, "x" * 25)["said"]
    assert on_wall(services) == []
    assert wall.sign(services, {"bench": workspace.id, "name": 3}) is None


def test_many_points_are_thinned_and_the_last_is_kept():
    points = [(float(i), 1.0 / (i + 1)) for i in range(1000)]
    thin = wall._thinned(points)
    assert len(thin) <= 60 and thin[-1] == points[-1] and thin == sorted(thin)
    assert wall._thinned(points[:3]) == points[:3]


def test_names_alone_do_not_push_out_anybodys_run(services):
    workspace = watching.start(services, None, train_form(LESSON, services.limits))
    assert workspace.run is not None and workspace.run.wait(120.0)
    said = [sign(services, f"{number:022d}", "Eve")["said"] for number in range(services.limits.workspaces + 5)]
    assert "no room" in said[-1] and services.run_manager.get(workspace.id) is workspace
