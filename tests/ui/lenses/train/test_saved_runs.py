"""Runs on disk: what a server that ends has learned is there when it starts again, and can be
trained further.
"""

import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from test_runs import SMALL, commanded, finished, polled

from helpers import until
from ui.lenses.train.handlers import watching
from ui.lenses.train.handlers.forms import train_form
from ui.runs import saved_runs
from ui.runs.run_manager import RunManager
from ui.runs.saved_runs import REASON, SavedRuns
from ui.state.ownership import Owner


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "runs"


def server(services, folder, *clock):
    """Services that save their runs in a folder, and have those that are there."""
    jobs = RunManager(services.compute_thread, services.limits, saved=SavedRuns(folder, *clock))
    return replace(services, run_manager=jobs)


def learned(services, folder, *clock, **changes):
    """(services that save, the workspace of a run that has ended)."""
    here = server(services, folder, *clock)
    values = {**SMALL, **changes}
    workspace = finished(watching.start(here, None, train_form(values, services.limits)))
    workspace.current.form = ("scratch", values)
    return here, workspace


@pytest.fixture
def kept(services, folder):
    """The workspace of a run that has ended and is saved."""
    here, workspace = learned(services, folder)
    here.run_manager.save(now=True)
    return workspace


def test_a_run_of_a_server_that_was_killed_is_there_again_and_goes_on(services, folder, kept):
    before = kept.current
    there = server(services, folder)
    news = polled(there, kept.id)
    assert (news["state"], news["step"], news["again"]) == ("ended", 12, True)
    assert there.workspaces.get(kept.id).current.final_loss == pytest.approx(
        before.final_loss, abs=1e-4
    )
    assert commanded(there, kept.id, "again") == {"said": ""}
    more = finished(there.workspaces.get(kept.id)).current
    assert more.snapshots[0].valid_loss == pytest.approx(before.snapshots[-1].valid_loss, abs=0.02)
    assert more.step == 12 and "Continues from update 12" in more.facts.note


def test_a_run_that_was_cut_off_says_so_and_has_what_was_left_of_its_time(services, folder):
    here, workspace = learned(services, folder, max_steps=5)
    run = workspace.current
    run.facts = replace(run.facts, config=replace(run.facts.config, max_steps=12))
    run.reason = ""
    here.run_manager.save(now=True)
    there = server(services, folder)
    assert there.workspaces.get(workspace.id).current.reason == REASON
    commanded(there, workspace.id, "again")
    assert finished(there.workspaces.get(workspace.id)).current.step == 7


def test_runs_are_written_now_and_then_and_each_state_once(services, folder):
    now = [1e9]
    _, workspace = learned(services, folder, lambda: now[0])
    saved = SavedRuns(folder, lambda: now[0])
    assert saved.save(workspace.id, workspace.runs) and not saved.save(workspace.id, workspace.runs)
    workspace.current.state = "running"
    assert not saved.save(workspace.id, workspace.runs)  # a moment ago
    now[0] += 11
    assert saved.save(workspace.id, workspace.runs)


def test_a_restored_run_is_not_written_again_stays_for_another_day_and_then_goes(folder, kept):
    os.utime(folder / kept.id, (1e9, 1e9))
    again = SavedRuns(folder, lambda: 1e9 + 100)
    [[found]] = again.restore().values()
    assert (folder / kept.id).stat().st_mtime > 1e9
    assert not again.save(kept.id, [found], now=True)
    found.state = "running"
    assert again.save(kept.id, [found], now=True)
    later = (folder / kept.id).stat().st_mtime + 90_000
    assert SavedRuns(folder, lambda: later).restore() == {} and not (folder / kept.id).exists()


@pytest.mark.parametrize(
    ("lacking", "value"),
    [("form", None), ("language_model", None), ("snapshots", []), ("step", 0), ("labels", None)],
)
def test_a_run_that_lacks_what_a_restart_needs_is_not_written(services, folder, lacking, value):
    _, workspace = learned(services, folder)
    record = workspace.current
    if lacking == "labels":
        record.facts = replace(record.facts, kind="labels")
    else:
        setattr(record, lacking, value)
    saved = SavedRuns(folder)
    assert saved.save(workspace.id, [record], now=True) is False
    assert not (folder / workspace.id).exists()


def test_of_a_save_that_was_cut_off_between_two_names_the_new_run_is_there(services, folder):
    _, workspace = learned(services, folder)
    runs = {"earlier": "The old one.", "partial": "The new one."}
    for kind, reason in runs.items():
        assert SavedRuns(folder).save(
            workspace.id, [replace(workspace.current, reason=reason)], now=True
        )
        # of a process that is gone: there is none of this number
        (folder / workspace.id).rename(folder / f"{workspace.id}.4194305.{kind}")
    ((found,),) = SavedRuns(folder).restore().values()
    assert found.reason == runs["partial"]
    assert [left.name for left in folder.iterdir()] == [workspace.id]


def test_two_threads_may_save_at_once(services, folder, monkeypatch, caplog):
    _, workspace = learned(services, folder)
    saved = SavedRuns(folder)
    at_work = []
    overlaps = []
    come = []
    write = saved_runs.save_folder

    def slowly(*arguments):
        at_work.append(1)
        overlaps.append(len(at_work))
        write(*arguments)
        until(lambda: len(come) == 3)  # the others are there
        at_work.pop()

    def save(state):
        come.append(state)
        return saved.save(workspace.id, [state])

    monkeypatch.setattr(saved_runs, "save_folder", slowly)
    monkeypatch.setattr(saved_runs, "_EVERY", 0.0)
    states = [replace(workspace.current, state=state) for state in ("running", "paused", "ended")]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(save, states)) == [True] * 3
    assert overlaps == [1, 1, 1] and "cannot be saved" not in caplog.text
    assert len(SavedRuns(folder).restore()) == 1


class Killed(BaseException):
    """As kill -9 between two steps of a save: nothing is tidied up."""


class Steps:
    """Counts what a save does to files, and ends it before one of its steps."""

    KINDS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")

    def __init__(self) -> None:
        self.folder = None
        self.last = 0
        self.done = 0
        sys.addaudithook(self)  # which cannot be taken away: it is silent without a folder

    def __call__(self, kind: str, given: tuple) -> None:
        if (
            self.folder is None
            or kind not in self.KINDS
            or not str(given[0]).startswith(self.folder)
        ):
            return
        self.done += 1
        if self.done == self.last:
            self.folder = None
            raise Killed(kind)

    def save(self, saved, workspace, record, folder, last: int) -> bool:
        """Saves until the step of this number; whether it came to its end."""
        self.folder = str(folder)
        self.last = last
        self.done = 0
        try:
            return saved.save(workspace, [record], now=True)
        except Killed:
            return False
        finally:
            self.folder = None


def test_a_save_that_is_killed_at_any_step_leaves_the_old_run_or_the_new_one(
    services, folder, tmp_path
):
    _, workspace = learned(services, folder)
    old = replace(workspace.current, state="running")
    new = replace(workspace.current, state="ended", reason="All steps are done.")
    steps = Steps()
    last = 0
    ended = False
    while not ended:
        last += 1
        here = tmp_path / f"killed {last}"
        assert SavedRuns(here).save(workspace.id, [old], now=True)
        ended = steps.save(SavedRuns(here), workspace.id, new, here, last)
        found = SavedRuns(here).restore()
        assert list(found) == [workspace.id], last
        assert [p.name for p in here.iterdir()] == [workspace.id], last
        assert found[workspace.id][-1].step == 12
    assert last > 8 and found[workspace.id][-1].reason == "All steps are done."


def test_what_another_process_is_writing_stays(folder, kept):
    theirs = folder / f"{kept.id}.{os.getppid()}.partial"
    theirs.mkdir()
    assert len(SavedRuns(folder).restore()) == 1 and theirs.is_dir()
    gone = folder / f"{kept.id}.999999999.earlier"
    gone.mkdir()
    SavedRuns(folder).restore()
    assert not gone.exists()


FILES = ["model/model.safetensors", "model/config.json", "run.json", "form.json", "sha256"]


@pytest.mark.parametrize("file", FILES)
def test_what_is_damaged_is_set_aside_for_a_day_and_the_rest_starts(
    services, folder, kept, caplog, file
):
    """One wrong character anywhere, or a file that is cut short."""
    other = folder / "another-workspace-of-before"
    shutil.copytree(folder / kept.id, other)
    content = (folder / kept.id / file).read_bytes()
    for damaged in [
        content[:-9],
        content[:30] + bytes([content[30] ^ 1]) + content[31:],
        b"",
        b"[" * 100_000,
    ]:
        (folder / kept.id / file).write_bytes(damaged)
        assert list(SavedRuns(folder).restore()) == [other.name]
        aside = folder / f"{kept.id}.damaged"
        assert "set aside" in caplog.text and aside.is_dir()
        assert list(SavedRuns(folder).restore()) == [other.name] and aside.is_dir()
        aside.rename(folder / kept.id)
        (folder / kept.id / file).write_bytes(content)
    assert set(SavedRuns(folder).restore()) == {other.name, kept.id}
    (folder / kept.id / file).write_bytes(b"")
    SavedRuns(folder).restore()
    later = time.time() + 90_000
    assert SavedRuns(folder, lambda: later).restore() == {} and not aside.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"step": "x"},
        {"rows": 3},
        {"seconds": None},
        {"looks": [{"maps": "eJwr"}]},
        {"config": {"nonsense": 1}},
    ],
)
def test_what_a_file_says_of_another_type_is_no_run_whatever_it_raises(folder, kept, change):
    """Also where the digest fits: then an older version, or another program, has written it."""
    place = folder / kept.id
    run = json.loads((place / "run.json").read_text(encoding="utf-8"))
    (place / "run.json").write_text(json.dumps({**run, **change}), encoding="utf-8")
    (place / "sha256").write_text(saved_runs._digest(place), encoding="utf-8")
    assert SavedRuns(folder).restore() == {}


def test_the_runs_before_are_there_again_with_their_numbers(services, folder, kept, monkeypatch):
    there = server(services, folder)
    for _ in range(8):
        commanded(there, kept.id, "again")
        finished(there.workspaces.get(kept.id))
    before = watching.past(there, {"workspace": kept.id})
    assert [run["number"] for run in before] == [3, 4, 5, 6, 7, 8, 9]
    there.run_manager.save(now=True)
    again = watching.past(server(services, folder), {"workspace": kept.id})
    assert [run["number"] for run in again] == [3, 4, 5, 6, 7, 8, 9]
    for run, same in zip(before, again, strict=True):
        assert same["run"] == run["run"] and same["changed"] == run["changed"]
        assert same["valid"] == pytest.approx(run["valid"], abs=1e-3)


def test_the_runs_of_a_server_that_runs_beside_are_neither_restored_nor_deleted(
    services, folder, tmp_path
):
    _, workspace = learned(services, folder)
    theirs = tmp_path / "server-theirs"
    ours = tmp_path / "server-ours"
    theirs.mkdir()
    owner = Owner(theirs)
    owner.take()
    assert SavedRuns(folder, server=theirs).save(workspace.id, workspace.runs, now=True)
    much_later = time.time() + 90_000
    assert (
        SavedRuns(folder, lambda: much_later, server=ours).restore() == {}
        and (folder / workspace.id).is_dir()
    )
    assert SavedRuns(folder, server=theirs).restore().keys() == {workspace.id}
    owner.release()
    shutil.rmtree(theirs)  # it has ended
    assert SavedRuns(folder, server=ours).restore().keys() == {workspace.id}


def test_a_save_that_fails_is_tried_again_after_its_interval_and_said_once(
    services, folder, monkeypatch, caplog
):
    _, workspace = learned(services, folder)
    now = [1e9]
    tried = []
    saved = SavedRuns(folder, lambda: now[0])

    def full(*arguments):
        tried.append(now[0])
        raise OSError("No space left on device")

    monkeypatch.setattr(saved_runs, "save_folder", full)
    for _ in range(25):
        assert not saved.save(workspace.id, workspace.runs)
        now[0] += 2.0
    assert tried == [1e9, 1e9 + 10, 1e9 + 20, 1e9 + 30, 1e9 + 40]
    assert caplog.text.count("cannot be saved") == 1 and not list(folder.iterdir())


def test_a_run_that_cannot_go_on_says_why(services):
    workspace = finished(watching.start(services, None, train_form(SMALL, services.limits)))
    assert "cannot continue" in commanded(services, workspace.id, "again")["said"]
    assert polled(services, workspace.id)["again"] is False


def test_a_restored_run_keeps_its_id_which_tells_nobody_the_workspace_s(folder, kept):
    [[found]] = SavedRuns(folder).restore().values()
    assert found.id == kept.current.id and kept.id not in found.id
    form = folder / kept.id / "form.json"
    form.write_text(
        json.dumps({**json.loads(form.read_text(encoding="utf-8")), "run": f"../{kept.id}"}),
        encoding="utf-8",
    )
    assert SavedRuns(folder).restore() == {}


def test_a_server_that_goes_on_keeps_no_more_than_it_would_restore(services, folder, monkeypatch):
    monkeypatch.setattr(saved_runs, "_MOST", 3)
    _, workspace = learned(services, folder)
    now = [1e9]
    saved = SavedRuns(folder, lambda: now[0])
    for index in range(5):
        assert saved.save(f"workspace-number-{index}", workspace.runs, now=True)
        os.utime(folder / f"workspace-number-{index}", (now[0], now[0]))
        now[0] += 60
    assert sorted(path.name[-1] for path in folder.iterdir()) == ["2", "3", "4"]
    now[0] += 86_400 - 100
    saved.save("workspace-number-9", workspace.runs, now=True)
    assert {path.name[-1] for path in folder.iterdir()} <= {"4", "9"}


def test_a_run_goes_on_at_the_rate_with_which_it_ended_though_it_was_moved(services, folder):
    _, workspace = learned(services, folder, max_steps=12, schedule="constant", learning_rate=2e-3)
    record = workspace.current
    record.learning_rate = 1e-3  # moved on the way
    record.curve.rows[-1][2] = 5e-4
    again = services.workspaces.opened(None)
    again.runs = [record]
    more = watching.go_on(services, again)
    before = record.facts.config
    after = more.current.facts.config
    assert after.learning_rate == pytest.approx(5e-4)
    assert after.muon_learning_rate == pytest.approx(
        before.muon_learning_rate * 5e-4 / before.learning_rate
    )
    services.run_manager.stop_all()
