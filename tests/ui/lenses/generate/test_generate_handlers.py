import itertools
import json
import math
import threading
import time
from dataclasses import replace

import pytest

import gptcore
from gptcore.errors import GPTCoreError
from gptcore.inference.sampling_settings import SamplingSettings
from helpers import form, in_threads, last_stream, records_of, text_of, until
from ui.lenses.generate.handlers.strategies import COMPARED, FROM_SLIDERS, of_strategy
from ui.lenses.generate.write import writing
from ui.lenses.generate.write.score import score
from ui.shared.inputs import InputError
from ui.state import token_stream
from ui.state.sessions import Document

PROMPT = "the cat"

FORM = form()


def run(services, controls=FORM, prompt=PROMPT, session="a"):
    return list(writing.write(services, session, "tiny", prompt, controls))


def test_the_page_writes_what_generate_writes(services, tiny_lm):
    stream = last_stream(run(services))
    tokens = list(gptcore.generate(tiny_lm, PROMPT, max_new_tokens=12, seed=5))
    shown = records_of(stream, "token")
    assert [record["id"] for record in shown] == [token.id for token in tokens]
    assert text_of(stream) == "".join(token.text for token in tokens)
    assert records_of(stream, "prompt")[0]["text"] == PROMPT
    assert shown[0]["p"] == pytest.approx(2.718281828 ** tokens[0].logprob, rel=1e-3)
    assert len(shown[0]["others"]) == 5


def test_streams_only_ever_grow_and_end_with_figures(services):
    streams = [view.stream for view in run(services) if view.stream is not None]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(streams))
    stats = records_of(streams[-1], "stats")[-1]
    assert stats["n"] == 12 and stats["end"] == "length" and stats["first_ms"] > 0


def test_the_first_token_is_shown_at_once_and_the_others_in_updates(services, monkeypatch):
    monkeypatch.setattr("ui.services._BETWEEN_UPDATES", 3600.0)
    streams = [view.stream for view in run(services) if view.stream is not None]
    assert [len(records_of(stream, "token")) for stream in streams] == [0, 1, 12]


def test_a_slider_that_is_moved_while_a_text_is_written_counts_for_the_chart_at_its_end(services):
    run(services)
    views = writing.write(services, "a", "tiny", PROMPT, FORM)
    next(views)
    writing.redraw(services, "a", form(temperature=0).sampling)
    charts = [view.distribution for view in views if view.distribution is not None]
    assert json.loads(charts[-1])["stages"][-1]["candidates"] == 1
    after = [view.distribution for view in run(services) if view.distribution is not None]
    # the next text begins with its own form
    assert json.loads(after[-1])["stages"][-1]["candidates"] > 1


def test_the_seed_that_was_drawn_is_shown_and_gives_the_text_again(services):
    views = run(services, form(seed=None))
    assert text_of(last_stream(views)) == text_of(
        last_stream(run(services, form(seed=views[0].seed)))
    )


def test_next_token_by_next_token_gives_the_text_of_one_go(services):
    whole = text_of(last_stream(run(services)))
    for _ in range(12):
        views = list(writing.write_one(services, "b", "tiny", PROMPT, form()))
    assert text_of(last_stream(views)) == whole


def test_a_click_on_an_alternative_puts_it_in_place_and_writes_on(services):
    before = records_of(last_stream(run(services)), "token")
    other = next(entry for entry in before[4]["others"] if entry[2] != before[4]["id"])
    views = list(writing.branch(services, "a", "tiny", "typed since", form(), 4, other[2]))
    assert views[0].prompt == PROMPT  # the prompt on the page is that of the text
    after = records_of(last_stream(views), "token")
    assert [t["id"] for t in after[:4]] == [t["id"] for t in before[:4]]
    assert after[4]["id"] == other[2] and after[4]["p"] == pytest.approx(other[1], rel=1e-3)
    assert after[4]["yours"] and "chance" not in after[4] and len(after) == 12


def test_a_token_clicked_in_the_chart_is_appended_alone(services):
    run(services)
    views = list(writing.branch(services, "a", "tiny", PROMPT, form(), None, 100))
    tokens = records_of(last_stream(views), "token")
    assert len(tokens) == 13 and tokens[-1]["id"] == 100
    fresh = list(writing.branch(services, "a", "tiny", "another prompt", form(), None, 101))
    assert [t["id"] for t in records_of(last_stream(fresh), "token")] == [101]


def test_undo_brings_back_each_earlier_text(services):
    first = last_stream(run(services))
    run(services, form(seed=6), prompt="the dog")
    view = writing.undo(services, "a", "tiny", form().sampling)
    assert view.stream == first and view.prompt == PROMPT and view.seed == 5
    with pytest.raises(InputError, match="nothing to undo"):
        writing.undo(services, "a", "tiny", form().sampling)


def test_stop_ends_within_a_token_and_keeps_what_was_written(services):
    views = writing.write(
        services, "a", "tiny", PROMPT, form(max_new_tokens=100, tokens_per_second=20)
    )
    next(views)
    next(views)
    threading.Timer(0.2, services.sessions.get("a").stop).start()
    rest = list(views)
    stream = last_stream(rest)
    assert records_of(stream, "stats")[-1]["end"] == "stopped"
    assert 1 <= len(records_of(stream, "token")) < 30
    assert services.sessions.get("a").document.stream == stream
    assert rest[-1].distribution  # the last view comes all the same


def test_a_second_run_of_a_visitor_ends_the_first_and_owns_the_page(services):
    slow = form(max_new_tokens=100, tokens_per_second=5)
    first = threading.Thread(target=run, args=(services, slow))
    first.start()
    until(lambda: services.sessions.get("a").document)
    run(services, prompt="the dog")
    first.join(timeout=60)  # alone it would have written for 20 s more
    session = services.sessions.get("a")
    assert (
        not first.is_alive()
        and len(session.undo[-1].ids) < 60
        and session.document.prompt == "the dog"
    )
    # nor is its text lost
    assert writing.undo(services, "a", "tiny", form().sampling).prompt == PROMPT


def test_a_run_whose_visitor_never_comes_back_blocks_and_overwrites_nothing(services, monkeypatch):
    monkeypatch.setattr("ui.state.sessions._LONGEST_TURN", 0.1)
    lost = writing.write(services, "a", "tiny", PROMPT, form(max_new_tokens=100))
    next(lost)
    run(services, prompt="the dog")
    list(lost)
    assert services.sessions.get("a").document.prompt == "the dog"


def test_the_speed_limit_slows_writing_to_what_was_asked(services):
    began = time.perf_counter()
    run(services, form(max_new_tokens=5, tokens_per_second=20))
    assert time.perf_counter() - began >= 0.24


def test_moving_a_slider_redraws_from_kept_logits_without_the_model(services, monkeypatch):
    run(services)
    monkeypatch.setattr(writing, "last_logits", lambda *_, **__: pytest.fail("the model ran"))
    data = json.loads(writing.redraw(services, "a", form(top_k=3).sampling).distribution)
    assert [stage["name"] for stage in data["stages"]] == ["softmax", "temperature", "top-k"]
    assert data["stages"][-1]["candidates"] == 3 and data["vocab_size"] == 270
    assert sum(row["p"][-1] > 0 for row in data["rows"]) == 3
    assert writing.redraw(services, "another visitor", form().sampling).distribution is None
    writing.preview(services, "a", "tiny", "", form())  # an emptied prompt leaves nothing to draw
    assert writing.redraw(services, "a", form().sampling).distribution is None


@pytest.mark.parametrize("n_tokens", [1, 12, 60])  # 60: past the window of 32
def test_the_chart_after_a_text_costs_one_more_step_and_no_second_reading(
    services, monkeypatch, n_tokens
):
    read = gptcore.inference.generation.last_logits
    monkeypatch.setattr(writing, "last_logits", lambda *_, **__: pytest.fail("it was read again"))
    run(services, form(max_new_tokens=n_tokens))
    seen = services.sessions.get("a").next_token
    expected = read(services.models.get("tiny").model, seen.ids, n_prompt=seen.n_prompt)
    assert len(seen.ids) == seen.n_prompt + n_tokens
    assert seen.logits.tolist() == pytest.approx(expected.tolist(), abs=1e-3)


def test_a_text_with_another_remark_is_told_once_that_the_window_is_full(services):
    run(services)
    session = services.sessions.get("a")
    session.document = session.document.noted(token_stream.note("Another remark."))
    for _ in range(3):
        stream = last_stream(writing.continue_text(services, "a", "tiny", PROMPT, FORM))
    notes = [record["text"] for record in records_of(stream, "note")]
    assert notes[0] == "Another remark." and sum("the window of" in note for note in notes) == 1


def test_looking_at_a_half_typed_prompt_never_raises(services):
    assert writing.preview(services, "a", "tiny", "", form()).distribution == ""
    data = json.loads(
        writing.preview(services, "a", "tiny", "x" * 501, form()).distribution or "{}"
    )
    long = json.loads(writing.preview(services, "a", "tiny", "the cat " * 40, form()).distribution)
    assert "reads 32" in long["message"] or "reads 32" in data.get("message", "")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"temperature": float("nan")}, "Temperature is nan"),
        ({"temperature": -1}, "between 0 and 100"),
        ({"temperature": True}, "Temperature is True"),
        ({"temperature": None}, "Temperature is missing"),
        ({"temperature": 10**400}, "Temperature is 1000"),
        ({"max_new_tokens": 10**400}, "New tokens is 1000"),
        ({"temperature": "hot"}, "Temperature is 'hot'"),
        ({"top_k": 271}, "this model has 270 tokens"),
        ({"top_k": 1.5}, "whole number"),
        ({"top_p": 0}, "Top-p is 0"),
        ({"top_p": float("inf")}, "Top-p is inf"),
        ({"min_p": 2}, "Min-p"),
        ({"repetition_penalty": 0}, "Repetition"),
        ({"no_repeat_ngram_size": -1}, "n-grams"),
        ({"max_new_tokens": 0}, "between 1 and 150"),
        ({"max_new_tokens": 10**9}, "between 1 and 150"),
        ({"max_new_tokens": [3]}, "New tokens is [3]"),
        ({"seed": -1}, "seed"),
        ({"seed": 1e300}, "seed"),
        ({"stop": None}, "stop strings must be text"),
        ({"stop": ["a", ""]}, "A stop string"),
        ({"stop": list("abcdefghij")}, "more than 8 stop strings"),
        ({"stop": "\n".join("abcdefghij")}, "more than 8 stop strings"),
        ({"use_cache": "yes"}, "KV cache"),
        ({"tokens_per_second": float("nan")}, "speed limit"),
    ],
)
def test_bad_controls_are_sentences_and_nothing_is_lost(services, change, words):
    run(services)
    before = services.sessions.get("a").document
    with pytest.raises(GPTCoreError) as error:
        run(services, form(**change))
    assert words in str(error.value)
    assert services.sessions.get("a").document is before


@pytest.mark.parametrize(("prompt", "words"), [
    ("", "empty"), (None, "must be text"), (7, "must be text"), ("x" * 501, "501 characters"),
    ("the dog " * 40, "this model reads 32"), ("a\ud800", "surrogate"),
])  # fmt: skip
def test_bad_prompts_are_sentences(services, prompt, words):
    with pytest.raises(GPTCoreError, match=words):
        run(services, prompt=prompt)


@pytest.mark.parametrize(
    ("place", "token"), [(99, 1), (-1, 1), ("0", 1), (0, 270), (0, None), (0, "x"), (1.5, 3)]
)
def test_a_forged_click_is_a_sentence(services, place, token):
    run(services)
    with pytest.raises(InputError):
        list(writing.branch(services, "a", "tiny", PROMPT, form(), place, token))
    with pytest.raises(InputError, match="Press Generate first"):  # where there is no text
        list(writing.branch(services, "new", "tiny", PROMPT, form(), 0, 1))


def test_ten_steps_at_the_same_time_write_ten_tokens(services):
    whole = text_of(last_stream(run(services, form(max_new_tokens=10), session="b")))
    in_threads(*[lambda: list(writing.write_one(services, "a", "tiny", PROMPT, form()))] * 10)
    document = services.sessions.get("a").document
    assert text_of(document.stream) == whole
    lengths = [len(earlier.ids) for earlier in services.sessions.get("a").undo]
    assert lengths == sorted(set(lengths))


def test_slow_readers_keep_nobody_waiting(services):
    slow = form(max_new_tokens=100, tokens_per_second=1)
    visitors = [writing.write(services, f"slow-{i}", "tiny", PROMPT, slow) for i in range(4)]
    threads = [threading.Thread(target=list, args=(views,)) for views in visitors]
    for thread in threads:
        thread.start()
    run(services, session="quick")
    assert all(thread.is_alive() for thread in threads)  # they have a hundred seconds to write
    for i in range(4):
        services.sessions.get(f"slow-{i}").stop()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_stop_also_ends_what_still_waits_for_its_turn(services):
    slow = writing.write(services, "a", "tiny", PROMPT, form(tokens_per_second=2))
    next(slow)
    waiting = threading.Thread(
        target=list, args=(writing.write_one(services, "a", "tiny", "the dog", form()),)
    )
    waiting.start()
    until(lambda: len(services.sessions.get("a")._runs) == 2)
    services.sessions.get("a").stop()
    list(slow)
    waiting.join(timeout=60)
    assert services.sessions.get("a").document.prompt == PROMPT


def test_a_stop_string_is_not_shown_and_the_figures_are_of_the_whole_text(services):
    free = text_of(last_stream(run(services)))
    stream = last_stream(run(services, form(stop=free[6:9].replace("\n", "\\n"))))
    assert free.startswith(text_of(stream)) and free[6:9] not in text_of(stream)
    stats = records_of(stream, "stats")[-1]
    assert stats["end"] == "stop" and stats["n"] == len(records_of(stream, "token"))
    views = list(writing.write_one(services, "a", "tiny", PROMPT, form()))
    after = records_of(last_stream(views), "stats")[-1]
    assert after["n"] == len(records_of(last_stream(views), "token")) and after["end"] == "step"


def notes(stream: str) -> list[str]:
    return [record["text"] for record in records_of(stream, "note")]


def test_the_same_text_again_says_that_it_is_the_same(services):
    assert notes(last_stream(run(services))) == []
    again = notes(last_stream(run(services)))
    assert len(again) == 1 and again[0].startswith("The same text as before")
    assert notes(last_stream(run(services, form(seed=77)))) == []


def ended(tiny_lm, n_written: int):
    """Services' text that ends with the end-of-text token after so many tokens."""
    ids = tuple(tiny_lm.tokenizer.encode(PROMPT))
    return Document(
        "tiny", PROMPT, len(ids), (*ids, *range(n_written - 1), tiny_lm.tokenizer.end_id), (), 1
    )


def test_a_text_that_ends_at_once_says_why(services, tiny_lm):
    session = services.sessions.get("a")
    for n_written, is_short in ((1, True), (7, True), (8, False), (30, False)):
        session.document = ended(tiny_lm, n_written)
        remarks = list(writing._remarks(session, tiny_lm, None))
        assert bool(remarks) is is_short
    session.document = ended(tiny_lm, 3)
    assert (
        "the dice fell on the end-of-text token"
        in next(writing._remarks(session, tiny_lm, None)).stream
    )


def test_after_a_text_that_has_ended_the_chart_is_of_where_it_was_begun(services, tiny_lm):
    document = ended(tiny_lm, 5)
    session = services.sessions.get("a")
    writing._read_next_token(services, session, tiny_lm, document, FORM.sampling)
    assert session.next_token.ids == document.ids[: document.n_prompt]
    open_text = replace(document, ids=document.ids[:-1])
    writing._read_next_token(services, session, tiny_lm, open_text, FORM.sampling)
    assert session.next_token.ids == open_text.ids


def test_a_first_token_that_is_scored_from_the_end_token_is_named_so(bundled):
    def said(stream):
        return next(record["said"] for record in records_of(stream, "stats"))

    assert "from the end-of-text token" in said(score(bundled, "mini", "Once upon a time"))
    assert "from the end-of-text token" not in said(score(bundled, "anthology", "the cat"))


def test_the_figures_of_a_scored_text_are_those_of_its_tokens(bundled):
    written = "Once upon a time, there was a café."
    stream = score(bundled, "mini", written)
    chances = [record["p"] for record in records_of(stream, "token") if "p" in record]
    stats = next(record for record in records_of(stream, "stats"))
    nats = -sum(map(math.log, chances))
    assert stats["n"] == len(chances)
    assert stats["perplexity"] == pytest.approx(math.exp(nats / len(chances)), rel=0.01)
    assert stats["bits_per_token"] == pytest.approx(nats / len(chances) / math.log(2), rel=0.01)
    assert stats["bits_per_byte"] == pytest.approx(
        nats / math.log(2) / len(written.encode()), rel=0.01
    )


@pytest.mark.parametrize("name", COMPARED)
def test_a_strategy_that_is_named_writes_with_its_own_settings(name):
    sliders = SamplingSettings(temperature=1.7)
    assert of_strategy(name, sliders, 10_000) == COMPARED[name]
    of_few = of_strategy(name, sliders, 3)
    assert of_few == (replace(COMPARED[name], top_k=3) if COMPARED[name].top_k else COMPARED[name])
    assert of_strategy(FROM_SLIDERS, sliders, 3) == sliders
