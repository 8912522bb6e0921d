"""What happens just at a limit, where a comparison that is off by one would show."""

import json
from types import SimpleNamespace

from helpers import form
from ui.compute.admission import AdmissionQueue, Place
from ui.lenses.train.events import remembering
from ui.lenses.train.handlers.assistant import _stories


def test_a_speed_of_one_token_a_second_is_a_speed():
    assert form(tokens_per_second=1).tokens_per_second == 1
    assert form(tokens_per_second=0).tokens_per_second == 0


def test_a_story_of_two_thousand_characters_is_one_and_a_longer_one_is_cut_after_a_sentence():
    sentence = "a" * 999 + "."
    assert _stories(2 * sentence) == [2 * sentence]
    assert _stories(2 * sentence + "b") == [2 * sentence, "b"]
    assert _stories("c" * 2001) == ["c" * 2000, "c"]


def test_a_run_remembers_its_form_but_for_a_text_of_two_hundred_thousand_characters():
    run = SimpleNamespace(id="r", form=None)
    workspace = SimpleNamespace(id="w", current=run)
    values = {"steps": 300_000, "short": "x" * 199_999, "long": "x" * 200_000}
    assert json.loads(remembering("scratch", values, workspace)) == {"workspace": "w", "run": "r"}
    assert run.form == ("scratch", {"steps": 300_000, "short": values["short"]})
    workspace.current = None
    assert json.loads(remembering("scratch", values, workspace)) == {"workspace": "w", "run": None}


def test_the_time_left_is_the_mean_of_the_texts_before_shared_by_those_that_go_at_once():
    now = [0.0]
    admission = AdmissionQueue(2, clock=lambda: now[0])
    with (
        admission.enter() as first,
        admission.enter() as second,
        admission.enter() as third,
        admission.enter() as fourth,
        admission.enter() as fifth,
    ):
        now[0] = 4.0
        first.leave()
        now[0] = 12.0
        second.leave()
        assert third.admitted and fourth.admitted
        assert next(fifth.waiting()) == Place(0, 4.0)  # 4 and 12 seconds, two at once
