"""The tokenizer view: rows, merges, and what is said where something is missing."""

import json

import pytest
import recorded_cuts

import gptcore
from gptcore.errors import TokenizerError
from gptcore.tokenizers import ByteBPE
from helpers import named
from ui.lenses.generate.handlers import tokens
from ui.lenses.generate.view.tokens_view import EXAMPLES
from ui.services import make_services

TEXT = "hello hello 🙂"


@pytest.fixture(scope="module")
def here():
    return make_services(model="mini", offline=True)


def test_every_bundled_tokenizer_cuts_the_text_and_says_whether_it_comes_back(here):
    rows = {row["name"]: row for row in json.loads(tokens.cut(here, {"text": TEXT, "model": "mini"}))}
    assert list(rows) == ["mini", "gpt2", "gpt1", "shakespeare-char"]
    mini = gptcore.load("mini").tokenizer
    assert [token[1] for token in rows["mini"]["tokens"]] == mini.encode(TEXT)
    assert bytes.fromhex("".join(token[2] for token in rows["mini"]["tokens"])).decode() == TEXT
    assert rows["mini"]["back"] is None and rows["mini"]["steps"]
    assert "not" in rows["shakespeare-char"]["message"]  # it has no emoji, and says so


def test_the_picked_models_own_tokenizer_stands_first(here):
    rows = json.loads(tokens.cut(here, {"text": "The fox", "model": "world"}))
    assert [row["name"] for row in rows] == ["world", "gpt2", "gpt1", "mini", "shakespeare-char"]
    assert [token[1] for token in rows[0]["tokens"]] == gptcore.load("world").tokenizer.encode("The fox")
    assert (
        "own" in rows[0]["what"] and json.loads(tokens.steps(here, {"tokenizer": "world", "text": "The fox"}))["merges"]
    )
    shared = json.loads(tokens.cut(here, {"text": "The fox", "model": "mini@512"}))
    assert [(row["title"], row.get("picked")) for row in shared] == [
        ("mini after 512 updates", True), ("GPT-2", None), ("GPT-1", None), ("characters", None),
    ]  # fmt: skip
    letters = json.loads(tokens.cut(here, {"text": "The fox", "model": "shakespeare-char"}))
    assert [row["name"] for row in letters] == ["shakespeare-char", "gpt2", "gpt1", "mini"]
    lost = json.loads(tokens.cut(here, {"text": "The fox", "model": "gpt9"}))
    assert "gpt9" in lost[0]["message"] and len(lost) == 5


def test_a_vocabulary_that_is_not_here_is_named_with_the_way_to_get_it(here, monkeypatch, tmp_path):
    for name in ("TIKTOKEN_CACHE_DIR", "HF_HUB_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("gptcore.hub.fetch", lambda *_, **__: pytest.fail("a text must not wait for a network"))
    rows = json.loads(tokens.cut(here, {"text": "hello", "model": "mini"}))
    said = [row["message"] for row in rows if row["name"] in ("gpt1", "gpt2") and "message" in row]
    assert all("--prefetch" in sentence for sentence in said)


def test_an_example_is_cut_as_recorded_where_a_vocabulary_is_not_here(here, monkeypatch):
    def missing(name, **_):
        raise TokenizerError(f"no {name}")

    monkeypatch.setattr(tokens, "load_tokenizer", missing)
    for _, text in EXAMPLES:
        rows = {row["name"]: row for row in json.loads(tokens.cut(here, {"text": text, "model": "mini"}))}
        for name in ("gpt1", "gpt2"):
            assert "recorded" in rows[name]["what"] and "steps" not in rows[name]
        assert bytes.fromhex("".join(token[2] for token in rows["gpt2"]["tokens"])).decode() == text
    own = {row["name"]: row for row in json.loads(tokens.cut(here, {"text": "Hello", "model": "mini"}))}
    assert "--prefetch" in own["gpt2"]["message"]


def test_the_recorded_cuts_are_those_of_the_vocabularies(shared):
    made = json.loads(json.dumps(recorded_cuts.recorded()))
    assert json.loads(tokens.RECORDED_CUTS.read_text(encoding="utf-8")) == made
    hello = recorded_cuts.recorded()["gpt2"]["Hello, world! How are you today?"]
    assert [number for _, number, _ in hello["tokens"]] == [15496, 11, 995, 0, 1374, 389, 345, 1909, 30]


def test_steps_go_from_bytes_to_the_tokens(here):
    found = json.loads(tokens.steps(here, {"tokenizer": "mini", "text": TEXT}))
    assert "".join(found["words"]).encode("latin-1").decode() == TEXT
    assert found["merges"] and all(count > 0 for *_, count in found["merges"])


def test_what_is_learned_shows_the_beginning_of_a_long_text(here):
    found = json.loads(tokens.learned(here, {"text": "the cat " * 2000, "merges": 5}))
    assert len("".join(found["words"])) == tokens.MOST_CHARS
    assert [left + right for left, right, _ in found["merges"]][:1] == ["th"] or len(found["merges"]) == 5


REQUESTS = {tokens.cut: "text model", tokens.steps: "tokenizer text", tokens.learned: "text merges"}


@pytest.mark.parametrize(
    ("ask", "request_", "said"),
    [
        (tokens.cut, ["x" * 1001, "mini"], "1,001 characters; 1,000"),
        (tokens.cut, ["", "mini"], "empty"),
        (tokens.cut, None, "must be text"),
        (tokens.cut, ["a\ud800", "mini"], None),
        (tokens.cut, ["x", ""], "No model is chosen"),
        (tokens.steps, ["nothing", "x"], "There is no model 'nothing'"),
        (tokens.steps, ["shakespeare-char", "x"], "byte-level"),
        (tokens.steps, 7, "model's name must be text"),
        (tokens.learned, ["x", 0], "between 1 and 300"),
        (tokens.learned, ["x" * 20_001, 5], "20,000 are allowed"),
        (tokens.learned, ["x", "many"], "whole number"),
    ],
)
def test_nonsense_is_answered_with_a_sentence(here, ask, request_, said):
    answer = json.loads(ask(here, named(REQUESTS[ask], request_)))
    if said is None:  # each tokenizer says it in its own row
        assert all("message" in row for row in answer)
    else:
        assert said in answer["message"]


@pytest.mark.shared
def test_gpt2s_own_vocabulary_is_shown_where_it_is_here(here, shared, monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(shared / "tiktoken-cache"))
    row = next(
        row for row in json.loads(tokens.cut(here, {"text": "hello hello", "model": "mini"})) if row["name"] == "gpt2"
    )
    assert [token[1] for token in row["tokens"]] == [31373, 23748]
    assert isinstance(gptcore.load_tokenizer("gpt2"), ByteBPE)
