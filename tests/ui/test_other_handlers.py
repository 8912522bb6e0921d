import math
import threading
import time

import pytest

import gptcore
from gptcore.errors import CheckpointError, GPTCoreError
from gptcore.inference.scoring import token_logprobs
from helpers import form, in_threads, records_of, text_of, until
from ui import links
from ui.endpoints import ENDPOINTS
from ui.lenses.generate.compare.comparing import MOST, compare
from ui.lenses.generate.handlers.strategies import FROM_SLIDERS, OFF
from ui.lenses.generate.write.score import score
from ui.shared.inputs import InputError
from ui.state.limits import PROFILES, Limits
from ui.state.model_store import ModelStore
from ui.state.sessions import Document, SessionStore

PROMPT = "the cat"

FORM = form()


def columns(services, strategies, same=True, controls=FORM):
    return list(compare(services, "a", "tiny", PROMPT, controls, strategies, same))[-1][0]


def test_each_column_writes_what_its_strategy_writes_alone(services, tiny_lm):
    streams = columns(
        services, ["Greedy", "Top-k = 50", FROM_SLIDERS, OFF], controls=form(temperature=0.5)
    )
    settings = [{"temperature": 0}, {"top_k": 50}, {"temperature": 0.5}]
    for stream, how in zip(streams, settings, strict=False):
        alone = gptcore.generate(tiny_lm, PROMPT, max_new_tokens=12, seed=5, **how)
        assert text_of(stream) == "".join(token.text for token in alone)
        assert records_of(stream, "stats")[-1]["end"] == "length"
    assert streams[3] == ""


def test_one_strategy_in_all_columns_gives_one_text_or_several(services):
    same = columns(services, ["Neutral"] * MOST, same=True)
    different = columns(services, ["Neutral"] * MOST, same=False)
    assert len({text_of(stream) for stream in same}) == 1
    assert len({text_of(stream) for stream in different}) == MOST


def test_a_comparison_stops_and_keeps_what_was_written(services):
    slow = form(max_new_tokens=100, tokens_per_second=20)
    views = compare(services, "a", "tiny", PROMPT, slow, ["Greedy", "Neutral", OFF, OFF], True)
    next(views)
    services.sessions.get("a").stop()
    assert all(
        records_of(stream, "stats")[-1]["end"] == "stopped" for stream in list(views)[-1][0][:2]
    )


def test_the_speed_limit_holds_for_the_longest_column(services):
    began = time.perf_counter()
    columns(
        services,
        ["Neutral", "Greedy", OFF, OFF],
        controls=form(max_new_tokens=6, tokens_per_second=15),
    )
    assert time.perf_counter() - began >= 0.38


@pytest.mark.parametrize(("strategies", "same", "words"), [
    ([OFF] * 4, True, "All columns are empty"), (["Best", OFF, OFF, OFF], True, "unknown"),
    (["Greedy"] * 4, 1, "random numbers"),
])  # fmt: skip
def test_a_comparison_of_nothing_or_nonsense_is_a_sentence(services, strategies, same, words):
    with pytest.raises(InputError, match=words):
        columns(services, strategies, same)


def test_a_scored_text_shows_the_probability_of_every_token(services, tiny_lm):
    stream = score(services, "tiny", "the cat sat.")
    tokens = records_of(stream, "token")
    ids = [tiny_lm.tokenizer.end_id, *tiny_lm.tokenizer.encode("the cat sat.")]
    expected = token_logprobs(tiny_lm.model, ids)
    assert [t["p"] for t in tokens] == pytest.approx(expected.exp().tolist(), rel=1e-3)
    figures = records_of(stream, "stats")[0]
    assert figures["perplexity"] == pytest.approx(math.exp(-expected.mean()), rel=1e-3)
    assert figures["bits_per_byte"] == pytest.approx(
        -float(expected.sum()) / math.log(2) / 12, abs=1e-3
    )


@pytest.mark.parametrize("text", ["", None, "x" * 501])
def test_a_text_that_cannot_be_scored_is_a_sentence(services, text):
    with pytest.raises(InputError):
        score(services, "tiny", text)


def test_the_apis_next_token_is_exact_over_the_vocabulary(services, tiny_lm):
    reply = ENDPOINTS["next_token"](services, PROMPT, n_rows=270, model="tiny", top_p=0.5)
    assert len(reply["rows"]) == 270 and sum(row["p"][0] for row in reply["rows"]) == pytest.approx(
        1, abs=1e-4
    )
    kept = [row for row in reply["rows"] if row["p"][-1] > 0]
    assert len(kept) == reply["stages"][-1]["candidates"]
    assert sum(row["p"][0] for row in kept) >= 0.5


def test_a_link_for_a_frame_opens_its_tab():
    assert links.read({"embed": "attention"}, 100) == {"tab": "attention"}
    assert links.mistakes({"embed": "attention", "view": "Layers"}) == []
    assert links.mistakes({"tab": "attention", "draws": "lines"}) == []
    (view,) = links.mistakes({"embed": "attention", "view": "Nothing"})
    assert "Layers" in view
    (tab,) = links.mistakes({"embed": "nothing"})
    assert "choose 'start'" in tab and links.read({"embed": "nothing"}, 100) == {}


def test_what_a_link_cannot_set_is_said_and_strangers_names_are_let_be():
    query = {"temperature": "hot", "task": "cook", "preset": "Tasks appear", "promt": "a"}
    query |= {"utm_source": "x", "__theme": "dark"}
    number, task, name = links.mistakes(query)
    assert (
        number == "The link's temperature: Temperature is 'hot'; it must be a number from 0 to 2."
    )
    assert task.startswith("The link's task: The task is 'cook'; choose summarise, translate, ")
    assert name == "The link sets 'promt', which this page does not know; did you mean 'prompt'?"
    assert links.read(query, 200) == {"preset": "Tasks appear"}
    # no more than the server allows
    assert links.read({"max_new_tokens": "500"}, 200) == {"max_new_tokens": 200}
    assert links.mistakes({"preset": "9" * 5000})[0].startswith(
        "The link's preset: The preset is '9999"
    )


def test_many_visitors_asking_for_one_model_load_it_once(tiny_lm):
    loads = []
    began = threading.Barrier(8)

    def visit():
        began.wait(30)
        store.get("tiny")

    def slow(name, **_):
        loads.append(name)
        until(lambda: began.n_waiting == 0)
        return tiny_lm

    store = ModelStore(Limits(), loader=slow)
    in_threads(*[visit] * 8)
    assert loads == ["tiny"]


def test_the_least_recently_used_model_makes_room(tiny_lm):
    size = sum(p.numel() for p in tiny_lm.model.parameters()) * 6
    store = ModelStore(Limits(model_bytes=int(2.5 * size)), loader=lambda *_, **__: tiny_lm)
    for name in ("one", "two", "one", "three"):
        store.get(name)
    assert store.loaded() == ["one", "three"]
    with pytest.raises(CheckpointError, match="Choose a smaller one"):
        ModelStore(
            Limits(model_bytes=size - 1), loader=lambda *_, check, **__: check(tiny_lm.model.config)
        ).get("one")


def test_a_model_that_fails_to_load_can_be_tried_again(tiny_lm):
    answers = iter([CheckpointError("broken"), tiny_lm])

    def loader(*_, **__):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    store = ModelStore(Limits(), loader=loader)
    with pytest.raises(CheckpointError):
        store.get("x")
    assert store.get("x").model is tiny_lm.model
    assert store.get("x").name == "x"  # by which it can be asked for again


def test_the_picker_says_what_a_first_use_costs(monkeypatch):
    monkeypatch.setattr(
        "ui.state.model_store.cached", lambda repository, _: None if "xl" in repository else "here"
    )
    labels = {choice.name: choice.label for choice in ModelStore(Limits()).choices()}
    assert labels["gpt2"] == "gpt2 · cached" and labels["gpt2-xl"] == "gpt2-xl · downloads 6,433 MB"
    offline = {choice.name: choice.label for choice in ModelStore(Limits(), offline=True).choices()}
    assert offline["gpt2-xl"] == "gpt2-xl · not available here: offline, 6,433 MB to download"
    small = {choice.name: choice for choice in ModelStore(PROFILES["space"]).choices()}
    assert (
        small["gpt2-xl"].label
        == "gpt2-xl · not available here: needs 9.3 GB of memory, 4.3 GB allowed"
    )
    assert small["gpt2-medium"].closed == ""


def test_what_is_too_large_or_not_in_the_list_is_refused_before_anything_is_downloaded():
    asked = []
    store = ModelStore(PROFILES["space"], loader=lambda name, **_: asked.append(name))
    with pytest.raises(
        CheckpointError, match=r"gpt2-xl needs 9.3 GB of memory; this server gives models 4.3 GB"
    ):
        store.get("gpt2-xl")
    with pytest.raises(
        CheckpointError, match=r"offline. Where there is a network, run `python app.py --prefetch"
    ):
        ModelStore(Limits(), offline=True, loader=lambda name, **_: asked.append(name)).get(
            "gpt2-xl"
        )
    assert asked == []
    store = ModelStore(Limits(any_model=False), loader=lambda *_, **__: pytest.fail("loaded"))
    for name in ("/etc", "someone/model", "../weights"):
        with pytest.raises(CheckpointError, match="only the models in its list"):
            store.get(name)
    listed = ModelStore(Limits(any_model=False))
    assert listed.get("mini@512").name == "mini@512"  # a moment of one that is


def test_a_download_reports_its_share_to_the_page():
    said = []

    def loader(name, *, offline, progress, check):
        with progress(total=200_000_000, desc="model.safetensors", unit="B") as bar:
            bar.update(50_000_000)
            bar.refresh()
        raise CheckpointError("enough")

    with pytest.raises(CheckpointError):
        ModelStore(Limits(), loader=loader).get("x", said.append)
    assert "model.safetensors: 25 % of 200 MB" in said


def make_document(prompt: str) -> Document:
    return Document("tiny", prompt, 1, (1,), (), 0)


def test_sessions_are_capped_and_expire_and_their_runs_end():
    now = [0.0]
    store = SessionStore(Limits(sessions=2, session_seconds=10), clock=lambda: now[0])
    first = store.get("a")
    first.document = make_document("kept")
    turn = first.turn()
    run = turn.__enter__()
    store.get("b")
    assert store.get("a").document.prompt == "kept"
    store.get("c")  # b, the least recently seen, goes
    assert len(store) == 2 and store.get("a").document is not None
    now[0] = 20.0
    store.get("d")
    assert len(store) == 1 and not run.wanted
    assert store.get(None).document is None and len(store) == 1


def test_a_closed_page_is_forgotten_its_run_ends_and_undo_is_capped():
    store = SessionStore(Limits())
    turn = store.get("a").turn()
    run = turn.__enter__()
    store.forget("a")
    store.forget("never seen")
    assert len(store) == 0 and not run.wanted
    session = SessionStore(Limits()).get("a")
    for i in range(80):
        session.remember(make_document(str(i)))
    assert len(session.undo) == 50 and session.undo[-1].prompt == "79"


def test_sliders_beyond_a_small_vocabulary_do_not_matter_where_no_column_uses_them(services):
    large = form(top_k=5_000)
    assert columns(services, ["Greedy", "Top-k = 50", OFF, OFF], controls=large)
    with pytest.raises(GPTCoreError, match="this model has 270 tokens"):
        columns(services, [FROM_SLIDERS, OFF, OFF, OFF], controls=large)


def test_a_program_that_names_no_model_gets_the_server_s_default_one(services, monkeypatch):
    asked = []
    get = services.models.get
    monkeypatch.setattr(services.models, "default", "tiny")
    monkeypatch.setattr(services.models, "get", lambda name: asked.append(name) or get("tiny"))
    ENDPOINTS["next_token"](services, PROMPT, n_rows=3)
    assert asked == ["tiny"]


def test_who_makes_room_for_another_is_stopped():
    store = SessionStore(Limits(sessions=2))
    turn = store.get("a").turn()
    run = turn.__enter__()
    store.get("b")
    assert run.wanted
    store.get("c")
    assert len(store) == 2 and not run.wanted
    later = store.get("c").turn()
    run = later.__enter__()
    store.stop_all()
    assert not run.wanted


def test_a_turn_that_ends_lets_the_next_one_begin():
    session = SessionStore(Limits()).get("a")
    with session.turn() as first:
        assert first.wanted
    with pytest.raises(ValueError), session.turn():
        raise ValueError
    with session.turn() as last:
        assert last.wanted and not last.abandoned and session._runs == {last}
    assert not session._runs


@pytest.mark.parametrize(("seconds", "is_kept"), [(0.0, True), (300.0, True), (300.1, False)])
def test_the_text_of_a_page_that_has_closed_waits_for_its_reload(seconds, is_kept):
    now = [0.0]
    store = SessionStore(Limits(session_seconds=10**6), clock=lambda: now[0])
    store.resume("a", "v" * 20)
    store.get("a").document = make_document("kept")
    store.forget("a")
    now[0] = seconds
    store.get("b")
    store.forget("b")  # looks through those that have left
    found = store.resume("c", "v" * 20)
    if is_kept:
        assert found is not None and found.document.prompt == "kept"
    else:
        assert found is None or found.document is None
