"""The Start tab: a sentence as its model sees it."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl, quote

import pytest
import torch

from gptcore.analysis import attention_patterns, trace
from gptcore.inference.generation import last_logits
from helpers import form
from ui.lenses.attention.tab import _default_text
from ui.lenses.generate.write import first_text
from ui.lenses.parameters.drawing.anatomy import EXPERIMENTS
from ui.lenses.start.handlers import sentence, story
from ui.shared.own_text import TEXT, own_text, reads, text_to_read
from ui.state.machine import conclusion

TOUR = Path(__file__).parents[4] / "ui" / "rooms" / "hall" / "talks" / "word.txt"
PROMPT = "the cat sat on the mat and the dog"


def asked(services, ids):
    services.models.get("tiny")
    return json.loads(sentence.guesses(services, {"model": "tiny", "ids": ids, "at": None}))


def test_guesses_and_alternatives_are_the_models_own_and_an_arc_is_the_look_of_its_hardest_head(services, tiny_lm):
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
    looks = attention_patterns(tiny_lm.model, ids).flatten(0, 1).amax(dim=0)
    arcs = {(row, column): weight for row, column, weight in seen["arcs"]}
    wanted = {}
    for row in range(2, len(ids)):
        hardest = sorted(range(1, row), key=lambda column: -float(looks[row, column]))[:5]
        wanted |= {(row, c): float(looks[row, c]) for c in hardest if looks[row, c] >= 0.12}
    assert arcs and arcs == pytest.approx(wanted, rel=0.01)


def test_every_tab_begins_with_the_model_s_one_text(bundled):
    for name in ("mini", "shakespeare-char", "anthology", "world", "induction"):
        lm = bundled.models.get(name)
        own = own_text(bundled, name, lm)
        assert json.loads(sentence.opening(bundled, name))["text"] == own == text_to_read(bundled, name, lm)
        written = list(first_text.first_text(bundled, "a tab", name, "", form(max_new_tokens=1)))
        assert [view.prompt for view in written if view.prompt] == [own]
        tab = _default_text(bundled)(SimpleNamespace(session_hash="v"), name, False, "")
        assert "text" not in tab  # an empty text is the visitor's
        tab = _default_text(bundled)(SimpleNamespace(session_hash="v"), name, False, TEXT)
        assert tab["text"] == own and reads(lm, own) and (lm.tokenizer.kind == "char" or not own.endswith(" "))


def test_what_the_word_tour_says_of_its_sentence_is_so(bundled):
    tour = TOUR.read_text(encoding="utf-8")
    words = re.findall(r"\w+", TEXT)
    assert quote(TEXT) in tour and len(words) - words.index("hat") == 13 and "thirteen words back" in tour
    shown = json.loads(sentence.opening(bundled, "mini"))
    assert shown["next"][0][0].strip() == "hat" and "“Hat”, it guesses" in tour
    claim = "the last block makes “hat” the first guess"
    assert shown["machine"]["said"].startswith(f"Only {claim}") and f"only {claim}" in tour


def test_where_the_model_cannot_read_one_s_own_sentence_the_page_says_what_became_of_it(bundled):
    begun = json.loads(sentence.opening(bundled, "induction"))
    assert begun["text"] == "kitten kitten kitt" and not begun["note"]
    ids = bundled.models.get("mini").tokenizer.encode("Oh, no!")
    own = json.dumps({"model": "mini", "ids": ids, "own": True}, separators=(",", ":"))
    kept = json.loads(sentence.opening(bundled, "induction", own))
    assert kept["text"] == begun["text"] and "does not know all characters of your sentence" in kept["note"]


def test_a_model_that_is_not_open_is_not_opened_by_a_guess(services):
    before = services.models.loaded()
    assert sentence.guesses(services, {"model": "mini", "ids": [1, 2], "at": None}) is None
    assert services.models.loaded() == before


def test_of_a_text_beyond_the_window_the_last_half_of_one_is_read_and_of_the_most_tokens_it_is_full(services, tiny_lm):
    window = tiny_lm.model.config.n_positions
    ids = (tiny_lm.tokenizer.encode(PROMPT) * 20)[: window + 7]
    seen = asked(services, ids)
    assert seen["first"] == len(ids) - window // 2 and [token["id"] for token in seen["tokens"]] == ids
    assert seen["next"] == asked(services, ids[seen["first"] :])["next"]
    assert all(token["p"] is None for token in seen["tokens"][: seen["first"] + 1])
    assert all(seen["first"] <= to < start for start, to, _ in seen["arcs"])
    most = sentence.MOST_TOKENS
    assert not asked(services, [1] * (most - 1))["full"] and asked(services, [1] * most)["full"]


def test_a_typed_text_is_read_also_beyond_the_window_or_a_sentence_says_why_not(services, tiny_lm):
    services.models.get("tiny")
    seen = json.loads(sentence.typed(services, {"model": "tiny", "text": "the cat sat"}))
    assert seen["text"] == "the cat sat" and seen["machine"]["at"] == len(seen["tokens"]) - 1
    assert "Type a word" in json.loads(sentence.typed(services, {"model": "tiny", "text": ""}))["message"]
    assert "4,000" in json.loads(sentence.typed(services, {"model": "tiny", "text": "a" * 5000}))["message"]
    text = "the cat sat on the mat. " * 30
    ids = tiny_lm.tokenizer.encode(text)
    assert tiny_lm.model.config.n_positions < len(ids) <= sentence.MOST_TOKENS
    typed = json.loads(sentence.typed(services, {"model": "tiny", "text": text}))
    assert typed["first"] > 0 and typed["next"] == asked(services, ids)["next"]


def test_the_machine_is_that_of_the_place_that_is_looked_at(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    services.models.get("tiny")
    shown = json.loads(sentence.guesses(services, {"model": "tiny", "ids": ids, "at": 5}))["machine"]
    traced = trace(tiny_lm.model, ids, 5)
    config = tiny_lm.model.config
    assert shown["at"] == 5 and len(shown["blocks"]) == config.n_layer
    assert shown["choice"][2] == int(traced.logits[5].argmax())
    for layer, block in enumerate(shown["blocks"]):
        assert block["mlp"] == pytest.approx(float(traced.mlp_norms[layer]), rel=0.01)
        assert block["heads"] == pytest.approx(traced.head_norms[layer].tolist(), rel=0.01)
        assert block["guess"][2] == int(traced.lens[layer + 1].argmax())
        for head, looks in enumerate(block["looks"]):
            assert all(w == pytest.approx(float(traced.looks[layer, head, place]), rel=0.01) for place, w in looks)


def conclude(*, chances, looks=(0.1, 0.8, 0.1), norms=((1.0, 2.0), (9.0, 1.0))):
    """A conclusion from made-up numbers: chances [depth][token], norms [layer][head], looks [place]."""
    looks = torch.tensor(looks).expand(len(norms), len(norms[0]), -1)
    found = SimpleNamespace(lens=torch.tensor(chances).log(), head_norms=torch.tensor(norms), looks=looks)
    return conclusion(found, [" a", " red", " ball"], " blue")


SURE, OTHER = [0.1, 0.7, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1]


def test_the_conclusion_follows_the_numbers():
    assert conclude(chances=[OTHER, SURE, SURE]) == (
        "“blue” is the first guess from block 0 on; it ends at 70%. Block 0 raises it the most (10% to 70%); the head "
        "there with the longest output, 0.1, looks at “red” (80%)."
    )
    last = "Only the last block makes “blue” the first guess (10% before, 70% after); the head there with the longest"
    assert last in conclude(chances=[OTHER, OTHER, SURE])
    assert conclude(chances=[SURE, OTHER, SURE]).startswith(
        "The last block makes “blue” the first guess (10% before, 70% after), after it was in front before any block "
        "and lost again; "
    )
    said = conclude(chances=[SURE] * 3)
    assert said == "“blue” is already the first guess before any block, and ends at 70%. No block changes that much."
    assert "0.1, spreads its attention." in conclude(chances=[OTHER, SURE, SURE], looks=(0.3, 0.4, 0.3))
    few = [[1 / 40] * 40] * 3
    assert conclude(chances=few) == "Nothing stands out: the likeliest next token, “blue”, has only 2%."


def test_the_story_has_six_chapters_whose_links_name_places_that_exist(services):
    chapters = json.loads(story.chapters(services, None))
    assert [chapter["shows"] for chapter in chapters] == [
        "objective", "tables", "options", "tables", "tables", "tables",
    ]  # fmt: skip
    sections = [section for chapter in chapters for section in chapter["sections"]]
    assert all(len(row) == len(section["columns"]) for section in sections for row in section["rows"])
    links = [cell["to"] for section in sections for row in section["rows"] for cell in row if isinstance(cell, dict)]
    chosen = [dict(parse_qsl(link)).get("choose") for link in links]
    assert len(links) == 15 and all(choice is None or choice in EXPERIMENTS for choice in chosen)


def held(model, ids, *, own=False):
    return json.dumps({"model": model, "ids": ids, "own": own})


def ids_of(shown):
    return [token["id"] for token in json.loads(shown)["tokens"]]


def test_at_another_moment_of_its_training_the_sentence_stays(bundled):
    first = ids_of(sentence.opening(bundled, "mini"))
    for moment in ("mini@0", "mini@512", "mini@11181", "mini"):
        shown = sentence.opening(bundled, moment, held("mini", first))
        assert ids_of(shown) == first and json.loads(shown)["model"] == moment


def test_a_sentence_of_the_visitor_s_own_is_cut_anew_by_another_model(bundled):
    lm, other = bundled.models.get("mini"), bundled.models.get("world")
    ids = lm.tokenizer.encode("The red dog saw a big cat")
    shown = json.loads(sentence.opening(bundled, "world", held("mini", ids, own=True)))
    assert other.tokenizer.decode([token["id"] for token in shown["tokens"]]) == "The red dog saw a big cat"
    begun = json.loads(sentence.opening(bundled, "world", held("mini", ids)))  # nobody's own
    assert begun["text"] == own_text(bundled, "world", other)


@pytest.mark.parametrize("nonsense", [
    "{", "[]", "7", None, 5, held("tiny", []), held("tiny", [True]), held("tiny", [10**6]), held("tiny", [1] * 401),
    held("tiny", "1"), held(None, [1]), held("nobody", [1], own=True), "[" * 5000, held("tiny", [-1]), "x" * 20_000,
])  # fmt: skip
def test_what_is_no_sentence_is_not_kept(services, nonsense):
    assert ids_of(sentence.opening(services, "tiny", nonsense)) == ids_of(sentence.opening(services, "tiny"))
