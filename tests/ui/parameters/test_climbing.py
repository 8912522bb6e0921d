"""The ladder from bigram to GPT, run again on the page."""

import json

import numpy as np
import pytest

from gptcore.errors import GPTCoreError
from gptcore.training.ancestors import climb
from ui.handlers.parameters import climbing

SENTENCE = np.frombuffer(b"the cat sat on the mat and the dog ran to the cat. " * 40, dtype=np.uint8) % 32


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(climbing, "_texts", lambda: (SENTENCE, SENTENCE[:400], 32))
    monkeypatch.setattr(climbing, "UPDATES", (5, 100))


def sections(sheets):
    return [json.loads(sheet)["sections"][0] for sheet in sheets]


def test_every_model_is_trained_and_stands_beside_what_was_recorded(services):
    last = sections(climbing.again(services, "v", 5))[-1]
    assert last["title"] == "Run again here: done" and last["rows"][0][0].startswith("bigram")
    assert [row[2] for row in last["rows"]] == [32 * 32, 12_962, 77_368, 275_712, 803_584]
    lowest = min(last["rows"], key=lambda row: float(row[3]))
    assert last["text"].endswith(f"Lowest so far: {lowest[0]}, {lowest[3]}.")
    assert all(0 < float(row[3]) < 5 and 1 < float(row[4]) < 3 for row in last["rows"])


def test_a_stop_keeps_what_is_done(services):
    found = []
    for sheet in climbing.again(services, "v", 100):
        found.append(sheet)
        if "WaveNet on 8 characters: update" in sheet:
            services.sessions.get("v").stop()
    last = sections(found)[-1]
    assert last["title"].endswith("stopped; what is done is kept")
    assert [bool(row[3]) for row in last["rows"]] == [True, True, False, False, False]


@pytest.mark.slow
def test_the_same_run_gives_the_same_losses():
    first, again = ([rung.loss for rung in climb(SENTENCE, SENTENCE[:400], 32, 3)] for _ in range(2))
    assert first == pytest.approx(again, abs=1e-4)


@pytest.mark.parametrize("updates", [0, 7, "many", None, [5], 5.0, float("nan"), True, "9" * 5000])
def test_another_number_of_updates_is_refused_with_the_choice(services, updates):
    with pytest.raises(GPTCoreError, match="choose 5, 100"):
        list(climbing.again(services, "v", updates))
