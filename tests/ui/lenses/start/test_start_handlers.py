"""The Start tab: a sentence as its model sees it."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qsl, quote

import pytest
import torch

from gptcore.analysis import ModelPart, attention_patterns, logits_without, trace
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.tokenizers import CharTokenizer, describe_token
from helpers import form
from ui.lenses.attention.handlers.maps import AttentionForm, read
from ui.lenses.attention.layers import lens
from ui.lenses.attention.tab import _default_text
from ui.lenses.attention.why import attribution
from ui.lenses.generate.write import first_text
from ui.lenses.generate.write.writing import new_document
from ui.lenses.parameters.drawing.anatomy import EXPERIMENTS
from ui.lenses.start.handlers import sentence, story
from ui.shared.own_text import TEXT, own_text, reads, text_to_read
from ui.state.machine import conclusion, described
from weights.recipes.default_sentences import measure

TOUR = Path(__file__).parents[4] / "ui" / "rooms" / "hall" / "talks" / "word.txt"
PROMPT = "the cat sat on the mat and the dog"


def asked(services, ids):
    services.models.get("tiny")
    return json.loads(sentence.guesses(services, {"model": "tiny", "ids": ids, "at": None}))


def test_guesses_and_alternatives_are_the_models_own_and_an_arc_is_the_look_of_its_hardest_head(
    services, tiny_lm
):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    seen = asked(services, ids)
    assert [token["id"] for token in seen["tokens"]] == ids
    assert "".join(token["text"] for token in seen["tokens"]) == PROMPT
    for index in range(1, len(ids)):
        chances = last_logits(tiny_lm.model, ids[:index]).softmax(dim=-1)
        token = seen["tokens"][index]
        assert token["p"] == pytest.approx(float(chances[ids[index]]), rel=0.01)
        assert [other[2] for other in token["others"]][:3] == chances.topk(3).indices.tolist()
    chances = last_logits(tiny_lm.model, ids).softmax(dim=-1)
    assert [p for _, p, _ in seen["next"]] == pytest.approx(
        chances.topk(8).values.tolist(), rel=0.01
    )
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
        assert (
            json.loads(sentence.opening(bundled, name))["text"]
            == own
            == text_to_read(bundled, name, lm)
        )
        written = list(first_text.first_text(bundled, "a tab", name, "", form(max_new_tokens=1)))
        assert [view.prompt for view in written if view.prompt] == [own]
        tab = _default_text(bundled, PROMPT)(SimpleNamespace(session_hash="v"), name, False, "")
        assert "text" not in tab  # an empty text is the visitor's
        tab = _default_text(bundled, PROMPT)(SimpleNamespace(session_hash="v"), name, False, PROMPT)
        assert (
            tab["text"] == own
            and reads(lm, own)
            and (lm.tokenizer.kind == "char" or not own.endswith(" "))
        )


def test_a_model_of_letters_that_has_no_space_gets_some_letters(bundled, tiny_lm):
    letters = CharTokenizer(sorted({*TEXT} - {" "}))
    lm = replace(tiny_lm, tokenizer=letters)
    own = own_text(bundled, "tiny", lm)
    assert own and TEXT.replace(" ", "").startswith(own) and reads(lm, own)


def test_what_the_word_tour_says_of_its_sentence_is_so(bundled):
    tour = TOUR.read_text(encoding="utf-8")
    words = re.findall(r"\w+", TEXT)
    assert (
        quote(TEXT) in tour
        and len(words) - words.index("hat") == 13
        and "thirteen words back" in tour
    )
    bundled.models.get("mini")
    shown = json.loads(sentence.typed(bundled, {"model": "mini", "text": TEXT, "without": "none"}))
    assert shown["next"][0][0].strip() == "hat" and "“Hat”, it guesses" in tour
    said = shown["machine"]["said"]
    assert said.startswith("The last block decides: “hat”") and "had led" not in said
    assert (
        "Until the last block the model would say another word; then “hat” takes the lead." in tour
    )


def test_the_first_sentence_shows_a_real_choice_that_hangs_on_one_head(bundled):
    """What `weights.recipes.default_sentences` chooses by, and what the page says of it."""
    for name in ("mini", "world", "anthology", "shakespeare-char", "assistant"):
        lm = bundled.models.get(name)
        measured = measure(lm, own_text(bundled, name, lm))
        assert measured.fits, measured
    lm = bundled.models.get("mini")
    ids = lm.tokenizer.encode(own_text(bundled, "mini", lm))
    assert "L5H6" in measure(lm, own_text(bundled, "mini", lm)).decisive
    shown = sentence.described_text(bundled, "mini", ids)
    assert (
        "Layer 5, head 6 pushes most towards it, looking back at “queen”"
        in shown["machine"]["said"]
    )
    off = sentence.described_text(bundled, "mini", ids, without="L5H6")
    assert off["machine"]["said"].startswith("Without layer 5, head 6, “castle” falls from 5")
    assert "“house” takes first place" in off["machine"]["said"]


def test_with_parts_off_every_figure_is_that_of_a_model_without_them(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    services.models.get("tiny")
    names = "L0H1,L1-mlp"
    parts = [ModelPart(0, "head", 1), ModelPart(1, "mlp")]
    before, after = logits_without(tiny_lm.model, ids, [[], parts]).softmax(-1)
    shown = json.loads(
        sentence.guesses(services, {"model": "tiny", "ids": ids, "at": None, "without": names})
    )
    tokens = [token for _, _, token in shown["next"]]
    assert shown["without"] == ["L0H1", "L1-mlp"]
    assert shown["was"] == pytest.approx(before[tokens].tolist(), rel=0.01)
    assert [p for _, p, _ in shown["next"]] == pytest.approx(after[tokens].tolist(), rel=0.01)
    # all that top-k can keep
    assert {*before.topk(3).indices.tolist(), *after.topk(8).indices.tolist()} == {*tokens}
    assert shown["was"] == sorted(shown["was"], reverse=True)
    assert shown["machine"]["choice"][2] == int(after.argmax())
    assert shown["machine"]["blocks"][1]["mlp"] == 0
    # a part that it lacks
    unknown = {"model": "tiny", "ids": ids, "at": None, "without": "L0H1,L77H1"}
    assert json.loads(sentence.guesses(services, unknown))["without"] == ["L0H1"]
    assert sentence.guesses(services, {**unknown, "without": "nonsense"}) is None


def test_the_handle_reshapes_by_the_sum_over_the_whole_vocabulary(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    shown = asked(services, ids)
    logits = last_logits(tiny_lm.model, ids)
    assert len(shown["log_sums"]) == 40
    for step in (1, 7, 20, 40):
        temperature = 0.05 * step
        expected = (logits / temperature).softmax(-1)
        for score, (_, _, token) in zip(shown["scores"], shown["next"], strict=True):
            found = math.exp(score / temperature - shown["log_sums"][step - 1])
            assert found == pytest.approx(float(expected[token]), rel=1e-3, abs=1e-9)


def test_a_draw_beyond_the_tokens_shown_falls_where_its_share_says(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    shown = [token for _, _, token in asked(services, ids)["next"]]
    chances = (last_logits(tiny_lm.model, ids) / 1.5).softmax(-1)
    others = [token for token in range(len(chances)) if token not in shown]
    weights = [float(chances[token]) for token in others]
    request = {"model": "tiny", "ids": ids, "without": "none", "temperature": 1.5, "shown": shown}
    for share in (0, 0.25, 0.5, 0.999999, 1):
        drawn = json.loads(sentence.another(services, {**request, "share": share}))
        before = sum(weights[: others.index(drawn["id"])]) / sum(weights)
        assert before - 1e-4 <= share <= before + drawn["p"] / sum(weights) + 1e-3
        assert drawn["p"] == pytest.approx(float(chances[drawn["id"]]), rel=0.01)
    for wrong in (
        {"share": 2},
        {"temperature": 0},
        {"shown": [10**6]},
        {"without": "x"},
        {"ids": []},
        {"model": "no"},
    ):
        assert sentence.another(services, {**request, "share": 0.5, **wrong}) is None


def test_what_is_said_without_parts_follows_the_numbers():
    def said(guess, now, parts=("layer 5, head 6",), after=""):
        return sentence.without_parts(parts, guess, now, after)

    hat = (" hat", 0.58, 0.12)
    dress = (" dress", 0.1, 0.4)
    assert said(hat, dress) == (
        "Without layer 5, head 6, “hat” falls from 58% to 12%, and “dress” takes first place "
        "with 40%."
    )
    assert (
        said(hat, hat)
        == "Without layer 5, head 6, “hat” stays the first guess: it falls from 58% to 12%."
    )
    more = (" hat", 0.1, 0.2)
    assert said(more, more, after=" red").startswith(
        "After “red”, without layer 5, head 6, “hat” stays the first guess"
    )
    assert "rises from 10% to 20%" in said(more, more)
    assert "rises from 10% to 20%, and “dress” takes first place with 40%" in said(more, dress)
    same = (" hat", 0.5, 0.5001)
    assert said(same, same).endswith("“hat” stays the first guess: it keeps its 50%.")
    assert said(hat, dress, ["L1H1", "L2H2"]).startswith("Without L1H1 and L2H2, ")
    assert said(hat, dress, list("abcd")).startswith("Without 4 parts, ")


def test_where_the_model_cannot_read_one_s_own_sentence_the_page_says_what_became_of_it(bundled):
    begun = json.loads(sentence.opening(bundled, "induction"))
    assert begun["text"] == "kitten kitten kitt" and not begun["note"]
    ids = bundled.models.get("mini").tokenizer.encode("Oh, no!")
    own = json.dumps({"model": "mini", "ids": ids, "own": True}, separators=(",", ":"))
    kept = json.loads(sentence.opening(bundled, "induction", own))
    assert (
        kept["text"] == begun["text"]
        and "does not know all characters of your sentence" in kept["note"]
    )


def test_a_model_that_is_not_open_is_not_opened_by_a_guess(services):
    before = services.models.loaded()
    assert sentence.guesses(services, {"model": "mini", "ids": [1, 2], "at": None}) is None
    assert services.models.loaded() == before


def test_of_a_text_beyond_the_window_the_last_one_is_read_and_of_the_most_tokens_it_is_full(
    services, tiny_lm
):
    window = tiny_lm.model.config.n_positions
    ids = (tiny_lm.tokenizer.encode(PROMPT) * 20)[: window + 7]
    seen = asked(services, ids)
    assert seen["first"] == len(ids) - window and [token["id"] for token in seen["tokens"]] == ids
    assert seen["next"] == asked(services, ids[seen["first"] :])["next"]
    assert all(token["p"] is None for token in seen["tokens"][: seen["first"] + 1])
    assert all(seen["first"] <= to < start for start, to, _ in seen["arcs"])
    assert f"It reads the last {window} of the text's {len(ids)} tokens." in seen["note"]
    most = sentence.MOST_TOKENS
    assert not asked(services, [1] * (most - 1))["full"] and asked(services, [1] * most)["full"]


def test_every_view_reads_the_same_tokens_of_a_text_beyond_the_window_and_says_so(
    services, tiny_lm
):
    services.models.get("tiny")
    text = "the cat sat on the mat. " * 15
    ids = tiny_lm.tokenizer.encode(text)
    window = tiny_lm.model.config.n_positions
    start = json.loads(sentence.typed(services, {"model": "tiny", "text": text}))
    whys = json.loads(
        attribution.why(services, {"model": "tiny", "text": text, "word": None, "rival": None})
    )
    maps_read = read(services, None, AttentionForm("tiny", text))
    layers = json.loads(lens.lens(services, None, AttentionForm("tiny", text)))
    assert start["first"] == len(ids) - window
    labels = [describe_token(tiny_lm.tokenizer, token) for token in ids[-window:]]
    assert whys["tokens"] == labels and list(maps_read.kept.reading.token_ids) == ids[-window:]
    best = start["next"][0][1]
    assert whys["choices"][0][1] == pytest.approx(best, rel=1e-2)
    assert layers["share"][-1][-1] == pytest.approx(best, rel=1e-2)
    said = (start["note"], whys["said"], maps_read.note, layers["note"])
    assert all(f"{len(ids)}" in item and f"{window}" in item for item in said), said


def test_a_line_feed_alone_is_a_text_for_every_view_of_the_sentence(services, tiny_lm):
    services.models.get("tiny")
    start = json.loads(sentence.typed(services, {"model": "tiny", "text": "\n"}))
    whys = json.loads(
        attribution.why(services, {"model": "tiny", "text": "\n", "word": None, "rival": None})
    )
    assert start["next"][0][1] == pytest.approx(whys["choices"][0][1], rel=1e-2)
    written = new_document(services, tiny_lm, "tiny", "\n")
    assert list(written.ids) == prompt_ids(tiny_lm, "\n")


def test_a_typed_text_is_read_also_beyond_the_window_or_a_sentence_says_why_not(services, tiny_lm):
    services.models.get("tiny")
    seen = json.loads(sentence.typed(services, {"model": "tiny", "text": "the cat sat"}))
    assert seen["text"] == "the cat sat" and seen["machine"]["at"] == len(seen["tokens"]) - 1
    assert (
        "Type a word"
        in json.loads(sentence.typed(services, {"model": "tiny", "text": ""}))["message"]
    )
    assert (
        "4,000"
        in json.loads(sentence.typed(services, {"model": "tiny", "text": "a" * 5000}))["message"]
    )
    text = "the cat sat on the mat. " * 30
    ids = tiny_lm.tokenizer.encode(text)
    assert tiny_lm.model.config.n_positions < len(ids) <= sentence.MOST_TOKENS
    typed = json.loads(sentence.typed(services, {"model": "tiny", "text": text}))
    assert typed["first"] > 0 and typed["next"] == asked(services, ids)["next"]


def test_the_machine_is_that_of_the_place_that_is_looked_at(services, tiny_lm):
    ids = tiny_lm.tokenizer.encode(PROMPT)
    services.models.get("tiny")
    shown = json.loads(sentence.guesses(services, {"model": "tiny", "ids": ids, "at": 5}))[
        "machine"
    ]
    traced = trace(tiny_lm.model, ids, 5)
    config = tiny_lm.model.config
    assert shown["at"] == 5 and len(shown["blocks"]) == config.n_layer
    assert shown["choice"][2] == int(traced.logits[5].argmax())
    for layer, block in enumerate(shown["blocks"]):
        assert block["mlp"] == pytest.approx(float(traced.mlp_norms[layer]), rel=0.01)
        assert block["heads"] == pytest.approx(traced.head_norms[layer].tolist(), rel=0.01)
        assert block["guess"][2] == int(traced.lens[layer + 1].argmax())
        for head, looks in enumerate(block["looks"]):
            assert all(
                w == pytest.approx(float(traced.looks[layer, head, place]), rel=0.01)
                for place, w in looks
            )


def conclude(*, chances, looks=(0.1, 0.8, 0.1), norms=((1.0, 2.0), (9.0, 1.0)), choice=" blue"):
    """A conclusion from made-up numbers: chances [depth][token], norms [layer][head], looks
    [place].
    """
    looks = torch.tensor(looks).expand(len(norms), len(norms[0]), -1)
    found = SimpleNamespace(
        lens=torch.tensor(chances).log(), head_norms=torch.tensor(norms), looks=looks
    )
    return conclusion(found, [" a", " red", " ball"], choice)


SURE = [0.1, 0.7, 0.1, 0.1]
OTHER = [0.7, 0.1, 0.1, 0.1]


def test_the_conclusion_follows_the_numbers():
    assert conclude(chances=[OTHER, SURE, SURE]) == (
        "“blue” takes the lead in block 0 and ends at 70%. Block 0 does most for it (from 10% "
        "to 70%). Layer 0, head 1 writes most, looking back at “red” (80% of its attention)."
    )
    last = "The last block decides: “blue” jumps from 10% to 70%. Layer 1, head 0 writes most"
    assert last in conclude(chances=[OTHER, OTHER, SURE])
    assert conclude(chances=[SURE, OTHER, SURE]).startswith(
        "The last block decides: “blue” jumps from 10% to 70%. It had led before any block, "
        "then fell behind. Layer 1"
    )
    assert "“blue” rises from 45% to 70%" in conclude(
        chances=[[0.6, 0.4, 0, 0], [0.55, 0.45, 0, 0], SURE]
    )
    said = conclude(chances=[SURE] * 3)
    assert said == (
        "“blue” leads from the start, before any block, and ends at 70%. No single block "
        "raises its probability by much."
    )
    spread = conclude(chances=[OTHER, SURE, SURE], looks=(0.3, 0.4, 0.3))
    assert "Layer 0, head 1 writes most; its attention is spread over many words." in spread
    assert "looking back at the earlier “red”" in conclude(
        chances=[OTHER, SURE, SURE], choice=" red"
    )
    few = [[1 / 40] * 40] * 3
    assert (
        conclude(chances=few)
        == "Nothing stands out: the likeliest next token, “blue”, has only 2%."
    )


def test_the_story_has_six_chapters_whose_links_name_places_that_exist(services):
    chapters = json.loads(story.chapters(services, None))
    assert [chapter["shows"] for chapter in chapters] == [
        "objective", "tables", "options", "tables", "tables", "tables",
    ]  # fmt: skip
    sections = [section for chapter in chapters for section in chapter["sections"]]
    assert all(
        len(row) == len(section["columns"]) for section in sections for row in section["rows"]
    )
    links = [
        cell["to"]
        for section in sections
        for row in section["rows"]
        for cell in row
        if isinstance(cell, dict)
    ]
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
    lm = bundled.models.get("mini")
    other = bundled.models.get("world")
    ids = lm.tokenizer.encode("The red dog saw a big cat")
    shown = json.loads(sentence.opening(bundled, "world", held("mini", ids, own=True)))
    assert (
        other.tokenizer.decode([token["id"] for token in shown["tokens"]])
        == "The red dog saw a big cat"
    )
    begun = json.loads(sentence.opening(bundled, "world", held("mini", ids)))  # nobody's own
    assert begun["text"] == own_text(bundled, "world", other)


@pytest.mark.parametrize(
    "nonsense",
    [
        "{",
        "[]",
        "7",
        None,
        5,
        held("tiny", []),
        held("tiny", [True]),
        held("tiny", [10**6]),
        held("tiny", [1] * 401),
        held("tiny", "1"),
        held(None, [1]),
        held("nobody", [1], own=True),
        "[" * 5000,
        held("tiny", [-1]),
        "x" * 20_000,
    ],
)
def test_what_is_no_sentence_is_not_kept(services, nonsense):
    assert ids_of(sentence.opening(services, "tiny", nonsense)) == ids_of(
        sentence.opening(services, "tiny")
    )


def test_of_an_earlier_token_the_heads_are_those_of_the_text_up_to_there(tiny_lm):
    ids = tiny_lm.tokenizer.encode("the cat sat on the mat and the dog")
    for at in range(1, len(ids) - 1):
        whole, cut = (
            described(tiny_lm, text, trace(tiny_lm.model, text, at))
            for text in (ids, ids[: at + 1])
        )
        assert [block["head"] for block in whole["blocks"]] == [
            block["head"] for block in cut["blocks"]
        ]
        assert whole["said"].startswith("After ") and whole["said"].endswith(cut["said"])
