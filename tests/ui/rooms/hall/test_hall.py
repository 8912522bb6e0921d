"""A room of people: leading and following."""

import json

import pytest

from ui.rooms.hall.handlers import leading
from ui.state.stages import Stages, name_of

SPEAKER, PAGE, OTHER = ("s" * 22, "p" * 22, "q" * 22)
SCENE = {"tab": "Attention", "view": "Heads", "model": "mini", "text": "Tom saw", "head": [1, 2], "token": None}


def led(services, scene):
    return json.loads(leading.lead(services, {"secret": SPEAKER, "scene": scene}))


def followed(services, version=0, page=PAGE, name=None):
    return json.loads(leading.follow(services, {"name": name or name_of(SPEAKER), "page": page, "version": version}))


def test_whoever_follows_gets_each_scene_once_and_hears_of_the_end(services):
    assert followed(services) == {"state": "away", "version": 0, "scene": None}
    name = led(services, SCENE)["name"]
    first = followed(services, name=name)
    assert first["state"] == "on" and first["scene"] == SCENE
    assert followed(services, first["version"], name=name)["scene"] is None
    led(services, SCENE)  # said again, nothing new
    assert followed(services, first["version"], name=name)["scene"] is None
    led(services, {**SCENE, "text": "Tom saw a zebra"})
    assert followed(services, first["version"], name=name)["scene"]["text"] == "Tom saw a zebra"
    led(services, None)
    assert followed(services, name=name)["state"] == "left"
    assert led(services, SCENE)["name"] == name and followed(services, name=name)["state"] == "on"


def test_a_stage_that_is_not_heard_of_ends_and_comes_back_with_the_speaker():
    now = [0.0]
    stages = Stages(clock=lambda: now[0])
    name, _ = stages.lead(SPEAKER, SCENE)
    now[0] = 14.0
    assert stages.follow(name, PAGE).state == "on"
    now[0] = 16.0
    ended = stages.follow(name, PAGE)
    assert ended.state == "away" and ended.scene == SCENE
    version = ended.version
    stages.lead(SPEAKER, SCENE)
    again = stages.follow(name, PAGE)
    assert again.state == "on" and again.version == version  # nothing new: a text that somebody wrote meanwhile stays


def test_the_name_of_a_stage_does_not_let_anybody_lead_it(services):
    name = led(services, SCENE)["name"]
    assert SPEAKER not in name
    assert leading.lead(services, {"secret": name, "scene": {**SCENE, "tab": "Train"}}) is None  # too short a secret
    longer = name + "xx"
    leading.lead(services, {"secret": longer, "scene": {**SCENE, "tab": "Train"}})
    assert followed(services, name=name)["scene"]["tab"] == "Attention"


@pytest.mark.parametrize("scene", [
    7, [], "x", {}, {**SCENE, "tab": ""}, {**SCENE, "text": "x" * 501}, {**SCENE, "head": ["a", "b"]},
    {**SCENE, "token": -1}, {**SCENE, "token": 1.5}, {**SCENE, "model": None},
])  # fmt: skip
def test_a_scene_that_is_none_is_refused_with_the_reason_and_nobody_is_left_alone(services, scene):
    assert led(services, scene)["said"]
    assert followed(services) == {"state": "on", "version": 0, "scene": None}  # who is heard leads
    led(services, SCENE)
    assert led(services, scene)["said"] and followed(services)["scene"] == SCENE  # what it showed before


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
    now[0] = 30.0
    assert stages.lead(SPEAKER, SCENE)[1] == 0
    for other in ("x" * 22, "y" * 22):
        stages.lead(other, SCENE)
    assert stages.follow(name, PAGE) is None


@pytest.mark.parametrize("client", ["elsewhere", "here"])
def test_invented_secrets_never_push_out_a_stage_that_is_followed(client):
    stages = Stages(most=5)
    name, _ = stages.lead("speaker" * 4, SCENE, "here")
    assert stages.follow(name, "page" * 8) is not None
    for number in range(60):
        stages.lead(f"invented {number}", SCENE, client)
    stage = stages.follow(name, "page" * 8)
    assert stage is not None and stage.state == "on"
