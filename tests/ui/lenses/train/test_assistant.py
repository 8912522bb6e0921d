"""From a language model to an assistant on the page: both stages, the audience's choices, and the
comparison.
"""

import json
import math
import re
from dataclasses import replace

import pytest
import torch
from test_runs import finished

from gptcore.errors import GPTCoreError
from gptcore.finetuning.preference import DirectPreference
from ui.lenses.train.handlers import answering, assistant
from ui.lenses.train.handlers.assistant import IGNORED_TARGET, AssistantForm, assistant_form
from ui.runs.dataset_cache import completed
from ui.runs.run_json import facts_json
from ui.shared.fields import fields_of
from ui.state.limits import Limits

FORM = AssistantForm(length="30")


def shortened(plan, n=3):
    """A plan of so many updates, by batches of two."""
    config = replace(plan.facts.config, time_budget=None, max_steps=n, precision="fp32")
    plan.data.batch_size = 2
    return replace(plan, facts=replace(plan.facts, config=config))


@pytest.fixture(scope="module")
def taught(bundled):
    """A workspace on which stage 1 has ended."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(assistant, "_N_INSTRUCTIONS", 300)
        patched.setattr(assistant, "_HELD_OUT", 12)
        plan = shortened(assistant.teaching_plan(bundled, bundled.models.get("mini"), FORM))
    return finished(bundled.run_manager.start(None, plan))


@pytest.mark.slow
def test_instructions_are_learned_on_the_answers_alone(bundled, taught):
    facts = taught.current.facts
    assert (
        facts.kind == "instructions"
        and facts.tuned
        and "The loss counts only the answers" in facts.note
    )
    assert {*facts.settings} >= {"each stage", "seed"} and 0.1 < facts.tokens_per_character < 0.6
    asked = re.search(r"^([\d,]+) examples, .* ([\d,]+) ask for a single sentence", facts.note)
    assert (
        asked is not None
        and 0.2 < int(asked[2].replace(",", "")) / int(asked[1].replace(",", "")) < 0.4
    )
    assert facts.prompt.endswith("Assistant:") and math.isfinite(taught.current.final_loss)
    assert assistant.stage(taught, "instructions") is taught.current
    assert assistant.stage(taught, "preferences") is None
    json.dumps(facts_json(facts))


@pytest.mark.slow
def test_an_audience_s_choices_are_kept_with_the_workspace_and_learned_from(
    bundled, taught, monkeypatch
):
    seen = answering.duel(bundled, {"workspace": taught.id, "chosen": None, "number": None})
    assert seen is not None and len(seen["answers"]) == 2 and seen["chosen"] == 0
    prompts = {seen["prompt"]}
    for chosen in range(1, 5):
        seen = answering.duel(
            bundled, {"workspace": taught.id, "chosen": chosen % 2, "number": seen["number"]}
        )
        assert seen["chosen"] == chosen
        prompts.add(seen["prompt"])
    assert len(prompts) > 2
    late = answering.duel(
        bundled, {"workspace": taught.id, "chosen": 0, "number": seen["number"] - 1}
    )
    assert late["chosen"] == 4  # of a question that is gone
    assert seen["gone"] == 0
    pair = taught.choices.pairs[0]
    assert pair.better.prompt == pair.worse.prompt and pair.better.answer != pair.worse.answer
    plan = assistant.preference_plan(
        bundled, bundled.models.get("mini"), taught.choices.pairs, FORM, note="four"
    )
    assert isinstance(plan.objective(None), DirectPreference)
    assert plan.facts.lines == {"uniform": math.log(2)}
    # few pairs are read often
    assert plan.facts.config.max_steps == 40 and plan.facts.config.warmup_steps == 4
    monkeypatch.setattr(assistant, "_LEAST_UPDATES", 4)
    assert assistant.prefer(bundled, taught.id, FORM, by_audience=True) is taught
    finished(taught)
    after = assistant.stage(taught, "preferences")
    # with the answers' own loss beside it
    assert after is not None and after.curve.rows[0][1] < math.log(2) + 3
    taught.choices.model = "a run before"
    again = answering.duel(bundled, {"workspace": taught.id, "chosen": None, "number": None})
    assert (again["chosen"], again["gone"]) == (0, 4)
    views = list(answering.compare(bundled, "v", taught.id, "mini", assistant.PROMPTS[0]))
    assert views[-1][3].count("of 3 requested words") == 3
    assert all(any(view[index] for view in views) for index in range(3))


@pytest.mark.slow
def test_the_model_s_own_answers_are_paired_by_the_rule(bundled, monkeypatch):
    monkeypatch.setattr(assistant, "ASKED", 3)
    monkeypatch.setattr(assistant, "_ANSWER_TOKENS", 12)
    steps = assistant.write_preferences(bundled.models.get("mini"), FORM)
    told = list[str]()
    with pytest.raises(StopIteration) as ended:
        while True:
            told.append(next(steps))
    assert (
        "It answers 3 instructions 4 times each: 3 done" in told[-1] and len(ended.value.value) <= 3
    )


def test_stage_2_needs_stage_1_and_enough_pairs(bundled):
    with pytest.raises(GPTCoreError, match="press “1 · Teach it to answer” first"):
        assistant.prefer(bundled, "nobody", FORM, by_audience=False)
    with pytest.raises(GPTCoreError, match="There are 0 pairs"):
        assistant.preference_plan(bundled, bundled.models.get("mini"), [], FORM, note="")


def test_a_stage_is_no_longer_than_the_server_allows():
    assert (
        assistant_form(
            {"stories": "", "length": "120", "seed": 1}, Limits(training_seconds=60.0)
        ).seconds
        == 60.0
    )


def test_stories_of_one_s_own_take_the_place_of_the_bundled_ones(bundled):
    with pytest.raises(GPTCoreError, match="give more texts"):
        assistant.teaching_plan(
            bundled, bundled.models.get("mini"), replace(FORM, stories="One. Two.")
        )
    with pytest.raises(GPTCoreError, match=r"characters|does not"):
        assistant.teaching_plan(bundled, bundled.models.get("induction"), FORM)


@pytest.mark.parametrize(
    "text",
    ["The fox ran home. " * 5_000, "word " * 20_000, "x" * 100_000, "It rained. \r\n\r\n" * 9],
)
def test_long_stories_are_cut_and_nothing_is_lost(text):
    stories = assistant._stories(text)
    assert max(map(len, stories)) <= assistant._LONGEST_STORY
    assert "".join("".join(stories).split()) == "".join(text.split())
    if text.startswith("The"):
        assert len(stories) > 40 and all(
            story.startswith("The fox") and story.endswith("home.") for story in stories
        )


def test_the_bundled_stories_are_whole():
    stories = assistant.bundled_stories()
    assert f"{len(stories):,} stories by mini" in fields_of(AssistantForm)["stories"].info
    assert all(story.rstrip().endswith((".", "!", "?", '"')) for story in stories)


def test_each_model_that_there_is_answers_the_question(taught, bundled):
    question = "Write a story with the words: cat, hat, bed."
    parts = list(answering.compare(bundled, None, taught.id, "mini", question))
    ends = ["", "", "", ""]
    for part in parts:
        ends = [old if new is None else new for old, new in zip(ends, part, strict=True)]
    assert ends[0] and ends[1]
    counted = r"\d of 3 requested words in \d+\."
    assert re.match(rf"Before: {counted} After 1: {counted}", ends[3])


def test_the_loss_of_answers_is_a_mean_over_their_tokens(monkeypatch, tiny_lm):
    model = tiny_lm.model
    examples = [list(range(5, 8 + n)) for n in range(11)]  # more than are read together

    def padded(rows):
        longest = max(map(len, rows))
        given = torch.zeros(len(rows), longest, dtype=torch.long)
        targets = torch.full((len(rows), longest), IGNORED_TARGET)
        for index, row in enumerate(rows):
            given[index, : len(row)] = torch.tensor(row)
            targets[index, 1 : len(row)] = torch.tensor(row[1:])
        return given, targets

    monkeypatch.setattr(assistant, "padded_answers", padded)
    each = [(len(row) - 1, float(model(*padded([row])).loss)) for row in examples]
    expected = sum(n * loss for n, loss in each) / sum(n for n, _ in each)
    scoring = assistant._answers_loss(model, examples)
    assert completed(scoring) == pytest.approx(expected, rel=1e-4)
