"""The queue of training runs: order, places, when one begins, and who leaves."""

import threading
from dataclasses import replace
from math import inf

import pytest
from test_runs import SMALL, commanded, plan_of, polled, start, wait_until

from helpers import SCENE, in_threads
from ui.endpoints import ENDPOINTS
from ui.lenses.train.scratch.endpoint import status
from ui.runs.run_manager import RunManager, expected_wait
from ui.runs.workspaces import Busy, Workspace
from ui.services import make_services
from ui.shared.inputs import InputError
from ui.state.limits import PROFILES

PRESET = "30 seconds, letters"


@pytest.fixture
def jobs(services):
    made = RunManager(
        services.compute_thread, replace(services.limits, training_runs=1, training_queue=3)
    )
    yield made
    made.stop_all()


def endless(services):
    return plan_of(services, length="cap")


@pytest.mark.parametrize(
    ("learning", "before", "places", "seconds"),
    [
        ([], [], 1, 0.0),
        ([20.0], [], 1, 20.0),
        ([20.0], [30.0, 10.0], 1, 60.0),
        ([20.0, 5.0], [30.0], 2, 20.0),
        ([20.0], [30.0], 2, 20.0),
        ([inf], [], 1, inf),
        ([inf, 7.0], [], 2, 7.0),
        ([20.0], [inf], 1, inf),
        ([20.0, 8.0], [], 1, 20.0),
    ],
)
def test_the_wait_is_that_of_a_queue_with_so_many_places(learning, before, places, seconds):
    assert expected_wait(learning, before, places) == seconds


def test_in_a_full_line_who_has_most_waiting_gives_one_up_and_is_told(services, jobs):
    who = ["attacker"]
    jobs.asker = lambda: who[0]
    learning, *flood = (jobs.start(None, endless(services)) for _ in range(4))
    with pytest.raises(Busy, match="3 training runs are waiting already, 3 of them yours"):
        jobs.start(None, endless(services))
    who[0] = "visitor"
    visitor = jobs.start(None, endless(services))
    assert [
        jobs.queue.place(item) and jobs.queue.place(item)["number"] for item in (*flood, visitor)
    ] == [1, 2, None, 3]
    assert (
        flood[-1].current.state == "ready" and "this one was taken out" in flood[-1].current.reason
    )
    with pytest.raises(Busy, match="1 of them yours"):  # as many as anybody may have here
        jobs.start(None, endless(services))
    who[0] = ""  # an event of a component tells no client: the run keeps its own
    learning.run.stop()
    wait_until(lambda: flood[0].run.learns)  # there is room in the line again
    jobs.resume(flood[-1])
    assert flood[-1].client == "attacker" and not flood[-1].current.reason


def test_the_run_of_whoever_leads_begins_at_once_and_the_other_goes_on_after_it(services, jobs):
    pupil = jobs.start(None, endless(services))
    waiting = jobs.start(None, endless(services))
    wait_until(lambda: pupil.current.step > 0)
    leading = set()
    jobs.queue.leads = lambda workspace: workspace.id in leading
    speaker = jobs.start("s" * 22, endless(services), go=False)
    leading.add(speaker.id)
    jobs.resume(speaker)
    wait_until(lambda: speaker.current.step > 0)
    wait_until(lambda: pupil.current.state == "queued")
    assert "The speaker's run goes first" in pupil.current.reason
    assert [jobs.queue.place(item)["number"] for item in (pupil, waiting)] == [1, 2]
    n_steps = pupil.current.step
    speaker.run.stop()
    wait_until(lambda: pupil.current.step > n_steps)
    assert pupil.current.reason == "" and jobs.queue.place(waiting)["number"] == 1


def test_a_run_that_gives_way_amid_an_update_stands_in_the_line_once(services, jobs):
    """It learns until the update in progress is done; meanwhile a leader may press again."""
    pupil = jobs.start(None, endless(services))
    wait_until(lambda: pupil.current.step > 0)
    jobs.queue.leads = lambda workspace: workspace.id == "s" * 22
    speaker = jobs.start("s" * 22, endless(services), go=False)
    held = threading.Event()
    goes_on = threading.Event()

    def hold():
        held.set()
        goes_on.wait(60)
        yield

    services.compute_thread.keep(hold())  # whatever is in progress stays so
    held.wait(60)
    for _ in range(3):
        jobs.resume(speaker)
    assert jobs.queue._waiting == [pupil] and pupil.waits
    goes_on.set()
    wait_until(lambda: speaker.current.step > 0)
    n_steps = pupil.current.step
    speaker.run.stop()
    wait_until(lambda: pupil.current.step > n_steps)
    assert jobs.queue._waiting == [] and not pupil.waits


def test_a_leader_waits_for_no_queue_and_takes_no_more_than_is_needed(services, jobs):
    pupil, *queue = (jobs.start(None, endless(services)) for _ in range(4))
    jobs.queue.leads = lambda workspace: workspace.id == "s" * 22
    # where anybody else would read that the queue is full
    speaker = jobs.start("s" * 22, endless(services))
    wait_until(lambda: speaker.current.step > 0)
    assert jobs.queue.place(speaker) is None and [
        jobs.queue.place(item)["number"] for item in queue
    ] == [2, 3, 4]
    jobs.stop(speaker.id)
    wait_until(lambda: pupil.current.state in ("starting", "running"))
    again = jobs.start("s" * 22, plan_of(services))
    assert again.run.wait(60.0) and again.current.step == 12
    wait_until(lambda: pupil.run.learns)


def test_a_leader_takes_a_place_that_is_free_before_anybody_s(services):
    limits = replace(services.limits, training_runs=2, training_queue=3)
    jobs = RunManager(services.compute_thread, limits)
    jobs.queue.leads = lambda workspace: workspace.id == "s" * 22
    pupil = jobs.start(None, endless(services))
    wait_until(lambda: pupil.current.step > 0)
    speaker = jobs.start("s" * 22, endless(services))
    wait_until(lambda: speaker.current.step > 0)
    assert pupil.run.learns and pupil.current.reason == "" and jobs.queue.place(pupil) is None
    jobs.stop_all()


def test_only_in_a_talk_does_a_leader_go_first():
    assert [name for name, limits in PROFILES.items() if limits.leader_first] == ["talk"]
    made = make_services(limits=PROFILES["talk"], offline=True)
    try:
        workspace = Workspace("w" * 22)
        assert not made.run_manager.queue.leads(workspace)
        made.broadcasts.lead("s" * 22, SCENE, workspace=workspace.id)
        assert made.run_manager.queue.leads(workspace) and not made.run_manager.queue.leads(
            Workspace("v" * 22)
        )
        made.broadcasts.lead("s" * 22, None, workspace=workspace.id, left=True)
        assert not made.run_manager.queue.leads(workspace)
    finally:
        made.close()


def test_runs_begin_in_the_order_in_which_they_were_started(services, jobs):
    first = jobs.start(None, endless(services))
    others = [jobs.start(None, endless(services)) for _ in range(3)]
    assert [jobs.queue.place(other)["number"] for other in others] == [1, 2, 3]
    wait_until(lambda: all(other.current.state == "queued" for other in others))
    with pytest.raises(Busy, match="3 training runs are waiting already"):
        jobs.start(None, endless(services))
    before = first
    for number, item in enumerate(others):
        before.run.stop()
        wait_until(lambda now=item: now.run.learns)
        assert jobs.queue.place(item) is None
        assert [jobs.queue.place(later)["number"] for later in others[number + 1 :]] == [1, 2][
            : 2 - number
        ]
        before = item


def test_many_that_begin_at_once_do_not_take_one_place_twice(services, jobs):
    made = []
    in_threads(*[lambda: made.append(jobs.start(None, endless(services)))] * 4)
    assert sum(item.run.learns for item in made) == 1
    places = [jobs.queue.place(item) for item in made]
    assert sorted(place["number"] for place in places if place is not None) == [1, 2, 3]


def test_who_stops_pauses_or_starts_again_while_waiting_leaves_or_keeps_the_place(services, jobs):
    first = jobs.start(None, endless(services))
    second = jobs.start(None, endless(services))
    third = jobs.start(None, endless(services))
    jobs.start(second.id, endless(services))  # another run on the same workspace
    assert jobs.queue.place(second)["number"] == 1 and jobs.queue.place(third)["number"] == 2
    wait_until(lambda: second.current.state == "queued")
    jobs.stop(second.viewing)  # who only watches ends nothing
    assert jobs.queue.place(second)["number"] == 1
    jobs.stop(second.id)
    jobs.resume(second)  # what has ended takes no place again
    assert jobs.queue.place(second) is None and jobs.queue.place(third)["number"] == 1
    jobs.queue.leave(third)
    for run in third.live:
        run.pause()
    wait_until(lambda: third.current.state == "ready")
    jobs.resume(third)
    wait_until(lambda: third.current.state == "queued")
    jobs.resume(third)  # twice is once
    first.run.pause()  # one that waits for its visitor holds no place
    wait_until(lambda: third.current.state == "running")


def test_the_page_and_programs_are_told_the_place_and_step_waits_too(services):
    running = [start(services, None, {**SMALL, "length": "cap"}) for _ in range(2)]
    wait_until(lambda: all(item.current.rate > 0 for item in running))
    waiting = start(services, None, SMALL)
    told = status(services, waiting.current.id)
    assert told["queue"]["number"] == 1 and told["queue"]["seconds"] > 0
    assert polled(services, waiting.id)["queue"] == pytest.approx(told["queue"], rel=0.5)
    assert commanded(services, waiting.id, "pause") == {"said": ""}
    assert commanded(services, waiting.id, "step", 2) == {"said": ""}
    wait_until(lambda: waiting.current.state == "queued")
    running[0].run.stop()
    wait_until(lambda: waiting.current.state == "paused")
    assert waiting.current.step == 2 and status(services, waiting.current.id)["queue"] is None
    services.run_manager.stop_all()


def test_a_program_stops_a_run_with_the_key_of_its_start_alone(services):
    begun = ENDPOINTS["train"](
        services, text="the cat sat on the mat. " * 200, preset=PRESET, length="cap"
    )
    workspace = services.workspaces.get(begun["key"])
    for key in ("", workspace.viewing, begun["run"], None, 7):
        with pytest.raises(
            InputError, match=r"send the key that its start answered|key must be text"
        ):
            ENDPOINTS["train"](services, "stop", begun["run"], key=key)
    assert workspace.current.alive and "key" not in status(services, begun["run"])
    assert ENDPOINTS["train"](services, "stop", begun["run"], key=begun["key"])["state"] == "ended"


def test_reset_while_waiting_leaves_the_queue_and_the_last_command_counts(services, jobs):
    first = jobs.start(None, endless(services))
    second = jobs.start(None, endless(services))
    third = jobs.start(None, endless(services))
    # Reset: it waits for its visitor, and holds no place
    jobs.start(second.id, endless(services), go=False)
    assert jobs.queue.place(second) is None and jobs.queue.place(third)["number"] == 1
    jobs.resume(third, 2)  # Step 2 in place of Start
    first.run.stop()
    wait_until(lambda: third.current.state == "paused")
    assert third.current.step == 2 and second.current.step == 0
