"""What a run comes to prefer, and by which parts: at every snapshot the logits' difference itself."""

import numpy as np
import pytest
from test_runs import TEXT, finished, plan_of

from gptcore.inference.generation import last_logits
from ui.lenses.train.handlers import watching
from ui.lenses.train.handlers.plan import preference_in
from ui.runs.saved_runs import read_run, write_run


@pytest.mark.parametrize("corpus", ["own", "repeated"])
def test_every_snapshot_splits_the_preference_of_its_own_model(services, corpus):
    made = plan_of(services, **({} if corpus == "own" else {"corpus": "repeated", "n_positions": 32}))
    asked = made.watched.preference
    assert asked is not None and asked.token != asked.rival
    workspace = finished(services.run_manager.start(None, made))
    record = workspace.current
    found = watching.formed(services, {"workspace": workspace.id, "run": record.id})
    looks = record.observations
    assert found is not None and found["steps"] == [look.step for look in looks] and len(looks) > 1
    logits = last_logits(record.language_model.model, asked.before)
    assert found["total"][-1] == pytest.approx(float(logits[asked.token] - logits[asked.rival]), abs=1e-2)
    for look, total in zip(looks, found["total"], strict=True):
        assert float(look.attribution.values.sum()) == pytest.approx(total, abs=1e-2)
    assert found["total"][0] != found["total"][-1]
    before, word, rival = record.facts.preference
    assert found["said"].startswith(f"After “{before}”") and (word in found["said"] or rival in found["said"])
    again = read_run(write_run(record), None)
    assert again.facts.preference == record.facts.preference
    assert again.observations[-1].attribution.total == pytest.approx(found["total"][-1], abs=1e-2)


def test_a_run_that_has_no_such_split_says_nothing(services):
    made = plan_of(services, trick="post_norm")
    assert made.watched.preference is None and made.facts.preference == ()
    workspace = finished(services.run_manager.start(None, made))
    assert watching.formed(services, {"workspace": workspace.id, "run": workspace.current.id}) is None


def test_what_is_preferred_stands_inside_a_word(services):
    tokenizer = plan_of(services).tokenizer
    train = np.array(tokenizer.encode(TEXT))
    found = preference_in(tokenizer, tokenizer.encode("the cat. "), train)
    assert found is not None and tokenizer.decode([*found.before, found.token]) == "the cat"
    assert tokenizer.decode([found.rival]) == " "
    assert preference_in(tokenizer, tokenizer.encode(". . "), train) is None
