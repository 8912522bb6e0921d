"""Folders of servers that run are left alone, also by one in another container; those of servers
that ended go.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from tiny import ROOT
from ui.server.temp_files import TemporaryFiles
from ui.state import ownership
from ui.state.ownership import Owner, is_owned, mark_of
from ui.state.uploaded import Uploaded

HOLDS = """
import sys
from pathlib import Path
from ui.state.ownership import Owner
owner = Owner(Path(sys.argv[1]))
owner.take()
print("taken", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_server(folder):
    """A process that owns a folder, until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "taken\n"
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GRADIO_TEMP_DIR", "")
    return tmp_path


def test_the_folder_of_a_server_that_runs_stays_and_goes_once_it_is_killed(temporary):
    files, beside, last = (TemporaryFiles(most_bytes=1000) for _ in range(3))
    files.open()
    theirs = files.folder.with_name("server-of-another")
    theirs.mkdir()
    (theirs / "upload").write_bytes(b"x" * 50)
    with another_server(theirs):
        assert is_owned(theirs)
        assert beside.open() == 0 and (theirs / "upload").is_file() and files.folder.is_dir()
        beside.close()
    assert not is_owned(theirs)
    assert (
        last.open() == 50
        and not theirs.exists()
        and not mark_of(theirs).exists()
        and files.folder.is_dir()
    )
    last.close()
    files.close()
    assert not list(files.folder.parent.glob("*server*")) and not list(
        files.folder.parent.glob(".*owner")
    )


def test_the_number_of_a_process_tells_nothing(temporary):
    """Two containers have the same ones: a folder of an earlier start, called after a process that
    runs, goes.
    """
    files = TemporaryFiles(most_bytes=1000)
    files.folder.parent.mkdir(parents=True)
    old = files.folder.parent / str(os.getpid())
    old.mkdir()
    (old / "left").write_bytes(b"x" * 7)
    files.kept.mkdir()
    (files.kept / "run").write_bytes(b"x")
    for left in (old, files.kept):
        os.utime(left, (1.0, 1.0))
    assert files.open() == 7 and not old.exists()
    assert (files.kept / "run").is_file()  # which outlives its server
    files.close()


def test_another_machine_s_folder_stays_as_long_as_it_is_touched(tmp_path):
    folder = tmp_path / "server-there"
    folder.mkdir()
    told = {"host": "elsewhere", "boot": "of another machine", "process": 1, "since": 0.0}
    mark_of(folder).write_text(json.dumps(told), encoding="utf-8")
    assert is_owned(folder)
    os.utime(mark_of(folder), (time.time() - 4000,) * 2)
    assert not is_owned(folder)
    mark_of(folder).write_text(
        json.dumps({**told, "host": ownership.socket.gethostname()}), encoding="utf-8"
    )
    assert not is_owned(folder)  # this machine, before it was started anew


def test_a_folder_that_is_being_made_is_left_alone_and_one_that_is_gone_has_no_owner(tmp_path):
    folder = tmp_path / "server-new"
    assert not is_owned(folder)
    folder.mkdir()
    assert is_owned(folder)
    os.utime(folder, (1.0, 1.0))
    assert not is_owned(folder)
    owner = Owner(folder)
    owner.take()
    assert is_owned(folder)
    owner.release()
    assert not is_owned(folder)


def test_a_file_that_two_have_uploaded_stays_until_both_have_opened_it(tmp_path):
    uploaded = Uploaded()
    file = tmp_path / "model.zip"
    file.write_bytes(b"x")
    uploaded.add(file)
    uploaded.add(file)
    uploaded.opened(file)
    assert file.is_file()
    uploaded.opened(file)
    assert not file.exists()
    file.write_bytes(b"x")
    uploaded.add(file)
    uploaded.forget(set())  # it was deleted to make room, and somebody uploads it anew
    uploaded.add(file)
    uploaded.opened(file)
    assert not file.exists()


def test_an_upload_that_has_gone_by_itself_is_no_error(tmp_path):
    uploaded = Uploaded()
    file = tmp_path / "text.txt"
    uploaded.add(file)
    uploaded.opened(file)
    assert not file.exists() and not uploaded._waiting
