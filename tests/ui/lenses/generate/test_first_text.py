"""What the page shows of a model that has just been picked, and what survives a reload."""

import json
from dataclasses import replace

import pytest

from gptcore import GPTConfig, LanguageModel
from gptcore.tokenizers import CharTokenizer
from helpers import form, records_of, text_of
from tiny import make_model
from ui.lenses.generate.write import first_text, writing
from ui.shared import uses
from ui.shared.own_text import own_text, reads
from ui.state import token_stream
from ui.state.model_store import ModelStore

SHAPE = GPTConfig(vocab_size=6, n_positions=12, n_embd=16, n_layer=1, n_head=2)
LETTERS = LanguageModel(make_model(SHAPE), CharTokenizer("abc de"), "letters")


@pytest.fixture
def two_models(services, tiny_lm):
    there = {"tiny": tiny_lm, "letters": LETTERS}
    return replace(
        services,
        models=ModelStore(services.limits, default="tiny", loader=lambda name, **_: there[name]),
    )


def opened(services, model, prompt, session="v"):
    return list(first_text.first_text(services, session, model, prompt, form()))


def shown(views, name):
    return [getattr(view, name) for view in views if getattr(view, name) is not None][-1]


def test_a_prompt_that_the_visitor_wrote_stays_if_the_model_can_read_it(two_models):
    opened(two_models, "tiny", "")
    views = opened(two_models, "letters", "a bad")
    assert shown(views, "prompt") == "a bad"
    stream = shown(views, "stream")
    assert (
        records_of(stream, "prompt")[0]["text"] == "a bad"
        and len(records_of(stream, "token")) == 12
    )


@pytest.mark.parametrize("prompt", ["The cat, 7!", "abcabcabcabcabcabc", "", 7])
def test_another_prompt_makes_room_for_the_model_s_own(two_models, prompt):
    views = opened(two_models, "letters", prompt)
    own = own_text(two_models, "letters", LETTERS)
    assert shown(views, "prompt") == own != prompt and reads(LETTERS, own)
    assert records_of(shown(views, "stream"), "prompt")[0]["text"] == own
    document = two_models.sessions.get("v").document
    assert (document.model, document.prompt) == ("letters", own)


def test_nothing_changes_where_the_text_is_the_model_s_already(two_models):
    own = shown(opened(two_models, "letters", ""), "prompt")
    before = two_models.sessions.get("v").document
    (view,) = opened(two_models, "letters", own)
    assert (view.prompt, view.stream, view.seed) == (None, None, None)
    assert two_models.sessions.get("v").document is before
    tiny = two_models.models.get("tiny")  # whose own prompt takes the place of the other one's
    assert shown(opened(two_models, "tiny", own), "prompt") == own_text(two_models, "tiny", tiny)


def test_after_a_reload_the_chart_is_that_of_the_model_in_the_header(two_models):
    opened(two_models, "tiny", "")
    opened(two_models, "letters", "a bad")
    # The page sets prompt and model at once: the prompt is looked at beside the model that stood
    # there before.
    assert writing.preview(two_models, "v", "tiny", "a bad", form()).distribution is None
    drawn = json.loads(shown(opened(two_models, "letters", "a bad"), "distribution"))
    assert drawn["vocab_size"] == 6 and two_models.sessions.get("v").next_token.model == "letters"


def test_that_the_window_is_full_is_said_once_in_a_text(two_models):
    opened(two_models, "letters", "a bad")
    session = two_models.sessions.get("v")  # another note does not count as this one
    session.document = session.document.noted(token_stream.note("Stopped."))
    views = list(
        writing.continue_text(two_models, "v", "letters", "a bad", form(max_new_tokens=100))
    )
    notes = [
        note["text"]
        for note in records_of(shown(views, "stream"), "note")
        if "window" in note["text"]
    ]
    assert len(notes) == 1


def test_a_step_behind_the_end_of_a_text_is_said(services, tiny_lm):
    tokenizer = tiny_lm.tokenizer
    list(writing.write_one(services, "a", "tiny", "the cat", form()))
    session = services.sessions.get("a")
    session.document = replace(session.document, ids=(*session.document.ids[:-1], tokenizer.end_id))
    stream = shown(writing.write_one(services, "a", "tiny", "the cat", form()), "stream")
    (note,) = records_of(stream, "note")
    assert note["text"] == "the model ended its text here; what follows begins another"


def test_a_reload_brings_the_text_back_to_the_same_browser_tab(services):
    visit = "a-browser-tab-of-its-own"
    services.sessions.resume("before", visit)
    list(writing.write(services, "before", "tiny", "the cat", form()))
    written = services.sessions.get("before").document
    assert services.sessions.resume("other", "another-browser-tab") is None
    services.sessions.forget("before")
    after = services.sessions.resume("after", visit)
    assert after.document == written and text_of(after.document.stream)
    # Also when the new page is there before the old one is known to be closed, and while it still
    # writes.
    again = services.sessions.resume("again", visit)
    assert again.document == written
    for nonsense in (None, 7, "short", "x" * 65, ["a"]):
        assert services.sessions.resume("again", nonsense) is None


def test_a_page_that_is_heard_to_close_late_does_not_bring_its_text_back(services):
    visit = "a-browser-tab-of-its-own"
    services.sessions.resume("first", visit)
    list(writing.write(services, "first", "tiny", "the cat", form()))
    services.sessions.resume("second", visit)
    list(writing.write(services, "second", "tiny", "a dog", form()))
    newest = services.sessions.get("second").document
    services.sessions.forget("first")  # a busy server hears of it only now
    assert services.sessions.resume("third", visit).document == newest
    services.sessions.forget("second")
    assert services.sessions.resume("fourth", visit).document == newest


def test_texts_of_closed_pages_do_not_pile_up(services):
    for index in range(120):
        services.sessions.resume(f"page-{index}", f"browser-tab-number-{index:04}")
        services.sessions.forget(f"page-{index}")
    assert len(services.sessions) == 0 and len(services.sessions._left) <= 50


def test_a_superseded_run_says_nothing_and_the_last_one_keeps_the_prompt(services):
    session = services.sessions.get("fast")
    with session.turn() as before:
        before.stopped = True
    first = writing.write(services, "fast", "tiny", "the cat", form())
    next(first)
    session.stop()
    list(first)
    views = list(writing.write(services, "fast", "tiny", "the cat", form()))
    assert len(records_of(shown(views, "stream"), "token")) == 12
    assert all(view.prompt in (None, "the cat") for view in views)


def test_every_tab_says_which_model_it_works_with(services):
    lines = uses.model_lines(services, "mini", "gpt2", "world")
    assert lines == [
        *["<span hidden>Model on this tab: mini</span>"] * 3,
        "Model on this tab: gpt2 (picked above: mini)",
        "Model on this tab: a new one; Continue: mini",
        "Model on this tab: world (picked above: mini)",
    ]
    assert uses.model_lines(services, "mini")[5] == "<span hidden>Model on this tab: mini</span>"
    assert json.dumps(uses.model_lines(services, None))


def test_an_uploaded_model_is_called_by_its_file(services, tiny_lm):
    _, name = services.run_manager.keep(None, replace(tiny_lm, name="my model"))
    assert uses.title(services, name) == "my model"
