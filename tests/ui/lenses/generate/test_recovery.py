"""What comes back when the connection or the server was lost while somebody was writing."""

from dataclasses import fields

from helpers import form, last_stream, records_of, text_of
from ui.lenses.generate.write import writing
from ui.lenses.generate.write.first_text import recover
from ui.state.sessions import Document, Session
from ui.state.token_stream import prompt


def example_of(services):
    ids = services.models.get("tiny").tokenizer.encode("the cat sat")
    return Document("tiny", "the cat sat", len(ids), tuple(ids), (prompt("the cat sat"),), 1)


def test_a_text_cut_by_a_lost_connection_says_so_and_goes_on_as_it_would_have(services):
    visit = "a-browser-tab-of-its-own"
    example = example_of(services)
    whole = last_stream(writing.write(services, "b", "tiny", "the cat", form(min_new_tokens=12)))
    assert recover(services, "a", visit, "", example) is None
    writes = writing.write(
        services, "a", "tiny", "the cat", form(min_new_tokens=12, tokens_per_second=200)
    )
    for view in writes:
        if records_of(view.stream or "", "token"):
            break
    services.sessions.forget("a")
    list(writes)
    document = recover(services, "after", visit, "", example)
    cut = records_of(document.stream, "token")
    assert (
        0 < len(cut) < 12
        and "connection was lost" in records_of(document.stream, "note")[0]["text"]
    )
    again = recover(services, "again", visit, "", example)
    assert again == document  # said once
    stream = last_stream(
        writing.continue_text(services, "again", "tiny", "anything else", form(min_new_tokens=12))
    )
    assert text_of(stream).startswith(text_of(whole))


def test_a_text_that_only_the_browser_still_has_comes_back_as_a_prompt(services):
    visit = "a-browser-tab-of-its-own"
    example = example_of(services)
    for nothing in ("", "  ", None, 7, ["a"], "the cat sat"):
        assert recover(services, "a", visit, nothing, example) is None
    document = recover(services, "a", visit, "the dog ran and ran", example)
    assert document.prompt == "the dog ran and ran" == services.sessions.get("a").document.prompt
    assert "server restarted" in records_of(document.stream, "note")[0]["text"]
    stream = last_stream(
        writing.continue_text(services, "a", "tiny", "anything else", form(min_new_tokens=12))
    )
    assert len(records_of(stream, "token")) == 12
    # A longer text than the model can read is shown whole, and goes on from its end.
    long = "the cat sat on the mat. " * 4
    document = recover(services, "b", visit + "-2", long, example)
    assert records_of(document.stream, "prompt")[0]["text"] == long
    assert len(recover(services, "c", visit + "-3", "x" * 100_000, example).lines[0].json) < 25_000
    assert long.endswith(document.prompt.lstrip("\ufffd")) and len(document.prompt) < len(long)


def test_without_a_text_on_the_page_going_on_begins_one(services):
    stream = last_stream(
        writing.continue_text(services, "a", "tiny", "the cat", form(min_new_tokens=12))
    )
    assert (
        records_of(stream, "prompt")[0]["text"] == "the cat"
        and len(records_of(stream, "token")) == 12
    )


def test_the_example_is_not_recovered_so_that_what_a_link_sets_stays(services):
    visit = "another-browser-tab-of-its-own"
    example = example_of(services)
    assert recover(services, "a", visit, "", example) is None
    services.sessions.get("a").document = example
    services.sessions.forget("a")
    assert recover(services, "b", visit, "", example) is None
    services.sessions.get("b").document = written = example.noted(prompt(" and"))
    services.sessions.forget("b")
    assert recover(services, "c", visit, "", example) == written


def test_a_text_that_fills_the_window_comes_back_whole_and_a_longer_one_by_its_last_half(
    services, tiny_lm
):
    encode = tiny_lm.tokenizer.encode
    text = "the cat sat on the mat and the dog ran to the cat. " * 4
    by_length = {len(encode(text[:end])): text[:end] for end in range(len(text))}
    window = tiny_lm.model.config.n_positions
    for n, read in ((window, window), (window + 1, window // 2)):
        document = recover(services, f"of-{n}", f"tab-{n}", by_length[n], example_of(services))
        assert list(document.ids) == encode(by_length[n])[-read:], n


# of the page, not of the text on it
OF_THE_PAGE = {"moved", "opened", "visit", "last_seen"}


def test_all_that_belongs_to_a_text_comes_with_it(services):
    visit = "a-browser-tab-of-its-own"
    before = services.sessions.get("before")
    services.sessions.resume("before", visit)
    own = {item.name for item in fields(Session) if not item.name.startswith("_")} - OF_THE_PAGE
    held = {name: object() for name in own} | {"document": example_of(services)}
    for name, item in held.items():
        setattr(before, name, item)
    after = services.sessions.resume("after", visit)
    assert {name: getattr(after, name) for name in own} == held
