from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gptcore import GPTConfig, threads
from gptcore.inference.packed import packed_weights
from gptcore.model import random_model
from gptcore.threads import ThreadGovernor, sharing


@pytest.fixture
def two(monkeypatch) -> None:
    """A machine with two threads."""
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)


def run(governor: ThreadGovernor, n_steps: int, seconds_of) -> list[int]:
    """Feeds made-up durations; returns the thread count of each step."""
    used = []
    for _ in range(n_steps):
        used.append(governor.n_threads)
        governor.record(seconds_of(governor.n_threads))
    return used


def test_more_threads_are_kept_while_they_are_faster_and_trials_grow_rare(two):
    used = run(ThreadGovernor({}), 2000, lambda n: 1.0 / n)
    trials = [step for step in range(1, 2000) if used[step - 1 : step + 1] == [2, 1]]
    # after 1, 8, 16, 32, 64 and then 128 spells of three steps, each of three steps
    assert trials == [3, 30, 81, 180, 375, 762, 1149, 1536, 1923]
    assert used.count(1) == 3 * len(trials)


@pytest.mark.parametrize("anew", [False, True])
def test_that_the_machine_has_become_busy_is_noticed_within_a_few_steps_also_by_a_new_sequence(
    two, anew
):
    found: dict[str, float] = {}
    governor = ThreadGovernor(found)
    run(governor, 200, lambda n: 1.0 / n)
    used = run(ThreadGovernor(found) if anew else governor, 20, lambda n: {1: 1.0, 2: 4.0}[n])
    assert used[-5:] == [1] * 5 and found["threads"] == 1
    # noticed, tried, compared once more
    assert not anew or (used[:3] == [2] * 3 and used[9:] == [1] * 11)
    assert ThreadGovernor(found).n_threads == 1


def test_the_count_is_put_back_after_each_step():
    before = torch.get_num_threads()
    governor = ThreadGovernor({"threads": 1})
    with pytest.raises(KeyError), governor.step():
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == before


def test_the_mean_counts_where_most_steps_are_fast_and_some_wait_long(two):
    found: dict[str, float] = {}
    waits = iter([0.001] * 9 + [0.02] for _ in range(10_000))
    steps = (seconds for spell in waits for seconds in spell)
    run(ThreadGovernor(found), 400, lambda n: {1: 0.0015, 2: next(steps)}[n])
    assert found["threads"] == 1


def test_a_number_of_threads_is_the_calling_threads_alone():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with sharing(1), ThreadPoolExecutor(1) as pool:
            assert torch.get_num_threads() == 1
            if threads._openmp() is not None:
                # a thread that begins meanwhile
                assert pool.submit(torch.get_num_threads).result() == 2
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_one_busy_moment_does_not_decide(two):
    busy = iter([5.0] * 3 + [1.0] * 17)
    used = run(ThreadGovernor({}), 20, lambda n: next(busy) / n)
    assert used == [2] * 3 + [1] * 3 + [2] * 14


class Machine:
    """Two processors, of which others take some; this process uses what it may."""

    def __init__(self, others=0.0):
        self.at = 0.0
        self.idle = 0.0
        self.used = 0.0
        self.others = others
        self.capacity = threads.Capacity(lambda: self.idle, lambda: self.at, lambda: self.used)

    def passes(self, seconds):
        n = self.capacity.threads(2)
        free = max(0.0, 2 - self.others)
        mine = min(n, free) if n == 1 or free >= 2 else free
        self.used += seconds * mine
        self.idle += seconds * max(0.0, free - mine)
        self.at += seconds
        return self.capacity.threads(2)


def test_beside_busy_processes_one_thread_is_left_and_all_when_they_are_gone_or_unknown():
    machine = Machine()
    assert [machine.passes(0.3) for _ in range(3)] == [2, 2, 2]
    machine.others = 1.0
    assert [machine.passes(0.3) for _ in range(4)][-1] == 1
    machine.others = 0.0
    assert [machine.passes(0.3) for _ in range(4)][-1] == 2
    little = Machine(others=0.3)
    assert [little.passes(0.3) for _ in range(6)] == [2] * 6
    unknown = threads.Capacity(lambda: None)
    assert [unknown.threads(n) for n in (1, 2, 8)] == [1, 2, 8]


def test_within_adapted_code_the_governor_still_knows_how_many_threads_there_are(monkeypatch):
    monkeypatch.setattr(threads, "_capacity", SimpleNamespace(threads=lambda most: 1))
    most = torch.get_num_threads()
    with threads.adapted():
        assert torch.get_num_threads() == 1 and ThreadGovernor({}).n_threads == most
        with threads.adapted():
            assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == most


def test_a_step_has_no_more_threads_than_are_free(monkeypatch, two):
    governor = ThreadGovernor({})
    used = []
    monkeypatch.setattr(threads, "sharing", lambda n: used.append(n) or nullcontext())
    for free in (2, 1, 2):
        monkeypatch.setattr(
            threads, "_capacity", SimpleNamespace(threads=lambda most, free=free: free)
        )
        with governor.step():
            pass
    assert used == [2, 1, 2] and governor._steps == 2


def test_a_fresh_model_is_packed_with_the_threads_that_are_free(monkeypatch):
    monkeypatch.setattr(threads, "_capacity", SimpleNamespace(threads=lambda most: 1))
    seen = set()

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.add(torch.get_num_threads())
            return function(*args, **(kwargs or {}))

    model = random_model(GPTConfig(vocab_size=32, n_positions=8, n_embd=16, n_layer=1, n_head=2), 0)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with Noting():
            packed_weights(model, "fast")
    finally:
        torch.set_num_threads(before)
    assert seen == {1}
