"""A room of people: leading and following."""

import json

import pytest

from helpers import SCENE
from ui.rooms.hall.handlers import leading
from ui.state import token_stream
from ui.state.broadcasts import Broadcasts, name_of

SPEAKER = "s" * 22
PAGE = "p" * 22
OTHER = "q" * 22


def led(services, scene):
    return json.loads(leading.lead(services, {"secret": SPEAKER, "scene": scene}))


def followed(services, version=0, page=PAGE, name=None):
    return json.loads(
        leading.follow(
            services, {"name": name or name_of(SPEAKER), "page": page, "version": version}
        )
    )


def test_whoever_follows_gets_each_scene_once_and_hears_of_the_end(services):
    assert followed(services) == {"state": "away", "version": 0, "scene": None, "written": None}
    name = led(services, SCENE)["name"]
    first = followed(services, name=name)
    assert first["state"] == "on" and first["scene"] == SCENE
    assert led(services, SCENE)["followers"] == 1
    followed(services, name=name, page=OTHER)
    assert led(services, SCENE)["followers"] == 2 and led(services, SCENE)["known"] == 0
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
    broadcasts = Broadcasts(clock=lambda: now[0])
    name = broadcasts.lead(SPEAKER, SCENE).name
    now[0] = 14.0
    assert broadcasts.follow(name, PAGE).state == "on"
    now[0] = 15.0
    assert broadcasts.follow(name, PAGE).state == "on"
    now[0] = 16.0
    ended = broadcasts.follow(name, PAGE)
    assert ended.state == "away" and ended.scene == SCENE
    version = ended.version
    broadcasts.lead(SPEAKER, SCENE)
    again = broadcasts.follow(name, PAGE)
    # nothing new: a text that somebody wrote meanwhile stays
    assert again.state == "on" and again.version == version


def test_the_name_of_a_stage_does_not_let_anybody_lead_it(services):
    name = led(services, SCENE)["name"]
    assert SPEAKER not in name
    # too short a secret
    assert leading.lead(services, {"secret": name, "scene": {**SCENE, "tab": "Train"}}) is None
    longer = name + "xx"
    leading.lead(services, {"secret": longer, "scene": {**SCENE, "tab": "Train"}})
    assert followed(services, name=name)["scene"]["tab"] == "Attention"


@pytest.mark.parametrize(
    "scene",
    [
        7,
        [],
        "x",
        {},
        {**SCENE, "tab": ""},
        {**SCENE, "text": "x" * 501},
        {**SCENE, "head": ["a", "b"]},
        {**SCENE, "token": -1},
        {**SCENE, "token": 1.5},
        {**SCENE, "model": None},
        {**SCENE, "asks": ["a"] * 21},
        {**SCENE, "asks": [3]},
        {**SCENE, "chat": "Tom"},
        {**SCENE, "chat": ["x" * 501]},
        {**SCENE, "hide": "x" * 301},
        {**SCENE, "link": None},
    ],
)
def test_a_scene_that_is_none_is_refused_with_the_reason_and_nobody_is_left_alone(services, scene):
    assert led(services, scene)["said"]
    # who is heard leads
    assert followed(services) == {"state": "on", "version": 0, "scene": None, "written": None}
    led(services, SCENE)
    # what it showed before
    assert led(services, scene)["said"] and followed(services)["scene"] == SCENE


def test_a_generated_text_comes_in_parts_and_another_one_takes_its_place(services):
    def wrote(number, start, lines):
        request = {"secret": SPEAKER, "scene": SCENE, "workspace": None}
        written = {"number": number, "start": start, "lines": lines}
        return json.loads(leading.lead(services, {**request, "written": written}))["known"]

    def heard(number=0, start=0):
        request = {
            "name": name_of(SPEAKER),
            "page": PAGE,
            "version": 0,
            "number": number,
            "start": start,
        }
        return json.loads(leading.follow(services, request))["written"]

    one, two, three = (token_stream.prompt(word).json for word in ("one", "two", "three"))
    n = len(one)
    both = one + two
    assert wrote(7, 0, one) == n and wrote(7, n, two) == len(both)
    assert heard() == {"number": 7, "start": 0, "lines": both}
    assert heard(7, n) == {"number": 7, "start": n, "lines": two} and heard(7, len(both)) is None
    # what does not fit is not taken
    assert wrote(7, 3, two) == wrote(7, 9999, two) == wrote(7, 0, "") == len(both)
    for number, start in ((6, n), (7, 9999), (7, -1), (7, "4"), (None, None)):
        assert heard(number, start) == {"number": 7, "start": 0, "lines": both}
    assert wrote(8, 0, three) == len(three) and heard(7, n) == {
        "number": 8,
        "start": 0,
        "lines": three,
    }
    assert wrote(8, len(three), token_stream.prompt("x" * 1_000_000).json) == len(three)  # too much
    for lines in ("no stream", "{}", "[1]", "7", "null", "[" * 100_000, 3, None):
        assert wrote(8, len(three), lines) == 0 and heard(8, len(three)) is None
    for wrong in (None, 7, {}, {"number": True, "start": len(three), "lines": two}):
        leading.lead(
            services, {"secret": SPEAKER, "scene": SCENE, "workspace": None, "written": wrong}
        )
        assert heard(8, len(three)) is None


def test_pages_that_follow_are_counted_while_they_ask_and_the_oldest_stage_makes_room():
    now = [0.0]
    broadcasts = Broadcasts(most=2, clock=lambda: now[0])
    name = broadcasts.lead(SPEAKER, SCENE).name
    for page in (PAGE, OTHER, PAGE):
        broadcasts.follow(name, page)
    assert broadcasts.lead(SPEAKER, SCENE).followers == 2
    now[0] = 8.0
    broadcasts.follow(name, PAGE)
    now[0] = 15.0
    assert broadcasts.lead(SPEAKER, SCENE).followers == 1
    now[0] = 30.0
    assert broadcasts.lead(SPEAKER, SCENE).followers == 0
    for other in ("x" * 22, "y" * 22):
        broadcasts.lead(other, SCENE)
    assert broadcasts.follow(name, PAGE) is None


@pytest.mark.parametrize("client", ["elsewhere", "here"])
def test_invented_secrets_never_push_out_a_stage_that_is_followed(client):
    broadcasts = Broadcasts(most=5)
    name = broadcasts.lead("speaker" * 4, SCENE, "here").name
    assert broadcasts.follow(name, "page" * 8) is not None
    for number in range(60):
        broadcasts.lead(f"invented {number}", SCENE, client)
    broadcast = broadcasts.follow(name, "page" * 8)
    assert broadcast is not None and broadcast.state == "on"


ASKING = {**SCENE, "hide": "#start .st-two", "asks": ["ball", "toy", "another"]}


def guessed(services, page, guess):
    request = {
        "name": name_of(SPEAKER),
        "page": page,
        "version": 0,
        "number": 0,
        "start": 0,
        "guess": guess,
    }
    return leading.follow(services, request)


def test_guesses_are_counted_once_for_each_page_and_begin_anew_with_another_question(services):
    assert led(services, SCENE)["guesses"] == []
    assert counts(services, ASKING) == [0, 0, 0]
    for page, guess in ((PAGE, 1), (OTHER, 1), (PAGE, 0), ("r" * 22, 2)):
        guessed(services, page, guess)
    assert counts(services, ASKING) == [1, 1, 1]
    for wrong in (3, -1, 0.5, "1", None, True, [1]):
        guessed(services, PAGE, wrong)
    assert led(services, ASKING)["guesses"] == [["ball", 1], ["toy", 1], ["another", 1]]
    # the question has ended, and is answered by who was late
    assert counts(services, SCENE) == [1, 1, 1]
    guessed(services, PAGE, 1)
    assert counts(services, SCENE) == [0, 2, 1]
    assert counts(services, {**ASKING, "asks": ["cat", "dog"]}) == [0, 0]


def counts(services, scene):
    return [count for _, count in led(services, scene)["guesses"]]


def test_what_pages_answer_is_kept_within_bounds(services):
    name = led(services, ASKING)["name"]
    pages = [f"{number:022}" for number in range(1_200)]
    for page in pages:
        guessed(services, page, 1)
        services.broadcasts.tried(name, page, "pieces", None)
        services.broadcasts.tried(name, page, "pieces", "4")
    assert counts(services, ASKING) == [0, 1_000, 0]
    for number in range(400):
        services.broadcasts.tried(name, pages[0], "pieces", str(number))
        services.broadcasts.tried(name, pages[number], "cells", str(number))
    attempts = services.broadcasts.follow(name, PAGE).attempts
    assert len(attempts["pieces"].solved) == len(attempts["pieces"].wrong["4"]) == 1_000
    assert len(attempts["pieces"].wrong) == 20  # of one page
    assert len(attempts["cells"].wrong) == 300
    led(services, None)
    assert led(services, SCENE)["guesses"] == []  # gone when the room ends
