"""Ways to put a task: examples, reasons, another language, all sampling controls, GPT-2's prompts,
recorded scores.
"""

import json
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from test_zero_shot_handlers import asked, values

from gptcore.errors import GPTCoreError
from gptcore.zero_shot import TASKS
from gptcore.zero_shot.items import examples
from gptcore.zero_shot.tasks import GPT2_PROMPTS
from ui import links
from ui.lenses.zero_shot.handlers import form as forms
from ui.lenses.zero_shot.handlers import recorded, views
from ui.lenses.zero_shot.models import scoreboard


def test_ways_of_asking_are_asked_greedily(asking):
    *_, last = views.ways_of_asking(asking, "v", "tiny", asked(values("arithmetic")))
    ways = json.loads(last)["ways"]
    assert [way["title"] for way in ways] == [
        "Zero-shot: no example", "Few-shot: 3 examples", "Few-shot with reasons: 3 examples",
        "Chain of thought: no example",
    ]  # fmt: skip
    assert ways[1]["parts"][0]["kind"] == "example" and ways[3]["parts"][-1]["text"].endswith(
        "step by step."
    )
    *_, last = views.ways_of_asking(asking, "v", "tiny", asked(values("translate")))
    assert (
        "no chain of thought"
        in json.loads(last)["ways"][2]["message"]
        == json.loads(last)["ways"][3]["message"]
    )


def test_the_translation_task_takes_another_language(services):
    given = forms.in_language(values("translate"), "Translate English to French", "German")
    assert given["instruction"] == "Translate English to German:" and "French" not in given["body"]
    for language, said in (("", "empty"), ("<b>", "English name"), (7, "must be text")):
        with pytest.raises(GPTCoreError, match=said):
            forms.in_language(values("translate"), "Translate English to French", language)
    with pytest.raises(GPTCoreError, match="Only the translation"):
        forms.in_language(values("sentiment"), "Classify", "German")


def test_every_sampling_control_reaches_the_answer(services):
    given = values("story", temperature=0.5, top_k=7, top_p=0.8, min_p=0.1, repetition_penalty=1.3)
    found = asked({**given, "no_repeat_ngram_size": 3, "min_new_tokens": 4}).settings
    assert (found.top_k, found.top_p, found.min_p, found.repetition_penalty) == (7, 0.8, 0.1, 1.3)
    assert (found.temperature, found.no_repeat_ngram_size, found.min_new_tokens) == (0.5, 3, 4)


def test_gpt2s_prompts_fill_in_the_form_and_name_their_source():
    rows = json.loads(scoreboard.gpt2_prompts())["sections"][0]["rows"]
    assert len(rows) == len(GPT2_PROMPTS) >= 5
    for row, item in zip(rows, GPT2_PROMPTS, strict=True):
        link = dict(parse_qsl(row[-1]["to"]))
        task = TASKS[link["task"]]
        assert task.template(link["template"]) is not None and row[4]
        assert link["field_0"] == next(iter(item.values.values()))
        assert links.read(link, 100)["task"] == item.task


def test_each_of_ways_of_asking_names_its_own_source_and_says_plainly_what_is_wrong(asking):
    given = values("arithmetic")
    given |= forms.with_template(given, "What is")
    *_, last = views.ways_of_asking(asking, "v", "tiny", asked(given))
    ways = json.loads(last)["ways"]
    assert (
        "GPT-3" in ways[0]["source"]
        and "Wei" in ways[2]["source"]
        and "Kojima" in ways[3]["source"]
    )
    assert all(way["verdict"].startswith(("as expected", "not as expected")) for way in ways)


def test_recorded_scores_are_bars_with_their_intervals():
    for section in json.loads(recorded.recorded())["sections"]:
        assert len(section["bars"]) == len(section["rows"])
        labels = [bar["label"] for bar in section["bars"]]
        assert len(set(labels)) == len(labels), sorted(
            {label for label in labels if labels.count(label) > 1}
        )
        assert all(
            0 <= bar["low"] <= bar["value"] + 1e-9 <= bar["high"] + 1e-6 <= 1 + 2e-6
            for bar in section["bars"]
        )
        # A bar says what the table says, and a score short of all is never "100%".
        column = next(
            index for index, name in enumerate(section["columns"]) if name in ("score", "right")
        )
        assert [bar["says"] for bar in section["bars"]] == [row[column] for row in section["rows"]]
        assert all(bar["says"] != "100%" for bar in section["bars"] if bar["value"] < 1)


def test_beside_an_answer_stands_how_often_what_people_wrote_was_right(services):
    row = next(row for row in recorded.hand_written("world") if row["task"] == "question")
    said = recorded.expected_of("world", "question")
    assert said.startswith("On inputs that people wrote for this task, world gets ")
    assert f"gets {round(row['score'] * 40)} of 40 right (95% range " in said
    assert recorded.expected_of("mini", "question") == recorded.expected_of("world", "story") == ""
    nobody = "There are no hand-written inputs for this task. On generated ones, world gets"
    assert recorded.expected_of("world", "fact").startswith(nobody)
    assert "With words that it has never seen in this task it gets" in recorded.expected_of(
        "world", "analogy"
    )


def test_facts_from_memory_are_not_called_held_out():
    own = json.loads(recorded.recorded())["sections"][1]
    said = {(row[1], row[3]): row[2] for row in own["rows"]}
    assert said["Answer from memory", "Q and A"] == "nothing: it has read these facts"
    assert said["Answer from memory", "Ask and reply (held out)"] == "this template"
    assert said["Sentiment", "Review and sentiment"] != "nothing: it has read these facts"
    assert "The one exception is facts from memory: it has read those" in own["text"]


def test_reasons_are_shown_where_the_examples_have_some(asking):
    form = replace(asked(values("arithmetic")), examples=tuple(examples("arithmetic", 2)))
    *_, last = views.ways_of_asking(asking, "v", "tiny", form)
    ways = {way["title"]: way for way in json.loads(last)["ways"]}
    few = next(title for title in ways if title.startswith("Few-shot:"))
    reasoned = few.replace("Few-shot", "Few-shot with reasons")
    assert "message" not in ways[reasoned] and "message" not in ways[few]
    bare = replace(form, examples=tuple(replace(item, steps="") for item in form.examples))
    *_, last = views.ways_of_asking(asking, "v", "tiny", bare)
    ways = {way["title"]: way for way in json.loads(last)["ways"]}
    assert "None of the examples has steps" in ways[reasoned]["message"]
