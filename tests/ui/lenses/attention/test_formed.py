"""When a preference formed: every moment's numbers are those of that moment's weights."""

import json

import pytest
import torch

from ui.lenses.attention.handlers import formed
from ui.shared.formed import conclusion

TEXT = "Tom saw a zebra. Tom gave food to the"


def test_every_moment_is_that_moment_s_model(bundled):
    lm = bundled.models.get("mini")
    word, rival = (lm.tokenizer.encode(one)[0] for one in (" zebra", " lion"))
    found = json.loads(formed.formed(bundled, {"model": "mini", "text": TEXT, "word": word, "rival": rival}))
    assert found["steps"] == [0, 8, 32, 128, 512, 2048, 8192, 11181, None]
    ids = torch.tensor([lm.tokenizer.encode(TEXT)])
    for place, name in ((0, "mini@0"), (4, "mini@512"), (8, "mini")):
        logits = bundled.models.get(name).model(ids).logits[0, -1].detach()
        assert found["total"][place] == pytest.approx(float(logits[word] - logits[rival]), abs=2e-3), name
    assert all(len(part["values"]) == 9 for part in found["parts"]) and len(found["parts"]) == 6
    assert found["said"].startswith("It came to prefer “zebra” rather than “lion” between update")
    later = json.loads(formed.formed(bundled, {"model": "mini", "text": TEXT, "word": rival, "rival": word}))
    assert later["total"] == [-one for one in found["total"]] and "“zebra” rather than “lion”" in later["said"]


def test_a_model_without_moments_says_nothing(bundled):
    bundled.models.get("world")
    found = formed.formed(bundled, {"model": "world", "text": TEXT, "word": 1, "rival": 2})
    assert json.loads(found)["message"].startswith("No earlier moments")


def test_the_words_follow_the_numbers():
    pair, steps = [" a", " b"], [0, 8, 32, None]
    parts = [{"name": "head 5.4", "values": [0.0, 0.1, 2.0, 3.0]}, {"name": "biases", "values": [0.0, 1.0, 1.0, 1.0]}]
    assert conclusion(parts, [-0.1, 0.6, 2.0, 4.0], steps, pair) == (
        "It came to prefer “a” rather than “b” between update 0 and 8; its main source, head 5.4 (+3.0), took "
        "over between update 8 and 32."
    )
    assert "took over between update 32 and the end" in conclusion(
        [{"name": "head 5.4", "values": [0.0, 2.0, 0.2, 3.0]}], [0.1, 0.5, 2.0, 4.0], steps, pair
    )
    assert "between update 0 and 8" not in conclusion(parts, [-0.1, 0.4, 2.0, 4.0], steps, pair)  # 0.4 is hardly
    assert conclusion(parts, [1.0, 1.0, 1.0, 1.0], steps, pair).startswith(
        "It preferred “a” rather than “b” from the beginning"
    )
    assert conclusion(parts, [0, 0, 0, 0.1], steps, pair).startswith("Nothing stands out")
    assert "“b” rather than “a”" in conclusion(parts, [0, 0, 0, -3.0], steps, pair)
