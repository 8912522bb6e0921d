"""The command in environments that people have: it serves, answers, ends when told to, and prints
no traceback.
"""

import resource
import threading

from gradio_client import Client

from serving import command
from tiny import ROOT, ran


def test_a_plain_console_in_a_folder_with_blanks_and_accents(tmp_path):
    folder = tmp_path / "Straße mit Bäumen"
    folder.mkdir()
    plain = {
        "LC_ALL": "C",
        "PYTHONIOENCODING": "cp1252",
        "PYTHONUTF8": "0",
        "TMPDIR": str(folder),
        "HOME": str(folder),
    }
    with command(folder, flags=["--lan"], limits={resource.RLIMIT_NOFILE: 256}, **plain) as started:
        app = Client(started.address, verbose=False)
        assert app.predict("Once upon a time", 4, 0, api_name="/generate")["texts"] == [
            ", there was a"
        ]
        assert "Traceback" not in started.ended()  # with a client still connected


def test_a_full_disk_is_a_sentence(tmp_path):
    """A limit of no bytes a file is what a full disk does to a write."""
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # noqa: E731
    done = ran(str(ROOT / "app.py"), cwd=tmp_path, preexec_fn=full)
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == "error: No temporary folder is usable. Free some space, or set TMPDIR to a folder.\n"
    )


def test_two_servers_share_a_home_and_a_temporary_folder_and_neither_can_write_at_home(tmp_path):
    """One ends, and takes nothing with it that the other needs. Nobody can write below a device,
    root neither.
    """
    shared = {"HOME": "/dev/null/home", "XDG_CACHE_HOME": None, "TMPDIR": str(tmp_path)}

    def written(started) -> str:
        return Client(started.address, verbose=False).predict(
            "Once upon a time", 4, 0, api_name="/generate"
        )["texts"][0]

    with command(tmp_path, **shared) as first, command(tmp_path, **shared) as second:
        assert first.address != second.address
        assert written(first) == written(second) == ", there was a"
        assert "Traceback" not in first.ended()
        client = Client(second.address, verbose=False)
        run = client.predict(
            "start",
            "",
            "the cat sat on the mat. " * 90,
            length="steps",
            max_steps=2,
            api_name="/train",
        )
        while client.predict("status", run["run"], api_name="/train")["state"] != "ended":
            threading.Event().wait(0.1)
        assert client.predict("status", run["run"], api_name="/train")["step"] == 2
        assert "Traceback" not in second.ended()
