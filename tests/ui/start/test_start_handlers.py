"""The Start tab: a sentence as its model sees it, and the recorded run as a film."""

import json
from urllib.parse import parse_qsl

import pytest
import torch

from gptcore.analysis import attention_patterns
from gptcore.inference.generation import last_logits
from ui.handlers.parameters.anatomy import EXPERIMENTS
from ui.handlers.start import sentence, story
from ui.handlers.start.film import film
from ui.handlers.train.files import example_workspaces
from ui.services import make_services

PROMPT = "the cat sat on the mat and the dog"


def asked(services, ids):
    services.models.get("tiny")
    return json.loads(sentence.guesses(services, ["tiny", ids]))


def test_guesses_and_alternatives_are_the_models_own(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    seen = asked(services, ids)
    assert [token["id"] for token in seen["tokens"]] == ids
    assert "".join(token["text"] for token in seen["tokens"]) == PROMPT
    for place in range(1, len(ids)):
        chances = last_logits(tiny_lm.model, ids[:place]).softmax(dim=-1)
        token = seen["tokens"][place]
        assert token["p"] == pytest.approx(float(chances[ids[place]]), rel=0.01)
        assert [other[2] for other in token["others"]][:3] == chances.topk(3).indices.tolist()
    chances = last_logits(tiny_lm.model, ids).softmax(dim=-1)
    assert [p for _, p, _ in seen["next"]] == pytest.approx(chances.topk(8).values.tolist(), rel=0.01)
    assert seen["tokens"][0]["p"] is None and seen["tokens"][0]["others"] == []


def test_an_arc_is_the_look_of_the_head_that_looks_hardest(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    looks = attention_patterns(tiny_lm.model, ids).flatten(0, 1).amax(dim=0)
    arcs = {(row, column): weight for row, column, weight in asked(services, ids)["arcs"]}
    wanted = {
        (row, column): float(looks[row, column])
        for row in range(1, len(ids))
        for column in range(1, row)
        if looks[row, column] >= 0.12
    }
    assert arcs and arcs == pytest.approx(wanted, rel=0.01)


def test_the_opening_stops_where_the_model_knows_least(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)[:15]
    shown = json.loads(sentence.opening(services, "tiny", PROMPT))
    kept = [token["id"] for token in shown["tokens"]]
    doubts = {}
    for n in range(len(ids) // 2 + 1, len(ids) + 1):
        doubts[n] = float(torch.distributions.Categorical(logits=last_logits(tiny_lm.model, ids[:n])).entropy())
    assert kept == ids[: len(kept)] and doubts[len(kept)] == pytest.approx(max(doubts.values()), abs=1e-4)


def test_a_prompt_that_the_model_cannot_read_is_said(services):
    assert "empty" in json.loads(sentence.opening(services, "tiny", ""))["message"]


@pytest.mark.parametrize(
    "request_",
    [None, [], "tiny", ["tiny"], ["tiny", []], ["tiny", "1"], ["tiny", [True]], ["tiny", [1.0]], ["tiny", [-1]],
     ["tiny", [10**9]], ["tiny", [1] * 41], ["nobody", [1]], [None, [1]], [["tiny"], [1]]],
)  # fmt: skip
def test_nonsense_has_no_answer(services, request_):
    assert sentence.guesses(services, request_) is None


def test_a_model_that_is_not_open_is_not_opened_by_a_guess(services):
    before = services.models.loaded()
    assert sentence.guesses(services, ["mini", [1, 2]]) is None and services.models.loaded() == before


def test_a_line_of_the_most_tokens_is_full(services, tiny_lm):
    most = min(sentence.MOST_TOKENS, tiny_lm.model.config.n_positions)
    assert not asked(services, [1] * (most - 1))["full"] and asked(services, [1] * most)["full"]


def test_the_film_shows_the_recorded_run_from_noise_to_words(services):
    assert film(services) == {"title": "", "frames": []}
    workspace, *_ = example_workspaces()
    shown = film(make_services(offline=True, examples=[workspace]))
    looks = workspace.current.observations
    frames = shown["frames"]
    assert frames[0]["step"] == looks[0].step == 0 and frames[-1]["step"] == looks[-1].step
    assert [frame["step"] for frame in frames] == sorted({frame["step"] for frame in frames})
    assert frames[0]["loss"] > 2 * frames[-1]["loss"] and len(frames) > 5
    assert looks[-1].text.startswith(frames[-1]["text"][len(workspace.current.facts.prompt) :])


def test_the_story_has_six_chapters_whose_links_name_places_that_exist(services):
    chapters = json.loads(story.chapters(services, None))
    assert [chapter["shows"] for chapter in chapters] == [
        "objective", "tables", "options", "tables", "tables", "tables",
    ]  # fmt: skip
    sections = [section for chapter in chapters for section in chapter["sections"]]
    assert all(len(row) == len(section["columns"]) for section in sections for row in section["rows"])
    links = [cell["to"] for section in sections for row in section["rows"] for cell in row if isinstance(cell, dict)]
    chosen = [dict(parse_qsl(link)).get("choose") for link in links]
    assert len(links) == 9 and all(choice is None or choice in EXPERIMENTS for choice in chosen)


def held(model, ids, *, own=False):
    return json.dumps({"model": model, "ids": ids, "own": own})


def ids_of(shown):
    return [token["id"] for token in json.loads(shown)["tokens"]]


def test_at_another_moment_of_its_training_the_sentence_stays():
    real = make_services(offline=True)
    prompt = "Once upon a time, there was a little fox who lived in the forest."
    first = ids_of(sentence.opening(real, "mini", prompt))
    for moment in ("mini@0", "mini@512", "mini@8192", "mini"):
        shown = sentence.opening(real, moment, prompt, held("mini", first))
        assert ids_of(shown) == first and json.loads(shown)["model"] == moment
    real.close()


def test_a_sentence_of_the_visitor_s_own_is_cut_anew_by_another_model():
    real = make_services(offline=True)
    lm, other = real.models.get("mini"), real.models.get("world")
    ids = lm.tokenizer.encode("The red dog saw a big cat")
    shown = json.loads(sentence.opening(real, "world", "Once upon a time", held("mini", ids, own=True)))
    assert other.tokenizer.decode([token["id"] for token in shown["tokens"]]) == "The red dog saw a big cat"
    begun = json.loads(sentence.opening(real, "world", "Once upon a time, he", held("mini", ids)))  # nobody's own
    assert "".join(token["text"] for token in begun["tokens"]).startswith("Once upon")
    real.close()


@pytest.mark.parametrize(
    "nonsense",
    ["{", "[]", "7", None, 5, held("tiny", []), held("tiny", [True]), held("tiny", [10**6]), held("tiny", [1] * 41),
     held("tiny", "1"), held(None, [1]), held("nobody", [1], own=True), "[" * 5000, held("tiny", [-1]), "x" * 20_000],
)  # fmt: skip
def test_what_is_no_sentence_is_not_kept(services, nonsense):
    assert ids_of(sentence.opening(services, "tiny", PROMPT, nonsense)) == ids_of(
        sentence.opening(services, "tiny", PROMPT)
    )
