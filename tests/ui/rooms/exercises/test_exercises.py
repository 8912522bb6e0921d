"""The exercises: what is measured is right, every answer given is accepted, and others are
refused.
"""

import json
import math
import re
from pathlib import Path

import pytest

import gptcore
from gptcore.errors import GPTCoreError
from helpers import LESSON, SCENE
from ui import links
from ui.lenses.train.handlers import watching
from ui.lenses.train.handlers.forms import train_form
from ui.rooms.exercises.handlers import checking, measures
from ui.rooms.exercises.handlers.catalogue import EXERCISES, LEVELS
from ui.rooms.exercises.handlers.tasks import numbers
from ui.state import broadcasts
from ui.state.broadcasts import Attempts
from ui.views import TAB_NAMES

BY_NAME = {entry.name: entry for entry in EXERCISES}
KINDS = {kind: [item.name for item in EXERCISES if item.task.kind == kind] for kind in
         ("number", "word", "head", "text", "run")}  # fmt: skip
ABOUT_RUNS = {"no-mask", "final-loss"}


@pytest.fixture(scope="module")
def models():
    return {name: gptcore.load(name) for name in {item.model for item in EXERCISES}}


def checked(models, name, answer):
    return BY_NAME[name].task.check(models[BY_NAME[name].model], answer, None)


def solved(models, name):
    return BY_NAME[name].task.solve(models[BY_NAME[name].model])


def test_there_are_15_of_three_levels_about_every_tab_and_each_link_is_one_of_this_page():
    assert len(EXERCISES) == len(BY_NAME) == 15
    readme = Path(__file__).resolve().parents[4] / "README.md"
    assert f"{len(EXERCISES)} exercises" in readme.read_text(encoding="utf-8")
    assert {item.level for item in EXERCISES} == set(LEVELS) == {1, 2, 3}
    assert {item.tab for item in EXERCISES} == set(TAB_NAMES)
    for one in EXERCISES:
        query = dict(part.split("=", 1) for part in one.link.split("&"))
        assert not links.unknown(query), one.name
        assert not links.mistakes({"exercise": one.name, "tab": one.tab})


def test_the_exercises_of_the_page_go_from_looking_to_thinking(services):
    shown = json.loads(checking.exercises(services, None))
    assert [item["name"] for item in shown] == [item.name for item in EXERCISES]
    levels = [item["level"] for item in shown]
    assert levels == sorted(levels) and set(levels) == {1, 2, 3}


@pytest.mark.parametrize(
    ("name", "value"), [("embedding", 50257 * 768), ("even-guess", math.log(64))]
)
def test_numbers_of_shapes_are_what_one_computes_by_hand(models, name, value):
    assert checked(models, name, f"{value:.4f}").right
    assert not checked(models, name, f"{1.1 * value:.4f}").right


def test_a_map_has_its_cells_and_the_turned_sentence_may_change_one_word_only(models):
    n = len(models["mini"].tokenizer.encode("The cat sat on the mat."))
    assert checked(models, "cells", str(n * (n + 1) // 2)).right
    assert "exactly one word" in checked(models, "turn-it", "Tom had a red hat.").said
    assert not checked(
        models, "turn-it", "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
    ).right


@pytest.mark.parametrize("name", [name for name in KINDS["number"] if name not in ABOUT_RUNS])
def test_the_number_of_the_answer_is_right_and_another_is_too_high_or_too_low(models, name):
    [number, *_] = re.findall(r"\d[\d,.]*\d|\d", solved(models, name))
    assert checked(models, name, number).right
    above = checked(models, name, str(numbers(number)[-1] * 2 + 10))
    assert not above.right and "lower" in above.said
    assert "higher" in checked(models, name, "-1").said


@pytest.mark.parametrize("name", KINDS["word"])
def test_the_word_of_the_answer_is_right_in_any_case_and_another_is_not(models, name):
    [word] = re.findall("“(.*?)”", solved(models, name))
    assert checked(models, name, f" {word.upper()} ").right
    assert not checked(models, name, f"{word}x").right


@pytest.mark.parametrize("name", KINDS["head"])
def test_heads_of_the_answer_are_right_and_most_others_are_not(models, name):
    shape = models[BY_NAME[name].model].model.config
    listed = re.findall(r"L\d+H\d+", solved(models, name).split(". ")[0])
    places = [f"L{layer}H{head}" for layer in range(shape.n_layer) for head in range(shape.n_head)]
    assert [place for place in places if checked(models, name, place).right] == listed
    assert 1 <= len(listed) <= len(places) / 2
    layer, head = re.findall(r"\d+", listed[0])
    for written in (
        f"{layer}.{head}",
        f"{layer},{head}",
        f"l{layer}h{head}",
        f"layer {layer}, head {head}",
    ):
        assert checked(models, name, written).right, written
    for unknown in (f"{shape.n_layer}.0", f"0.{shape.n_head}", "x", "1", "1.2.3", "²³.1", "-1.0"):
        with pytest.raises(GPTCoreError):
            checked(models, name, unknown)


@pytest.mark.parametrize("name", KINDS["text"])
def test_the_example_of_a_text_holds_in_the_model_and_a_poor_one_does_not(models, name):
    example = solved(models, name).removeprefix("For instance “").rpartition("”. ")[0]
    example = example.split("”. “")[0]
    assert checked(models, name, example).right, example
    poor = checked(models, name, "zq")
    assert not poor.right and poor.said
    with pytest.raises(GPTCoreError, match="empty"):
        checked(models, name, "  ")


@pytest.mark.parametrize("answer", ["", "a lot", "nan", "1e999", "⅐"])
def test_what_is_no_number_is_said_so(models, answer):
    with pytest.raises(GPTCoreError, match="not a number"):
        checked(models, "cells", answer)


@pytest.mark.parametrize(
    ("answer", "readings"),
    [
        ("0,65", [0.65]),
        ("4,16", [4.16]),
        ("4.16", [4.16]),
        ("12%", [12]),
        ("1 234", [1234]),
        ("1,536", [1.536, 1536]),
        ("38,597,376", [38_597_376]),
        ("1,234.5", [1234.5]),
        ("0,650", [0.65]),
        ("-0,5", [-0.5]),
    ],
)
def test_a_single_comma_is_a_decimal_point_and_may_stand_between_thousands(answer, readings):
    assert numbers(answer) == readings


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("8 tokens", 8),
        ("4.16 nats", 4.16),
        ("ln 64", math.log(64)),
        ("ln(64)", math.log(64)),
        ("about 12", 12),
        ("50257*768", 50257 * 768),
        ("50,257 × 768", 50257 * 768),
        ("38.6 million", 38.6e6),
        ("38.6M", 38.6e6),
        ("38.597.376", 38_597_376),
        ("≈ 0,65", 0.65),
        ("36 cells.", 36),
        ("−1", -1),
        ("97%", 97),
    ],
)
def test_a_number_may_have_a_unit_or_be_computed(answer, value):
    assert numbers(answer)[0] == pytest.approx(value)


def test_a_formula_is_not_a_number_yet():
    with pytest.raises(GPTCoreError, match="is a formula"):
        numbers("V × C")
    with pytest.raises(GPTCoreError, match="is not a number"):
        numbers("many")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " ",
        "ln 0",
        "ln -1",
        "ln(",
        "ln x",
        "nan",
        "inf",
        "1e999",
        "x" * 2000,
        "1,234*" * 333 + "1,234",
        "ln " * 600,
    ],
    ids=lambda answer: answer[:8],
)
def test_what_is_no_number_is_refused_at_once(answer):
    with pytest.raises(GPTCoreError, match=r"is not a number|is a formula"):
        numbers(answer)


def test_a_word_may_be_quoted_or_end_a_sentence(models):
    [word] = re.findall("“(.*?)”", solved(models, KINDS["word"][0]))
    for written in (f'"{word}"', f"“{word}”.", f"{word},"):
        assert checked(models, KINDS["word"][0], written).right, written


def test_the_reason_is_that_of_the_answer(models, bundled):
    for written, reason in (
        (measures.BALLS.replace("blue ball", "blue hat"), "It copies your word: “hat”"),
        (measures.BALLS.replace("his blue", "his big"), "Your word is not copied"),
    ):
        verdict = checked(models, "turn-it", written)
        assert verdict.right and verdict.reason.startswith(reason), verdict
        told = json.loads(checking.check(bundled, {"name": "turn-it", "answer": written}))
        assert told["reason"] == verdict.reason


def test_exercises_about_a_run_need_a_run_of_ones_own(bundled):
    ask = {"name": "no-mask", "answer": "", "workspace": "x"}
    assert "no run of yours" in json.loads(checking.check(bundled, ask))["said"]
    plain = watching.start(bundled, None, train_form(LESSON, bundled.limits))
    assert plain.run is not None and plain.run.wait(120.0)
    found = json.loads(checking.check(bundled, {**ask, "workspace": plain.id}))
    assert found["right"] is False and "has its causal mask" in found["said"]
    by_view = json.loads(checking.check(bundled, {**ask, "workspace": plain.viewing}))
    assert "no run of yours" in by_view["said"]  # who only watches has no run
    unmasked = watching.start(
        bundled, None, train_form({**LESSON, "trick": "no_mask"}, bundled.limits)
    )
    assert unmasked.run is not None and unmasked.run.wait(120.0)
    assert (
        "Training loss"
        in json.loads(checking.check(bundled, {**ask, "workspace": unmasked.id}))["said"]
    )
    loss = plain.current.final_loss
    guess = {"name": "final-loss", "answer": f"{loss:.3f}", "workspace": plain.id}
    assert json.loads(checking.check(bundled, guess))["right"] is True
    assert (
        json.loads(checking.check(bundled, {**guess, "answer": f"{2 * loss:.3f}"}))["right"]
        is False
    )


def test_a_right_answer_comes_with_its_reason_and_a_wrong_one_does_not_give_it_away(bundled):
    ask = {"name": "embedding", "workspace": ""}
    right = json.loads(checking.check(bundled, {**ask, "answer": "38,597,376"}))
    assert right["right"] and right["reason"] == BY_NAME["embedding"].reason
    wrong = json.loads(checking.check(bundled, {**ask, "answer": "7"}))
    assert wrong["right"] is False and "reason" not in wrong and "38,597,376" not in wrong["said"]
    long = json.loads(checking.check(bundled, {**ask, "answer": "9" * 3000}))
    assert long["right"] is None and "2,000" in long["said"]
    assert (
        checking.check(bundled, {**ask, "answer": 7}) is None
        and checking.solution(bundled, {"name": 3}) is None
    )


SPEAKER = "s" * 22
PAGES = [letter * 22 for letter in "abcdef"]


def results(services, secret=SPEAKER):
    return {row["title"]: row for row in json.loads(checking.results(services, {"secret": secret}))}


def test_the_leader_of_a_room_alone_sees_how_many_have_solved_an_exercise_and_how_others_failed(
    services,
):
    name = services.broadcasts.lead(SPEAKER, SCENE).name
    for page in PAGES:
        services.broadcasts.follow(name, page)

    def tries(page, answer, exercise="embedding", room=name):
        request = {
            "name": exercise,
            "answer": answer,
            "workspace": "",
            "room": {"name": room, "page": page},
        }
        return json.loads(checking.check(services, request))["right"]

    for page, answer in zip(PAGES, ["768", "768", " 768 ", "50257", "50257", "7"], strict=True):
        assert tries(page, answer) is tries(page, answer) is False  # again the same
    for page in PAGES[:2]:
        assert tries(page, "38597376")
    assert tries(PAGES[0], "no number") in (False, None)
    tries("z" * 22, "6")  # follows nobody
    tries(PAGES[0], "8", room="x" * 20)
    tries(PAGES[0], "The opposite of a sentence that changes it.", exercise="certain")
    for room in (None, 7, {"name": 3, "page": None}, [], {"name": name}):
        checking.check(
            services, {"name": "embedding", "answer": "9", "workspace": "", "room": room}
        )
    found = results(services)
    assert list(found) == [item.title for item in EXERCISES]
    row = found.pop("The largest table")
    assert row["solved"] == 2 and row["wrong"] == [["768", 3], ["50257", 2], ["7", 1]]
    assert all((other["solved"], other["wrong"]) == (0, []) for other in found.values())
    # its name is no secret
    assert not any(row["solved"] for row in results(services, name).values())
    assert checking.results(services, {"secret": 7}) is None
    services.broadcasts.lead(SPEAKER, None, left=True)  # gone when the room ends
    services.broadcasts.lead(SPEAKER, SCENE)
    assert not any(row["solved"] for row in results(services).values())


def test_the_answers_of_a_room_are_bounded():
    attempts = Attempts()
    for number in range(broadcasts._MOST_FOLLOWERS + 3):
        attempts.note(f"page {number}", None)
        attempts.note(f"page {number}", "7")
    assert len(attempts.solved) == broadcasts._MOST_FOLLOWERS
    assert attempts.commonest_wrong(1) == [("7", broadcasts._MOST_FOLLOWERS)]
    for number in range(broadcasts._MOST_WRONG + 5):
        attempts.note("one", str(1000 + number))
    own = [answer for answer, pages in attempts.wrong.items() if "one" in pages]
    assert len(own) == broadcasts._MOST_WRONG_EACH
    for number in range(broadcasts._MOST_WRONG + 5):
        attempts.note(f"another {number}", str(9000 + number))
    assert len(attempts.wrong) == broadcasts._MOST_WRONG


@pytest.mark.parametrize("written", ["Positive?", "It is POSITIVE:", "a positively good film"])
def test_a_prompt_that_names_the_answer_is_told_to_leave_it_out(models, written):
    verdict = measures.answers_positive(models["mini"], written)
    assert not verdict.right and "leave it out" in verdict.said
