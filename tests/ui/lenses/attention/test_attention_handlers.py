"""The Attention tab's handlers on a tiny model, without Gradio."""

import base64
import io
import json
import zlib

import numpy as np
import pytest
import torch

import gptcore
from gptcore import LanguageModel
from gptcore.analysis import without_first_key
from gptcore.errors import GPTCoreError
from helpers import form
from tiny import make_model
from ui.endpoints import ENDPOINTS
from ui.lenses.attention.handlers import codec, maps
from ui.lenses.attention.handlers.maps import IN_FRONT, RAW, WITHOUT_FIRST
from ui.lenses.attention.layers import lens
from ui.lenses.attention.pair import difference as compare
from ui.lenses.generate.write import writing
from ui.shared.own_text import readable_text
from ui.state.attention_cache import AttentionCache

TEXT = "the cat sat on the mat and the dog"
READ = maps.AttentionForm("tiny", TEXT, RAW, "end")


def look(services, text=TEXT, mode=RAW, keep="end"):
    return json.loads(
        list(maps.views(services, None, maps.AttentionForm("tiny", text, mode, keep)))[-1].value
    )


def decoded(text, n, dtype, top):
    codes = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=dtype)
    values = np.zeros((n, n))
    values[np.tri(n, dtype=bool)] = codes / top
    return values


def thumbs_of(value):
    """The thumbnails as floats [L * H, side, side], read as the page reads them."""
    packed = np.frombuffer(zlib.decompress(base64.b64decode(value["thumbs"])), dtype=np.uint8)
    codes = np.stack([packed & 15, packed >> 4], axis=1).reshape(-1)
    n = value["side"]
    heads = value["L"] * value["H"]
    triangle = np.tri(n, dtype=bool)
    out = np.zeros((heads, n, n))
    for head in range(heads):
        out[head][triangle] = codes[head * triangle.sum() : (head + 1) * triangle.sum()]
    return out


def test_the_first_look_comes_without_the_random_scores_and_then_with_them(services):
    first, second = (json.loads(seen.value) for seen in maps.views(services, None, READ))
    assert first["random"] is None and len(second["random"]["induction"]) == 2
    assert len(list(maps.views(services, None, READ))) == 1
    assert (second["L"], second["H"], second["causal"]) == (2, 4, True) and "".join(
        second["tokens"]
    ) == TEXT
    assert all(len(row) == 4 for name in second["scores"] for row in second["scores"][name])
    layer, head = second["start"]
    assert 0 <= layer < 2 and 0 <= head < 4


def test_thumbnails_and_exact_maps_are_the_models_attention(services, tiny_lm):
    value = look(services)
    T = len(value["tokens"])
    patterns = gptcore.attention_patterns(tiny_lm.model, value["ids"]).cpu().numpy()
    assert value["side"] == T
    # 4 bits on a square-root scale: half a step of 1/15.
    np.testing.assert_allclose(
        thumbs_of(value).reshape(2, 4, T, T) / 15, np.sqrt(patterns), atol=1 / 30 + 1e-4
    )
    for layer, head in ((0, 0), (1, 3)):
        reply = maps.head_map(
            services, {"key": value["key"], "layer": layer, "head": head, "mode": RAW}
        )
        np.testing.assert_allclose(
            decoded(reply, T, "<u2", 65534), patterns[layer, head], atol=2e-5
        )


def test_a_long_text_keeps_its_peaks_in_small_thumbnails():
    maps = np.zeros((1, 150, 150), np.float32)
    maps[0, np.arange(150), np.maximum(0, np.arange(150) - 1)] = 1
    collected = codec.Thumbnails(n_maps=1, causal=True, signed=False)
    collected.add(maps)
    assert collected.side == 50
    small = thumbs_of({"thumbs": collected.packed(), "side": 50, "L": 1, "H": 1})[0]
    assert (small[np.arange(50), np.arange(50)] == 15).all()


def test_a_long_difference_keeps_in_each_cell_what_is_farthest_from_0_with_its_sign():
    maps = np.zeros((1, 150, 150), np.float32)
    maps[0, 10, 3:6] = (-1.0, 0.25, 0.0)
    maps[0, 100, 30:33] = (-0.25, 1.0, 0.0)
    collected = codec.Thumbnails(n_maps=1, causal=True, signed=True)
    collected.add(maps)
    small = thumbs_of({"thumbs": collected.packed(), "side": 50, "L": 1, "H": 1})[0]
    assert (small[3, 1], small[33, 10], small[20, 4]) == (1, 15, 8)


def test_the_sink_modes_are_what_they_say(services, tiny_lm):
    plain = look(services)
    front = look(services, mode=IN_FRONT)
    without = look(services, mode=WITHOUT_FIRST)
    assert front["ids"] == [tiny_lm.tokenizer.end_id, *plain["ids"]]
    # the true sink share stays
    assert without["key"] == plain["key"] and without["scores"] == plain["scores"]
    T = len(plain["tokens"])
    reply = maps.head_map(
        services, {"key": without["key"], "layer": 1, "head": 2, "mode": WITHOUT_FIRST}
    )
    shown = decoded(reply, T, "<u2", 65534)
    expected = without_first_key(
        gptcore.attention_patterns(tiny_lm.model, plain["ids"])[1, 2]
    ).numpy()
    assert shown[0, 0] > 1 and np.isnan(expected[0]).all()  # 65535: not available
    np.testing.assert_allclose(shown[1:], expected[1:], atol=3e-5)


def test_the_three_steps_end_in_the_map_and_the_arithmetic_adds_up(services, tiny_lm):
    value = look(services)
    key = value["key"]
    T = len(value["tokens"])
    weights = gptcore.attention_patterns(tiny_lm.model, value["ids"])[1, 0].cpu().numpy()
    reply = maps.steps(services, {"key": key, "layer": 1, "head": 0, "mode": RAW})
    raw = np.frombuffer(zlib.decompress(base64.b64decode(reply["scores"])), dtype="<f4").reshape(
        T, T
    )
    masked = np.where(np.tri(T, dtype=bool), raw, -np.inf)
    softmax = np.exp(masked - masked.max(-1, keepdims=True))
    np.testing.assert_allclose(softmax / softmax.sum(-1, keepdims=True), weights, atol=1e-5)
    made = maps.arithmetic(
        services, {"key": key, "layer": 1, "head": 0, "mode": RAW, "row": 5, "column": 2}
    )
    assert len(made["dots"]) == 6 and made["width"] == 8
    assert sum(made["products"]) == pytest.approx(made["dots"][2], rel=1e-4)
    assert made["scores"][2] == pytest.approx(made["dots"][2] / 8**0.5, rel=1e-4)
    assert sum(made["exps"]) == pytest.approx(made["sum"], rel=1e-4)
    np.testing.assert_allclose(made["weights"], weights[5, :6], atol=1e-5)
    future = {"key": key, "layer": 1, "head": 0, "mode": RAW, "row": 2, "column": 5}
    assert maps.arithmetic(services, future) is None


@pytest.mark.parametrize(
    ("text", "mode", "keep", "said"),
    [
        ("", RAW, "end", "text is empty"),
        ("t", RAW, "end", "single token"),
        (None, RAW, "end", "must be text"),
        ("x" * 501, RAW, "end", "501 characters"),
        (TEXT, "sideways", "end", "sink mode is 'sideways'"),
        (TEXT, RAW, "middle", "beginning or end"),
        (TEXT, None, "end", "sink mode"),
        ("\ud800 x", RAW, "end", "surrogate"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_views_place(services, text, mode, keep, said):
    assert said in look(services, text, mode, keep)["message"]


def test_a_text_that_is_too_long_keeps_the_end_that_was_chosen_and_says_so(services, tiny_lm):
    long = "the cat sat. " * 20
    ids = tiny_lm.tokenizer.encode(long)
    assert len(ids) > 40
    for keep, kept in (("end", ids[-32:]), ("beginning", ids[:32])):
        value = look(services, long, keep=keep)
        assert value["ids"] == kept
        assert (
            f"The text has {len(ids)} tokens and this model reads 32: the {keep} is shown"
            in value["note"]
        )
    assert len(look(services, long, IN_FRONT)["ids"]) == 32
    assert list(maps.views(services, None, maps.AttentionForm("tiny", long, RAW, "end")))[-1].cut


def test_a_model_without_an_end_of_text_token_says_so(services, monkeypatch):
    lm = gptcore.load("induction")
    monkeypatch.setattr(services.models, "get", lambda *_: lm)
    assert "no end-of-text token" in look(services, "abc abc", IN_FRONT)["message"]
    assert "not ','" in look(services, "a, b")["message"]
    assert readable_text(lm).startswith("the cat")


def test_generated_tokens_are_read_as_they_were_made(services):
    values = form(temperature=1.5, min_new_tokens=10, max_new_tokens=10)
    list(writing.write(services, "visitor", "tiny", "the cat", values))
    document = services.sessions.get("visitor").document
    text = services.models.get("tiny").tokenizer.decode(document.ids)
    seen = maps.read(services, "visitor", maps.AttentionForm("tiny", text))
    assert seen.kept.reading.token_ids == document.ids


def test_a_text_is_read_once_and_readings_make_room(tiny_lm):
    reads = []
    model = make_model(tiny_lm.model.config)
    model.register_forward_pre_hook(lambda *_: reads.append(1))
    model.h[0].register_forward_pre_hook(lambda *_: reads.append(1))
    lm = LanguageModel(model, tiny_lm.tokenizer, "hooked")
    one = 8 * 2 * 32 * 10  # bytes of ten tokens
    store = AttentionCache(2 * one)
    keys = [store.read(lm, [start, *range(9)])[0] for start in (20, 20, 30, 40)]
    assert len(reads) == 3 and keys[0] == keys[1] and len(store) == 2
    labels = tuple(
        gptcore.tokenizers.describe_token(lm.tokenizer, token) for token in [40, *range(9)]
    )
    assert store.get(keys[0]) is None and store.get(keys[3]).labels == labels
    with pytest.raises(GPTCoreError, match="Shorten the text to 20 tokens"):
        store.read(lm, list(range(21)))
    other = LanguageModel(make_model(model.config, seed=5), tiny_lm.tokenizer, "hooked")
    # the name means two models: two people train the same preset
    key, reading = store.read(other, [40, *range(9)])
    assert key != keys[3] and reading is not store.get(keys[3]) is not None
    assert (
        store.read(lm, [40, *range(9)])[0] == keys[3]
        and store.read(other, [40, *range(9)])[0] == key
    )


def test_a_reading_that_nobody_looks_at_is_let_go_of(tiny_lm):
    now = [0.0]
    store = AttentionCache(1 << 30, seconds=60.0, clock=lambda: now[0])
    first, second = (store.read(tiny_lm, [start, 1, 2])[0] for start in (20, 30))
    now[0] = 50.0
    assert store.get(first) is not None
    now[0] = 70.0
    store.reap()
    assert store.get(second) is None and store.get(first) is not None
    now[0] = 140.0
    store.reap()
    assert len(store) == 0 and store.read(tiny_lm, [20, 1, 2])[0] == first


def test_files_hold_what_the_page_shows(services, tiny_lm):
    value = look(services)
    asked = {"key": value["key"], "layer": 1, "head": 2, "mode": RAW}
    patterns = gptcore.attention_patterns(tiny_lm.model, value["ids"]).cpu().numpy()

    def saved(mode: str):
        url = maps.arrays(services, {**asked, "mode": mode})
        return np.load(io.BytesIO(base64.b64decode(url.partition(",")[2])), allow_pickle=False)

    with saved(WITHOUT_FIRST) as arrays:
        rest = arrays["attention"]
        assert np.isnan(rest[..., 0, :]).all() and np.nanmax(np.abs(rest[..., 0])) == 0
        np.testing.assert_allclose(rest[..., 1:, :].sum(-1), 1, atol=1e-4)
    with saved(RAW) as arrays:
        np.testing.assert_allclose(arrays["attention"], patterns, atol=1e-5)
        assert (
            arrays["tokens"].tolist() == value["tokens"]
            and arrays["token_ids"].tolist() == value["ids"]
        )
        assert (int(arrays["layer"]), int(arrays["head"])) == (1, 2)


def test_the_difference_of_two_texts_is_the_difference_of_their_maps(services, tiny_lm):
    other = TEXT.replace("dog", "dot")
    value = json.loads(compare.compare(services, None, "tiny", TEXT, "tiny", other))
    ids = [tiny_lm.tokenizer.encode(text) for text in (TEXT, other)]
    assert len(ids[0]) == len(ids[1])
    a, b = (gptcore.attention_patterns(tiny_lm.model, item).cpu().numpy() for item in ids)
    reply = compare.head_difference(
        services, {"key": value["key"], "layer": 1, "head": 1, "mode": RAW}
    )
    np.testing.assert_allclose(
        decoded(reply, len(ids[0]), "<i2", 32767), a[1, 1] - b[1, 1], atol=5e-5
    )
    changed = 0.5 * np.abs(a - b).sum(-1).mean(-1)
    np.testing.assert_allclose(value["scores"]["changed"], changed, atol=1e-3)
    assert value["start"] == list(np.unravel_index(changed.argmax(), changed.shape))
    assert any(" / " in label for label in value["tokens"])
    same = json.loads(compare.compare(services, None, "tiny", TEXT, "tiny", TEXT))
    assert np.max(same["scores"]["changed"]) == 0
    assert same["said"] == "Nothing stands out: no head moves more than 0% of its attention."
    assert value["said"] == compare.conclusion(value["scores"]["changed"])
    said = compare.conclusion([[0.4, 0.0], [0.3, 0.01]])
    assert (
        said
        == "Attention moves most in L0H0 (40%) and L1H0 (30%); in the median head, 1% of it moves."
    )


def test_of_a_long_text_the_last_tokens_are_looked_at_layer_by_layer(
    services, tiny_lm, monkeypatch
):
    whole = json.loads(lens.lens(services, None, READ))
    n_tokens = len(whole["tokens"])
    for most, first in ((n_tokens, 0), (n_tokens - 1, 1), (4, n_tokens - 4)):
        monkeypatch.setattr(lens, "_MOST_POSITIONS", most)
        value = json.loads(lens.lens(services, None, READ))
        assert (value["first"], value["tokens"]) == (first, whole["tokens"][first:])
        assert value["best"] == [row[first:] for row in whole["best"]]
        assert value["known"] == [None, *whole["known"][first + 1 :]]
        said = f"The last {most} of {n_tokens} tokens are shown."
        assert (said in value["note"]) == bool(first)


def test_of_many_heads_the_thumbnails_of_a_difference_are_smaller(services, tiny_lm, monkeypatch):
    n_heads = tiny_lm.model.config.n_layer * tiny_lm.model.config.n_head
    n_tokens = len(tiny_lm.tokenizer.encode(TEXT))
    monkeypatch.setattr(codec, "_SIDE_OF_MANY", 2)
    for many, side in ((n_heads, n_tokens), (n_heads - 1, 2)):
        monkeypatch.setattr(codec, "_MANY", many)
        value = json.loads(compare.compare(services, None, "tiny", TEXT, "tiny", TEXT))
        assert value["side"] == side


def test_texts_of_different_length_and_models_of_different_shape_are_not_subtracted(
    services, monkeypatch
):
    said = json.loads(compare.compare(services, None, "tiny", TEXT, "tiny", TEXT + " ran"))[
        "message"
    ]
    assert "tokens and text B" in said and "[ the]" in said
    tiny = services.models.get("tiny")
    other = gptcore.load("mini")
    monkeypatch.setattr(services.models, "get", lambda name: {"tiny": tiny, "mini": other}[name])
    said = json.loads(compare.compare(services, None, "tiny", TEXT, "mini", TEXT))["message"]
    assert said.startswith("tiny has 2 layers of 4 heads and mini 6 of 7.")


def test_the_lens_ends_in_the_model_itself(services, tiny_lm):
    value = json.loads(lens.lens(services, None, READ))
    assert value["depths"] == ["embeddings", "layer 0", "layer 1"] and len(value["best"]) == 3
    best = tiny_lm.model(torch.tensor([tiny_lm.tokenizer.encode(TEXT)])).logits[0].argmax(-1)
    assert value["best"][-1] == [
        gptcore.tokenizers.describe_token(tiny_lm.tokenizer, int(i)) for i in best
    ]
    assert set(value["rank"][-1]) == {1}
    ids = tiny_lm.tokenizer.encode(TEXT)
    for index, depth in enumerate(value["known"][1:]):
        label = gptcore.tokenizers.describe_token(tiny_lm.tokenizer, ids[index + 1])
        right = [row[index] == label for row in value["best"]]
        assert (depth is None) == (not right[-1]) and (depth is None or all(right[depth:])), index
    assert (
        "empty"
        in json.loads(lens.lens(services, None, maps.AttentionForm("tiny", "", RAW, "end")))[
            "message"
        ]
    )


def test_the_endpoint_gives_the_map_and_the_scores_and_checks_like_the_page(services, tiny_lm):
    reply = ENDPOINTS["attention"](services, TEXT, 1, 3, RAW, model="tiny")
    expected = gptcore.attention_patterns(tiny_lm.model, reply["token_ids"])[1, 3]
    np.testing.assert_allclose(reply["weights"], expected, atol=1e-5)
    assert json.dumps(reply, allow_nan=False) and len(reply["roles"]) == 2
    assert ENDPOINTS["attention"](services, TEXT, model="tiny")["weights"] is None
    assert (
        ENDPOINTS["attention"](services, TEXT, 0, 0, WITHOUT_FIRST, model="tiny")["weights"][0][0]
        is None
    )
    for layer, head, sink, said in (
        (0, None, RAW, "both a layer and a head"),
        (2, 0, RAW, "The layer is 2"),
        (0, 1.5, RAW, "The head"),
        (0, 0, "x", "sink mode"),
    ):
        with pytest.raises(GPTCoreError, match=said):
            ENDPOINTS["attention"](services, TEXT, layer, head, sink, model="tiny")


@pytest.mark.parametrize("text", [TEXT, "the the the the the cat the", "the cat"])
def test_the_endpoint_and_the_page_give_a_head_the_same_role(services, text):
    reply = ENDPOINTS["attention"](services, text, model="tiny")
    page = [role for row in look(services, text)["roles"] for role in row]
    told = [role for row in reply["roles"] for role in row]
    assert told == ["mixed" if leans else role for role, leans in page]


def test_two_models_of_one_shape_are_compared_on_one_text(services, monkeypatch, tiny_lm):
    other = LanguageModel(make_model(tiny_lm.model.config, seed=7), tiny_lm.tokenizer, "other")
    monkeypatch.setattr(
        services.models, "get", lambda name: {"tiny": tiny_lm, "other": other}[name]
    )
    value = json.loads(compare.compare(services, None, "tiny", TEXT, "other", TEXT))
    ids = tiny_lm.tokenizer.encode(TEXT)
    a, b = (gptcore.attention_patterns(lm.model, ids).cpu().numpy() for lm in (tiny_lm, other))
    np.testing.assert_allclose(
        value["scores"]["changed"], 0.5 * np.abs(a - b).sum(-1).mean(-1), atol=1e-3
    )
    assert value["tokens"] == look(services)["tokens"]


def test_the_lens_says_when_the_words_of_a_text_were_known():
    said = lens.conclusion_of_text([None, 0, 3, 6, 6], ["a", " cat", " sat", " on", " mat"], 6)
    assert said == "4 of 5 tokens were its first guess: the earliest, “cat”, before any layer."
    assert lens.conclusion_of_text(
        [None, *[0, 3, 6, 6] * 2], ["a", *[" cat", " sat", " on", " mat"] * 2], 6
    ) == (
        "8 of 9 tokens were its first guess: the earliest, “cat”, before any layer; 4 of them "
        "by layer 2; 4 only with the last layer."
    )
    assert (
        lens.conclusion_of_text([2], ["b"], 6)
        == "1 of 1 token was its first guess: “b”, from layer 1 on."
    )
    tied = lens.conclusion_of_text([1, 1, 1, 6], ["c", "a", "b", "d"], 6)
    assert (
        tied
        == "4 of 4 tokens were its first guess: the earliest, “c”, “a” and “b”, from layer 0 on."
    )
    often = lens.conclusion_of_text([1] * 7, list("abcdaab"), 6)
    assert "7 of 7 tokens" in often and "the earliest, 7 of them, from" in often
    assert "the earliest, 4 of them, from" in lens.conclusion_of_text([1] * 4, list("abcd"), 6)
    assert (
        lens.conclusion_of_text([6, 6], ["a", "b"], 6)
        == "2 of 2 tokens were its first guess, only with the last layer."
    )
    # of so few there is nothing to say
    assert lens.conclusion_of_text([None] * 2, ["a", "b"], 6) == ""
    assert (
        lens.conclusion_of_text([None] * 8, list("abcdefgh"), 6)
        == "None of the 8 tokens was its first guess."
    )


@pytest.mark.parametrize(
    ("ranks", "chances", "said"),
    [
        (
            [5, 3, 1, 1],
            [0.01, 0.1, 0.4, 0.7],
            "takes the lead in layer 1 (from 10% to 40%) and ends at 70%.",
        ),
        ([1, 1, 1, 1], [0.5, 0.5, 0.6, 0.7], "leads at every depth and ends at 70%"),
        (
            [1, 2, 1, 1],
            [0.5, 0.2, 0.6, 0.7],
            "ends at 70%. It had led before any layer, then fell behind.",
        ),
        ([9, 9, 9, 1], [0.01, 0.01, 0.01, 0.05], "Nothing stands out after the last token"),
    ],
)
def test_the_lens_concludes_in_words_from_its_numbers(ranks, chances, said):
    assert said in lens.conclusion(ranks, chances, "ball")


@pytest.mark.parametrize(
    ("value", "is_known"), [(0, True), (2, True), (3, False), (-1, False), (True, False)]
)
def test_an_index_is_below_the_number_of_things(value, is_known):
    assert maps.is_place(value, 3) is is_known
