"""Texts of several visitors in one pass: each gets its own, an end or an error ends it, and nothing
is left behind.
"""

import threading
from collections import deque
from functools import partial

import pytest

from gptcore.errors import SamplingError
from gptcore.inference import engine
from gptcore.inference.generation import continue_together
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from helpers import in_threads, until
from ui.compute import scheduler as writers
from ui.compute.compute_thread import ComputeThread
from ui.compute.scheduler import Scheduler


@pytest.fixture
def place() -> ComputeThread:
    return ComputeThread("test")


def text(seed: int) -> TokenSequence:
    return TokenSequence([1 + seed % 7] * (1 + seed % 5), SamplingSettings(), seed=seed)


def visit(many: Scheduler, model, seeds: list[int], n_tokens: int) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in seeds]
    for token in many.write(model, [text(seed) for seed in seeds], n_tokens):
        assert token.seconds > 0
        found[token.text].append(token.made.id)
    return found


def alone(model, seed: int, n_tokens: int) -> list[int]:
    return [
        token.id for _, token in continue_together(model, [text(seed)], max_new_tokens=n_tokens)
    ]


@pytest.mark.parametrize("rows", [32, 3])
def test_many_visitors_get_the_texts_they_would_get_alone(place, tiny_lm, monkeypatch, rows):
    monkeypatch.setattr(writers, "MOST_ROWS", rows)  # with few, some wait until others end
    many = Scheduler(place)
    found = {}

    def visitor(number: int) -> None:
        seeds = [number, 100 + number][: 1 + number % 2]
        found[number] = seeds, visit(many, tiny_lm.model, seeds, 20 + number)

    in_threads(*(partial(visitor, number) for number in range(12)))
    for number, (seeds, texts) in found.items():
        assert texts == [alone(tiny_lm.model, seed, 20 + number) for seed in seeds]
    assert place.once(lambda: many._waiting) == {} and place.active == 0


def test_a_visitor_who_leaves_frees_the_place_and_the_others_go_on(place, tiny_lm, monkeypatch):
    monkeypatch.setattr(writers, "MOST_ROWS", 2)
    many = Scheduler(place)
    endless = many.write(tiny_lm.model, [text(1), text(2)], 10**9)
    next(endless)
    waiting = threading.Thread(target=lambda: found.extend(visit(many, tiny_lm.model, [3], 10)))
    found: list[list[int]] = []
    waiting.start()
    endless.close()
    waiting.join()
    assert found == [alone(tiny_lm.model, 3, 10)]


def test_settings_that_do_not_fit_are_told_to_those_who_sent_them_alone(place, tiny_lm):
    many = Scheduler(place)
    lasting = many.write(tiny_lm.model, [text(1)], 300)
    first = next(lasting).made.id
    wrong = [text(4), TokenSequence([1], SamplingSettings(top_k=10**6), seed=1)]
    with pytest.raises(SamplingError):
        list(many.write(tiny_lm.model, wrong, 5))
    assert [first, *(token.made.id for token in lasting)] == alone(tiny_lm.model, 1, 300)


def test_an_error_in_a_pass_is_told_to_all_whose_texts_were_in_it(place, tiny_lm, monkeypatch):
    many = Scheduler(place)
    texts = [many.write(tiny_lm.model, [text(seed)], 10**9) for seed in (1, 2)]
    for item in texts:
        next(item)

    def broken(*_: object) -> None:
        raise MemoryError("full")

    monkeypatch.setattr("gptcore.inference.engine.decode_one", broken)
    for entry in texts:
        with pytest.raises(MemoryError):
            list(entry)
    monkeypatch.undo()
    assert visit(many, tiny_lm.model, [5], 10) == [alone(tiny_lm.model, 5, 10)]


def test_a_pass_takes_as_many_texts_as_it_may_and_alone_also_more(tiny_lm, place):
    many = Scheduler(place)
    model = tiny_lm.model
    for n_rows, n_texts, joins in ((30, 2, True), (31, 2, False), (0, 40, True)):
        request = writers._Request([text(seed) for seed in range(n_texts)], 5)
        many._waiting[model] = deque([request])
        assert many._next(model, n_rows) is (request if joins else None)
        assert len(many._waiting.pop(model)) == (0 if joins else 1)
    many._waiting[model] = deque()
    assert many._next(model, 0) is None


def test_what_was_written_before_an_error_is_there_all_of_it(place, tiny_lm, monkeypatch):
    monkeypatch.setattr(writers, "SLICE", 1e9)  # nothing is sent but the first token and the rest
    decode = engine.decode_one
    steps = iter(range(5))

    def breaks(*given: object):
        if next(steps, None) is None:
            raise MemoryError("full")
        return decode(*given)

    monkeypatch.setattr(engine, "decode_one", breaks)
    found = []
    with pytest.raises(MemoryError):
        for token in Scheduler(place).write(tiny_lm.model, [text(1)], 10**9):
            found.append(token.made.id)
    monkeypatch.undo()
    assert len(found) > 2 and found == alone(tiny_lm.model, 1, len(found))


def test_an_error_in_a_pass_is_told_to_those_who_wait_for_a_place(place, tiny_lm, monkeypatch):
    monkeypatch.setattr(writers, "MOST_ROWS", 1)
    many = Scheduler(place)
    endless = many.write(tiny_lm.model, [text(1)], 10**9)
    next(endless)
    waits = many.write(tiny_lm.model, [text(2)], 5)
    told = []

    def wait() -> None:
        try:
            list(waits)
        except MemoryError as error:
            told.append(str(error))

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    until(lambda: place.once(lambda: len(many._waiting[tiny_lm.model])) == 1)

    def broken(*_: object) -> None:
        raise MemoryError("full")

    monkeypatch.setattr("gptcore.inference.engine.decode_one", broken)
    with pytest.raises(MemoryError):
        list(endless)
    waiting.join(60)
    assert told == ["full"] and many.n_texts == 0 and not many._waiting


def test_who_ends_or_leaves_is_counted_no_longer(place, tiny_lm):
    many = Scheduler(place)
    texts = [many.write(tiny_lm.model, [text(seed)], 10**9) for seed in (1, 2)]
    for item in texts:
        next(item)
    assert many.n_texts == 2
    texts[0].close()
    assert many.n_texts == 1
    assert visit(many, tiny_lm.model, [3], 4) == [alone(tiny_lm.model, 3, 4)]
    texts[1].close()
    assert many.n_texts == 0
