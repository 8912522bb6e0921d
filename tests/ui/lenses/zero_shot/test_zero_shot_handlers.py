"""The Zero-shot tab's handlers: every task, every view, and everything that can be wrong with an
input.
"""

import itertools
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from gptcore.errors import GPTCoreError
from gptcore.formatting import percent
from gptcore.zero_shot import TASKS, Prompt
from gptcore.zero_shot.evaluation import Case
from gptcore.zero_shot.items import TASKS_WITH_ITEMS
from ui.endpoints import ENDPOINTS
from ui.lenses.zero_shot.answer.view import _composed
from ui.lenses.zero_shot.events import DRAWN, parsed
from ui.lenses.zero_shot.handlers import asking as handlers
from ui.lenses.zero_shot.handlers import form as forms
from ui.lenses.zero_shot.handlers import views
from ui.lenses.zero_shot.models import scoreboard
from ui.shared.inputs import InputError
from ui.state.limits import Limits
from ui.state.model_store import ModelStore

SIDE = "this combination"
LIMITS = Limits(max_new_tokens=150, max_prompt_chars=5_000, max_score_chars=500)


def values(name: str = "sentiment", **changes):
    return {**forms.defaults(name), **changes}


def asked(given):
    return forms.task_form(given, LIMITS)


def shown(services, **changes):
    name = changes.pop("name", "sentiment")
    return json.loads(handlers.composed(services, "tiny", asked(values(name, **changes)))[0])


@pytest.mark.parametrize("name", list(TASKS))
def test_every_task_opens_with_a_prompt_that_ends_in_its_cue_and_answers(asking, name):
    given = values(name)
    view, prompt = handlers.composed(asking, "tiny", asked(given))
    found = json.loads(view)
    assert "".join(part["text"] for part in found["parts"]) == prompt and set(given) == set(
        forms.FIELDS
    )
    assert (
        found["budget"]["prompt"] + min(160, found["budget"]["answer"])
        <= found["budget"]["window"]
        == 320
    )
    *_, stream = handlers.answer(asking, "v", "tiny", asked(given))
    lines = [json.loads(line) for line in stream.splitlines()]
    assert any(line.get("kind", line.get("t")) for line in lines) and "stats" in stream
    assert len(asking.sessions) == 1


@pytest.mark.parametrize("name", list(TASKS))
def test_another_input_is_another_whatever_is_drawn(monkeypatch, name):
    draws = itertools.count(1)
    monkeypatch.setattr(forms.random, "randrange", lambda *_: next(draws) // 2 + 1)
    shown = forms.field_values(name, forms.example_item(name))
    for _ in range(12):  # each draw twice
        before = shown
        fields = [before[field] for field in DRAWN if field != "expected"]
        shown = forms.field_values(name, forms.another_item(name, fields))
        assert shown != before and bool(shown["expected"]) == (name in TASKS_WITH_ITEMS)
    assert asked(values(name, **shown)).item.fields.keys() == TASKS[name].fields.keys()


def test_labels_are_compared_raw_and_per_token(asking):
    found = shown(asking)["labels"]
    assert [label["label"] for label in found] == ["positive", "negative"]
    assert sum(label["share"] for label in found) == pytest.approx(1, abs=1e-3)
    assert all(
        label["per_token"] == pytest.approx(label["logprob"] / label["tokens"], abs=1e-3)
        for label in found
    )
    assert shown(asking, labels="")["labels"] == []


def test_examples_and_templates_change_the_prompt(asking):
    two = shown(asking, n_examples=2)
    assert [part["kind"] for part in two["parts"]] == ["example", "example", "input", "cue"]
    found = shown(asking, **forms.with_template({"task": "sentiment"}, "Overall"))
    assert found["parts"][-1] == {"kind": "cue", "text": " Overall, it was"}
    assert [label["label"] for label in found["labels"]] == ["good", "bad"]
    own = shown(asking, body="{text} So I say: {answer}", instruction="Listen.")
    assert [part["kind"] for part in own["parts"]] == ["instruction", "input", "cue"]


def test_an_edited_prompt_is_read_as_it_is(asking):
    view, prompt = handlers.composed(asking, "tiny", asked(values(prompt="Anything at all")))
    assert prompt == "Anything at all" and json.loads(view)["parts"] == [
        {"kind": "edited", "text": "Anything at all"}
    ]
    assembled = handlers.composed(asking, "tiny", asked(values()))[1]
    again = json.loads(handlers.composed(asking, "tiny", asked(values(prompt=assembled)))[0])
    assert again["parts"][0]["kind"] == "input"


def test_an_input_beyond_the_window_is_cut_with_a_note_and_leaves_room_for_long_labels(asking):
    found = shown(asking, field_0="the film was good. " * 200, n_examples=3)
    assert "3 of 3 examples are left out" in found["note"] and "words of the input" in found["note"]
    assert found["parts"][-1]["text"] == "\nSentiment:" and found["budget"]["prompt"] <= 315
    labels = "positive\n" + "so very negative " * 12
    found = shown(asking, field_0="the film was good. " * 200, labels=labels)["labels"]
    assert found[1]["tokens"] > 30


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"field_0": ""}, "The review is empty"),
        ({"field_0": None}, "The review must be text"),
        ({"field_0": "x" * 6000}, "The review has 6,000 characters"),
        ({"task": "juggling"}, "no task 'juggling'"),
        ({"task": None}, "no task 'None'"),
        ({"template": "none of them"}, "no template 'none of them'"),
        ({"body": "{text} so"}, "no {answer}"),
        ({"body": ""}, "The template is empty"),
        ({"body": "{film} {text} {answer}"}, "{film}, which this task does not know"),
        ({"labels": "good\ngood"}, "'good' is listed twice"),
        ({"labels": "good"}, "at least two different"),
        ({"labels": "good\n   \nbad"}, None),
        ({"labels": "\n".join("abcdefghijklmn")}, "14 labels"),
        ({"n_examples": 3, "examples": []}, "Examples asked for: 3; in the table: 0"),
        ({"n_examples": 1, "examples": [["text", ""]]}, "Example 1 has an empty cell"),
        ({"n_examples": 2.5}, "number of examples is 2.5"),
        ({"n_examples": 99}, "number of examples is 99"),
        ({"max_new_tokens": 0}, "The length is 0"),
        ({"max_new_tokens": float("nan")}, "The length is nan"),
        ({"temperature": -1}, "Temperature is -1"),
        ({"top_k": -1}, "Top-k is -1"),
        ({"stops": ["never"]}, "no stop rule 'never'"),
        ({"stops": None}, "no stop rule 'None'"),
        ({"seed": -1}, "The seed is -1"),
        ({"prompt": 7}, "The prompt must be text"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(asking, changes, message):
    if message is None:
        assert len(shown(asking, **changes)["labels"]) == 2
        return
    with pytest.raises(GPTCoreError) as raised:
        handlers.composed(asking, "tiny", asked({**values(), **changes}))
    assert message in str(raised.value)


def test_an_answer_is_the_same_for_the_same_seed_and_stops_when_asked(asking):
    given = values("story", temperature=1.0, max_new_tokens=30)
    first = list(handlers.answer(asking, "v", "tiny", asked(given)))[-1]
    again = list(handlers.answer(asking, "v", "tiny", asked(given)))[-1]
    tokens = [line for line in first.splitlines() if '"stats"' not in line]
    assert (
        tokens == [line for line in again.splitlines() if '"stats"' not in line]
        and len(tokens) > 10
    )
    views = handlers.answer(asking, "v", "tiny", asked(values("story", max_new_tokens=80)))
    next(views)
    asking.sessions.get("v").stop()
    assert "stopped" in list(views)[-1]


def test_effects_come_for_words_and_parts_and_an_edited_prompt_has_no_parts(asking):
    given = values(n_examples=2)
    found = json.loads(views.uses(asking, "tiny", asked(given), views.EXPECTED))["uses"]
    assert found["answer"] in ("positive", "negative") and 0 < found["p"] < 1
    assert {change["name"] for change in found["changes"]} >= {
        "without the cue",
        "without the examples",
    }
    assert (
        "".join(word["text"] for word in found["words"])
        == handlers.composed(asking, "tiny", asked(given))[1]
    )
    edited = json.loads(
        views.uses(asking, "tiny", asked(values(prompt="So it was")), views.EXPECTED)
    )["uses"]
    assert edited["changes"] == [] and len(edited["words"]) == 3
    with pytest.raises(GPTCoreError, match="fill in the expected answer"):
        views.uses(asking, "tiny", asked(values(expected="")), views.EXPECTED)
    with pytest.raises(GPTCoreError, match="Whose answer"):
        views.uses(asking, "tiny", asked(given), "nobody's")


def test_the_ladder_asks_one_model_after_the_other_and_names_those_that_cannot(asking, reader):
    def loader(name, **_):
        if name == "broken":
            raise GPTCoreError("no weights here")
        return replace(reader, name=name)

    served = replace(
        asking, models=ModelStore(asking.limits, offline=True, default="tiny", loader=loader)
    )
    *_, last = views.ladder(served, "v", ["small", "broken"], asked(values()))
    rows = json.loads(last)["sections"][0]["rows"]
    assert [row[0] for row in rows] == ["small", "broken"] and "no weights here" in rows[1][2]
    assert "%" in rows[0][3] and rows[0][4] in ("yes", "no")
    for prompt, end in (
        ("abcdef " * 40, "“… abcdef abcdef"),
        ("x" * 200, "“… xxx"),
        ("x" + " " * 200, "“… "),
    ):
        *_, last = views.ladder(served, "v", ["small"], asked(values(prompt=prompt)))
        assert end in json.loads(last)["sections"][0]["text"]
    for models in ([], None, ["x"] * 9):
        with pytest.raises(GPTCoreError):
            list(views.ladder(served, "v", models, asked(values())))


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(None, ""), (0.2534, "25.3%"), (1.0, "100%"), (1e-4, "0.01%"), (0.99e-4, "<0.01%")],
)
def test_the_chance_of_an_answer_is_a_share_in_percent(chance, shown):
    assert views._chance(chance) == shown


def test_the_scoreboard_counts_with_progress_and_says_whether_examples_help(asking):
    counted = scoreboard.scoreboard(
        asking, "v", ["tiny"], ["sentiment", "arithmetic"], ["0", "2"], SIDE, 20
    )
    views = [json.loads(view)["sections"] for view in counted]
    assert "items/s" in views[0][0]["text"] and "left" in views[0][0]["text"]
    last = {section["title"]: section for section in views[-1]}
    assert [row[1] for row in last["Counted here"]["rows"]] == [
        "Sentiment",
        "Sentiment",
        "Sums",
        "Sums",
    ]
    assert all(" of " in row[3] and "to" in row[4] for row in last["Counted here"]["rows"])
    remarks = [row[0] for row in last["Do examples help?"]["rows"]]
    assert len(remarks) == 2 and all("asking with 2 examples" in remark for remark in remarks)


def test_the_scoreboard_stops_and_keeps_what_is_counted(asking):
    views = scoreboard.scoreboard(asking, "v", ["tiny"], ["sentiment"], ["0", "1"], SIDE, 40)
    next(views)
    asking.sessions.get("v").stop()
    last = json.loads(list(views)[-1])["sections"][0]
    assert "stopped" in last["text"] and len(last["rows"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], ["sentiment"], ["0"], SIDE, 20), "No model is chosen"),
        ((["tiny"], [], ["0"], SIDE, 20), "No task is chosen"),
        ((["tiny"], ["story"], ["0"], SIDE, 20), "no task 'story'"),
        ((["tiny"], ["sentiment"], ["3"], SIDE, 20), "no number of examples '3'"),
        ((["tiny"], ["sentiment"], ["0"], "everything", 20), "What was held out"),
        ((["tiny"], ["sentiment"], ["0"], SIDE, 0), "number of items is 0"),
    ],
)
def test_a_scoreboard_of_nothing_is_a_sentence(asking, arguments, message):
    with pytest.raises(GPTCoreError, match=message):
        list(scoreboard.scoreboard(asking, "v", *arguments))


def test_a_program_asks_with_fields_or_a_prompt(asking):
    found = ENDPOINTS["zero_shot"](
        asking, "translate", {"english": "a cat"}, n_examples=2, max_new_tokens=4, model="tiny"
    )
    assert (
        found["prompt"].endswith("a cat =") and len(found["tokens"]) <= 4 and found["labels"] == []
    )
    own = ENDPOINTS["zero_shot"](asking, "sentiment", prompt="Well, this is", model="tiny")
    assert own["prompt"] == "Well, this is" and [label["label"] for label in own["labels"]] == [
        "positive",
        "negative",
    ]
    for fields in ({"french": "chat"}, {"english": ""}, {"english": 7}, "a cat"):
        with pytest.raises(GPTCoreError):
            ENDPOINTS["zero_shot"](asking, "translate", fields, model="tiny")


CHAIN = "Chain of thought"


def chained(name: str, **changes: Any) -> dict[str, Any]:
    values = forms.defaults(name)
    return {**values, **forms.with_template(values, CHAIN), **changes}


@pytest.mark.parametrize("name", ["arithmetic", "sentiment", "question"])
def test_a_step_by_step_template_brings_its_own_length_and_compares_no_labels(services, name):
    values = chained(name)
    assert (
        values["max_new_tokens"] == 64
        and values["stops"] == ["a new line"]
        and values["labels"] == ""
    )
    back = forms.with_template(values, TASKS[name].templates[0].name)
    assert back["max_new_tokens"] == TASKS[name].max_new_tokens
    assert forms.task_form({**values, "labels": "good\nbad"}, services.limits).compared == ()


def test_worked_examples_keep_their_steps(services):
    asked = forms.task_form(chained("arithmetic", n_examples=2), services.limits)
    shown = asked.prompt.of("example")
    assert shown.count("step by step. ") == 2 and "step by step.  The" not in shown
    assert all(example.steps and example.steps in shown for example in asked.examples)
    rows = [[*row[:2], ""] for row in forms.defaults("arithmetic")["examples"]]
    with pytest.raises(InputError, match="Example 1 has no steps"):
        forms.task_form(chained("arithmetic", n_examples=1, examples=rows), services.limits)


def test_steps_that_end_too_soon_are_told_from_a_wrong_answer(services):
    asked = forms.task_form(
        chained("arithmetic", field_0="3 + 4", expected="7", max_new_tokens=6), services.limits
    )
    assert "Allow more than 6 tokens" in handlers._verdict(asked, " 3 and 4")
    assert handlers._verdict(asked, " 3, then 4 more: 7. The answer is 7.") == "As expected: 7"
    assert handlers._verdict(asked, " The answer is 8.") == "Not as expected: 7"


def test_what_a_template_puts_behind_an_answer_does_not_make_it_wrong(services):
    values = forms.defaults("sentiment")
    values |= forms.with_template(values, "It is a") | {"expected": "negative"}
    asked = forms.task_form(values, services.limits)
    for written in (" negative review.", " negative review", " negative"):
        assert handlers._verdict(asked, written) == "As expected: negative"
        assert views._judged(asked, "negative", asked.template.found(written)) == (
            True,
            "as expected",
        )
    assert handlers._verdict(asked, " positive review.") == "Not as expected: negative"
    # what the answer to a prompt of the visitor's own should be, nobody knows
    assert handlers._verdict(replace(asked, edited="My own: "), " negative") == ""


def test_a_share_is_never_rounded_to_all_or_nothing():
    said = [percent(share) for share in (0, 0.004, 0.67, 0.995, 0.9996, 0.99999, 1)]
    assert said == ["0%", "0.4%", "67%", "99.5%", "99.96%", ">99.99%", "100%"]


def test_a_changed_field_rebuilds_the_prompt_and_an_edited_prompt_stays(asking):
    site = SimpleNamespace(services=asking)
    drawn = [values()[name] for name in DRAWN]

    def composed(before, **changes):
        given = values(**changes)
        return _composed(
            site, ["tiny", "tiny", *(given[name] for name in forms.FIELDS)], drawn, before
        )

    first = composed({}, field_0="What a day.")
    assert "What a day." in first["prompt"] and "What a day." in first["view"]
    assert first["expected"] == ""  # the answer that came with another input
    edited = composed(first["composed"], field_0="What a day.", expected="", prompt="My own: ")
    assert "prompt" not in edited and "My own: " in edited["view"]
    linked = composed(
        {"prompt": "of the example", "fields": None}, field_0="What a day.", prompt="My own: "
    )
    assert "prompt" not in linked and "My own: " in linked["view"]
    assert (
        "What a day!"
        in composed(linked["composed"], field_0="What a day!", prompt="My own: ")["prompt"]
    )
    rebuilt = composed(first["composed"], field_0="What a day!", expected="", prompt="My own: ")
    assert "What a day!" in rebuilt["prompt"] and "My own" not in rebuilt["prompt"]
    assert composed(first["composed"], template="of another task") == {}


def test_a_prompt_that_was_composed_is_none_that_was_edited(asking):
    given = values(prompt="Composed before.")
    sent = ["tiny", "tiny", *(given[name] for name in forms.FIELDS)]
    assert parsed(asking, sent, {"prompt": "Composed before."})[1].edited == ""
    assert parsed(asking, sent, {"prompt": "Another."})[1].edited == "Composed before."
    assert parsed(asking, sent, None)[1].edited == "Composed before."


@pytest.mark.parametrize(("length", "shown"), [(60, 60), (61, 61), (100, 61)])
def test_an_answer_stands_behind_the_end_of_its_prompt(length, shown):
    prompt = "".join(chr(ord("a") + index % 26) for index in range(length))
    tail = handlers._tail(prompt)
    assert len(tail) == shown and tail.endswith(prompt[-60:])
    assert tail.startswith("…") == (length > 60)


def test_the_scoreboard_foretells_the_rest_from_the_pace_so_far(asking, monkeypatch):
    """A clock that shows one second for every item that has been answered."""
    n_done = [0]

    def evaluate(lm, test, *, batch):
        for begin in range(0, len(test.items), batch):
            some = test.items[begin : begin + batch]
            n_done[0] += len(some)
            yield [Case(Prompt(()), "", "", 0.0, 0.0)] * len(some)

    monkeypatch.setattr(scoreboard, "evaluate", evaluate)

    def compute(_, steps):  # none ahead
        return ((made, 0.0) for made in steps)

    monkeypatch.setattr(type(asking), "compute", compute)
    clock = SimpleNamespace(perf_counter=lambda: 7.0 + n_done[0])
    monkeypatch.setattr(scoreboard, "time", clock)
    counted = scoreboard.scoreboard(asking, "v", ["tiny"], ["sentiment"], ["0", "1"], SIDE, 20)
    texts = [json.loads(view)["sections"][0]["text"] for view in counted]
    left = [float(text.split("about ")[1].split(" s left")[0]) for text in texts if "left" in text]
    assert left[0] == 36.0 and left[-1] == 0.0
    assert left == sorted(left, reverse=True)
    assert "1 items/s" in texts[0] and texts[-1] == "40 items in 40.0 s"
