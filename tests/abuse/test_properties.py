"""What holds for every input: parsers answer or say why not, codecs come back, sampling stays a
distribution.
"""

import math
from typing import Any

import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from gptcore.errors import GPTCoreError
from gptcore.inference.sampling import candidates, sample, uniform_number
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import StopMatcher
from gptcore.inference.token import GeneratedToken
from gptcore.tokenizers import ByteBPE
from helpers import CONTROLS
from ui import links
from ui.forms import FIELDS
from ui.lenses.zero_shot.handlers import form as zero_shot
from ui.shared.inputs import writing_form
from ui.state.limits import Limits

settings.register_profile("ours", deadline=None, max_examples=150, derandomize=True)
settings.load_profile("ours")

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
LIMITS = Limits()
BPE = ByteBPE.train(
    ["the cat sat on the mat, and the dog ran to the cat. " * 4, "naïve café 😀"], vocab_size=285
)


def some_of(values: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The values with a few of them replaced by anything."""
    return st.dictionaries(st.sampled_from(sorted(values)), JSON, max_size=3).map(
        lambda changed: {**values, **changed}
    )


@given(some_of(CONTROLS))
def test_the_writing_form_is_parsed_or_refused_with_a_sentence(values):
    try:
        form = writing_form(values, LIMITS)
    except GPTCoreError as error:
        assert 10 < len(str(error)) < 600
    else:
        assert 1 <= form.max_new_tokens <= LIMITS.max_new_tokens and math.isfinite(
            form.sampling.temperature
        )


@given(some_of(zero_shot.defaults("sentiment")))
def test_the_zero_shot_form_is_parsed_or_refused_with_a_sentence(values):
    try:
        form = zero_shot.task_form(values, LIMITS)
    except GPTCoreError as error:
        assert 10 < len(str(error)) < 900
    else:
        assert form.max_new_tokens >= 1


@given(
    st.dictionaries(
        st.sampled_from([*FIELDS, "tab", "embed", "exercise", "prompt", "text", "model", "x"]),
        TEXTS,
    )
)
def test_links_give_only_what_is_known_and_what_its_field_takes(query):
    found = links.read(query, 200)
    for name, value in found.items():
        if name in FIELDS:
            assert FIELDS[name].check(value) == value
        elif name in ("tab", "exercise"):
            assert value in (query.get(name), query.get("embed"))
        else:
            assert query[name].startswith(value)
    assert "x" not in found
    written = {
        name: FIELDS[name].written(value) if name in FIELDS else value
        for name, value in found.items()
    }
    assert links.read(written, 200) == found


@given(TEXTS)
def test_bytes_come_back_through_any_tokens(text):
    ids = BPE.encode(text)
    assert BPE.decode(ids) == text and all(0 <= token < BPE.vocab_size for token in ids)


@given(
    st.lists(st.floats(-50, 50, width=32), min_size=2, max_size=40),
    st.floats(0, 3),
    st.none() | st.integers(1, 40),
    st.none() | st.floats(0.01, 1),
    st.none() | st.floats(0.0, 0.99),
    st.integers(0, 2**31),
)
def test_what_may_be_chosen_is_a_distribution_over_tokens_of_the_vocabulary(
    logits, temperature, k, p, low, seed
):
    settings_ = SamplingSettings(
        temperature=temperature, top_k=k and min(k, len(logits)), top_p=p, min_p=low
    )
    choices = candidates(torch.tensor(logits), settings_)
    chances = choices.probabilities
    assert (
        1
        <= len(choices.ids)
        <= len(logits)
        == len(set(range(len(logits))) | set(choices.ids.tolist()))
    )
    assert float(chances.sum()) == pytest.approx(1, abs=1e-5) and bool((chances >= 0).all())
    assert max(logits[i] for i in choices.ids.tolist()) >= max(logits) - 1e-4  # rounding makes ties
    assert (
        0 <= sample(choices, uniform_number(torch.Generator().manual_seed(seed))) < len(choices.ids)
    )


@given(
    st.lists(st.text("abc", max_size=3), max_size=20),
    st.lists(st.text("abc", min_size=1, max_size=4), max_size=3),
    st.text("abc", max_size=5),
)
# begun in a text that is shorter, at once and after a token
@example(["ca"], ["abca"], "ab")
@example(["c", "a", "b"], ["abcab"], "ab")
def test_nothing_of_a_stop_string_is_shown_and_all_before_it_is(pieces, stops, written):
    assume(not any(stop in written for stop in stops))  # it would have ended there
    matcher = StopMatcher(stops, written)
    shown = ""
    cut = None
    for number, piece in enumerate(pieces):
        token = GeneratedToken(number, piece, -1.0, 1, 1.0, 1, (), 0)
        tokens, cut = matcher.push(token)
        shown += "".join(item.text for item in tokens)
        if cut is not None:
            break
    shown += "".join(item.text for item in matcher.flush())
    whole = written + "".join(pieces)
    ends = [whole.find(stop) for stop in stops if stop in whole]
    assert (cut is not None) == bool(ends)
    assert not any(stop in written + shown for stop in stops) and whole.startswith(written + shown)
    if not ends:
        assert written + shown == whole
