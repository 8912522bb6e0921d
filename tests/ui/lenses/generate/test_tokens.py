"""The tokenizer view: rows, merges, and what is said where something is missing."""

import json

import pytest
import recorded_cuts

import gptcore
from gptcore.errors import TokenizerError
from ui.lenses.generate.tokens import cutting as tokens
from ui.lenses.generate.tokens.templates import EXAMPLES

TEXT = "hello hello 🙂"


def cut(services, text, model="mini"):
    return json.loads(tokens.cut(services, {"text": text, "model": model}))


def test_every_bundled_tokenizer_cuts_the_text_and_says_whether_it_comes_back(bundled):
    rows = {row["name"]: row for row in cut(bundled, TEXT)}
    assert list(rows) == ["mini", "gpt2", "gpt1", "shakespeare-char"]
    mini = gptcore.load("mini").tokenizer
    assert [token[1] for token in rows["mini"]["tokens"]] == mini.encode(TEXT)
    assert bytes.fromhex("".join(token[2] for token in rows["mini"]["tokens"])).decode() == TEXT
    assert rows["mini"]["back"] is None and rows["mini"]["steps"]
    assert "not" in rows["shakespeare-char"]["message"]  # it has no emoji, and says so
    # Its steps go from bytes to the tokens.
    found = json.loads(tokens.steps(bundled, {"tokenizer": "mini", "text": TEXT}))
    assert "".join(found["words"]).encode("latin-1").decode() == TEXT
    assert found["merges"] and all(count > 0 for *_, count in found["merges"])


def test_tokens_are_counted_for_each_word(bundled):
    rows = {row["name"]: row for row in cut(bundled, "to be  or\nnot")}
    assert rows["shakespeare-char"]["per_word"] == 3.25  # 13 letters and blanks of 4 words
    n_tokens = len(rows["mini"]["tokens"])
    assert rows["mini"]["per_word"] == round(n_tokens / 4, 2)
    assert {row["per_word"] for row in cut(bundled, " ") if "tokens" in row} == {1.0}


def test_the_picked_models_own_tokenizer_stands_first(bundled):
    rows = cut(bundled, "The fox", "world")
    assert [row["name"] for row in rows] == ["world", "gpt2", "gpt1", "mini", "shakespeare-char"]
    assert [token[1] for token in rows[0]["tokens"]] == gptcore.load("world").tokenizer.encode(
        "The fox"
    )
    steps = json.loads(tokens.steps(bundled, {"tokenizer": "world", "text": "The fox"}))
    assert "own" in rows[0]["what"] and steps["merges"]
    shared = cut(bundled, "The fox", "mini@512")
    assert [(row["title"], row.get("picked")) for row in shared] == [
        ("mini after 512 updates", True), ("GPT-2", None), ("GPT-1", None), ("characters", None),
    ]  # fmt: skip
    letters = cut(bundled, "The fox", "shakespeare-char")
    assert [row["name"] for row in letters] == ["shakespeare-char", "gpt2", "gpt1", "mini"]
    lost = cut(bundled, "The fox", "gpt9")
    assert "gpt9" in lost[0]["message"] and len(lost) == 5


def test_a_vocabulary_that_is_not_here_is_named_with_the_way_to_get_it(
    bundled, monkeypatch, tmp_path
):
    for name in ("TIKTOKEN_CACHE_DIR", "HF_HUB_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(
        "gptcore.hub.fetch", lambda *_, **__: pytest.fail("a text must not wait for a network")
    )
    rows = cut(bundled, "hello")
    said = [row["message"] for row in rows if row["name"] in ("gpt1", "gpt2") and "message" in row]
    assert all("--prefetch" in sentence for sentence in said)


def test_an_example_is_cut_as_recorded_where_a_vocabulary_is_not_here(bundled, monkeypatch):
    def missing(name, **_):
        raise TokenizerError(f"no {name}")

    monkeypatch.setattr(tokens, "load_tokenizer", missing)
    for _, text in EXAMPLES:
        rows = {row["name"]: row for row in cut(bundled, text)}
        for name in ("gpt1", "gpt2"):
            assert "recorded" in rows[name]["what"] and "steps" not in rows[name]
        assert bytes.fromhex("".join(token[2] for token in rows["gpt2"]["tokens"])).decode() == text
    own = {row["name"]: row for row in cut(bundled, "Hello")}
    assert "--prefetch" in own["gpt2"]["message"]


def test_the_recorded_cuts_are_those_of_the_vocabularies(shared):
    made = json.loads(json.dumps(recorded_cuts.recorded()))
    assert json.loads(tokens.RECORDED_CUTS.read_text(encoding="utf-8")) == made
    hello = recorded_cuts.recorded()["gpt2"]["Hello, world! How are you today?"]
    assert [number for _, number, _ in hello["tokens"]] == [
        15496,
        11,
        995,
        0,
        1374,
        389,
        345,
        1909,
        30,
    ]
