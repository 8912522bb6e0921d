"""A large text is prepared by its run: in the queue, with progress, ended by Stop, by leaving and
by the time limit.
"""

import random
import subprocess
from types import SimpleNamespace

import pytest

from gptcore.errors import TokenizerError
from gptcore.tokenizers import ByteBPE, CharTokenizer
from gptcore.training import split, tokenize
from helpers import LESSON
from helpers import until as wait_until
from ui.lenses.train.handlers import watching
from ui.lenses.train.handlers.forms import rival_of, train_form, tune_form
from ui.lenses.train.handlers.plan import make_plan, tuning_plan
from ui.runs import dataset_cache
from ui.runs.dataset_cache import completed, prepare
from ui.runs.run_manager import RunManager
from ui.shared.inputs import InputError
from ui.state.limits import Limits

_WORDS = (
    "cat",
    "dog",
    "bird",
    "sun",
    "moon",
    "tree",
    "river",
    "stone",
    "walks",
    "runs",
    "sleeps",
    "sings",
    "blue",
    "old",
)
_BPE = {"tokenizer": "bpe", "vocab_size": 400}


def large_text(seed: int) -> str:
    """More characters than are prepared in the request, different for every seed."""
    names = [f"{word}{number}" for word in _WORDS for number in range(300)]
    return " ".join(random.Random(seed).choices(names, k=80_000))


def start(services, values, workspace=None, **options):
    """Starts a run on a large text."""
    form = train_form({**LESSON, **values}, services.limits)
    return watching.start(services, workspace, form, rival=rival_of(form), **options)


@pytest.fixture
def endless(monkeypatch, tmp_path):
    """Learning a vocabulary never ends; returns the processes that try."""
    program = tmp_path / "endless.py"
    program.write_text("import sys, time; sys.stdin.read(); time.sleep(3600)", encoding="utf-8")
    monkeypatch.setattr(dataset_cache, "vocabulary", SimpleNamespace(__file__=str(program)))
    processes = []
    popen = subprocess.Popen

    def recorded(*args, **options):
        processes.append(popen(*args, **options))
        return processes[-1]

    monkeypatch.setattr(dataset_cache.subprocess, "Popen", recorded)
    return processes


def learning(services, processes, seed, workspace=None):
    """A run whose vocabulary is being learned."""
    n_before = len(processes)
    begun = start(services, {"written": large_text(seed), **_BPE}, workspace)
    wait_until(
        lambda: (
            len(processes) > n_before
            and begun.run.record.preparing.startswith("Learns a vocabulary")
        )
    )
    return begun


@pytest.mark.parametrize("seed, values", [(1, _BPE), (2, {"tokenizer": "char"})])
def test_a_large_text_is_prepared_by_its_run(services, seed, values):
    text = large_text(seed)
    begun = start(services, {"written": text, **values}, go=False)
    run = begun.run
    expected_size = 400 if values == _BPE else len(set(text) | {"\n"})
    assert (run.record.state, run.record.facts.n_train) == ("ready", 0)
    assert run.record.facts.vocab_size == expected_size  # known before
    services.run_manager.resume(begun)
    assert run.wait(120.0)
    assert (run.record.reason, run.record.step) == ("All steps are done.", 4)
    assert run.record.facts.vocab_size == expected_size and run.record.facts.n_train > 100_000
    again = start(services, {"written": text, **values}, begun.id)
    # it is kept, and known at once
    assert again.run.record.facts.n_train == run.record.facts.n_train


def test_a_text_is_large_by_all_of_its_characters():
    half = "a" * (dataset_cache._LARGE // 2)
    how = {"tokenizer": None, "kind": "char", "vocab_size": 0}
    assert dataset_cache.is_quick((half, half), **how)
    assert not dataset_cache.is_quick((half, half, "a"), **how)


@pytest.mark.parametrize("kind", ["char", "bpe"])
def test_parts_and_processes_give_what_the_whole_gives(monkeypatch, kind):
    documents = tuple(large_text(seed)[:3_000] for seed in range(3, 33))
    monkeypatch.setattr(dataset_cache, "_PART", 4_000)
    made = completed(prepare(documents, tokenizer=None, kind=kind, vocab_size=300))
    train, valid = split(documents)
    if kind == "char":
        train = ["\n\n".join(train)]
        valid = ["\n\n".join(valid)]
    else:
        alone = ByteBPE.train(documents, vocab_size=300)
        n_tokens = range(300)
        assert [made.tokenizer.token_bytes(i) for i in n_tokens] == [
            alone.token_bytes(i) for i in n_tokens
        ]
    assert made.train.tolist() == tokenize(train, made.tokenizer).tolist()
    assert made.valid.tolist() == tokenize(valid, made.tokenizer).tolist()


def test_progress_names_each_step(monkeypatch):
    monkeypatch.setattr(dataset_cache, "_PAUSE", 0.001)  # asks the process often
    monkeypatch.setattr(dataset_cache, "_PART", 100_000)
    steps = prepare((large_text(40),) * 2, tokenizer=None, kind="bpe", vocab_size=300)
    said = list(dict.fromkeys(steps))
    assert said[0] == "Learns a vocabulary of 300 tokens from the text."
    assert any(sentence.startswith("Encodes the text: ") for sentence in said)
    assert said[-1] == "Counts tokens and pairs of tokens."


@pytest.mark.parametrize("how", ["stop", "replaced", "leaving", "shutdown", "limit"])
def test_a_preparation_ends_at_once_and_its_process_with_it(services, endless, monkeypatch, how):
    begun = learning(services, endless, 50)
    run = begun.run
    if how == "stop":
        watching.command(services, {"workspace": begun.id, "command": "stop", "value": None})
    elif how == "replaced":
        start(services, {"written": "the cat sat on the mat. " * 90}, begun.id)
    elif how == "leaving":
        services.run_manager._free(begun)
    elif how == "shutdown":
        services.run_manager.stop_all()
    else:
        monkeypatch.setattr("ui.runs.training_run.time.monotonic", lambda: 1e12)
    assert run.wait(60.0)
    assert endless[0].poll() is not None
    assert run.record.step == 0 and run.record.preparing == ""
    wanted = "took longer than 3,600 seconds" if how == "limit" else "Stopped."
    assert wanted in run.record.reason
    assert dataset_cache._one_large.acquire(timeout=60.0)
    dataset_cache._one_large.release()


def test_a_preparation_takes_a_slot_and_others_wait_for_it(services, endless):
    manager = RunManager(services.compute_thread, Limits(training_runs=1))

    def begin(values):
        return manager.start(
            None, make_plan(services, train_form({**LESSON, **values}, services.limits))
        )

    first = begin({"written": large_text(60), **_BPE})
    wait_until(lambda: endless)
    second = begin({"written": "the cat sat on the mat. " * 90})
    assert second.run.record.state == "queued" and manager.queue.place(second)["number"] == 1
    manager.stop(first.id)
    assert second.run.wait(120.0) and second.run.record.step == 4


def test_small_texts_do_not_wait_for_a_large_one(services, endless):
    first = learning(services, endless, 70)
    second = start(services, {"written": "the cat sat on the mat. " * 91})
    assert second.run.wait(120.0) and second.run.record.step == 4
    third = start(services, {"written": large_text(71)})
    wait_until(lambda: third.run.record.preparing == "Waits for another text to be prepared.")
    services.run_manager.stop(first.id)
    assert third.run.wait(120.0) and third.run.record.step == 4


def test_a_paused_preparation_goes_on_where_it_was(services, endless):
    begun = learning(services, endless, 80)
    begun.run.pause()
    wait_until(lambda: begun.run.record.state == "ready")
    services.run_manager.resume(begun)
    wait_until(lambda: begun.run.record.state == "starting")
    services.run_manager.stop(begun.id)
    assert begun.run.wait(60.0) and len(endless) == 1


def test_a_race_on_a_large_text_prepares_it_once(services):
    begun = start(services, {"written": large_text(90), **_BPE, "rival": "optimizer"})
    assert all(run.wait(120.0) for run in begun.live)
    assert [run.record.step for run in (begun.run, begun.rival)] == [4, 4]
    assert begun.run.record.facts.n_train == begun.rival.record.facts.n_train > 0


def test_a_model_is_trained_further_on_a_large_text(services):
    values = {**LESSON, "written": large_text(100), "learning_rate": 1e-3}
    begun = watching.further(
        services, None, "tiny", tune_form(values, services.limits), tuning_plan
    )
    assert begun.run.record.facts.tuned and begun.run.record.facts.n_train == 0
    assert begun.run.wait(240.0)
    assert begun.run.record.reason == "All steps are done." and begun.run.record.facts.n_train > 0


def test_a_text_that_cannot_be_prepared_says_why(services, monkeypatch):
    # known before, so said at once
    with pytest.raises(InputError, match="parameters; this server trains at most"):
        start(services, {"written": large_text(110), "n_embd": 1024, "n_layer": 24, "n_head": 4})
    few = "ab " * 300_000
    begun = start(services, {"written": few, **_BPE})
    assert begun.run.wait(60.0)
    assert "has only enough different words for" in begun.run.record.reason
    monkeypatch.setattr(dataset_cache, "vocabulary", SimpleNamespace(__file__="missing.py"))
    with pytest.raises(
        TokenizerError, match=r"No vocabulary could be learned .*missing\.py.* Shorten it"
    ):
        completed(prepare(("one two three",), tokenizer=None, kind="bpe", vocab_size=300))


@pytest.mark.parametrize("texts", [["a" * 25], ["aa", "a" * 12, "a" * 11, "a"]])
def test_how_much_is_encoded_is_told_in_shares_of_the_whole(monkeypatch, texts):
    monkeypatch.setattr(dataset_cache, "_PART", 10)
    is_one = len(texts) == 1
    tokenizer = CharTokenizer(["a"]) if is_one else ByteBPE.train(["a b"], vocab_size=257)
    said = list(dataset_cache._encode(texts, tokenizer))
    shares = ["40%", "80%"] if is_one else ["54%", "96%"]
    assert said == [f"Encodes the text: {share}." for share in shares]


def test_a_held_out_text_that_is_known_is_told():
    known = "the same long line of text stands in both\n" * 3
    assert "in the training text, too" in dataset_cache._repeated([known], [known])
    assert dataset_cache._repeated([known], ["another line of text entirely\n"]) == ""
    assert dataset_cache._repeated([known], []) == ""
    # a fifth of the held-out lines is said, fewer are not
    others = [f"another line of text, number {n}\n" for n in range(5)]
    once = known[: len(known) // 3]
    assert "1 of the 5" in dataset_cache._repeated([known], [once, *others[:4]])
    assert dataset_cache._repeated([known], [once, *others]) == ""


def test_tokens_are_counted_for_each_character_and_not_for_each_byte():
    made = completed(prepare(("αβγδ " * 100,), tokenizer=None, kind="char", vocab_size=0))
    assert made.tokens_per_character == pytest.approx(1, abs=0.05)  # a token for each character
    assert made.valid_bytes > 1.5 * len(made.valid)
