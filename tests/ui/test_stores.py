"""What the server keeps on disk: uploads cut off, damaged weights, folders that are gone; and why
it is not heard.
"""

import argparse
import asyncio
import shutil
import socket
import tempfile

import gradio as gr
import pytest
from starlette.requests import ClientDisconnect
from wire import apart

import app
from gptcore.errors import GPTCoreError
from ui import arrival
from ui.errors import shown_to_visitor
from ui.server import launch, uploads
from ui.server.temp_files import TemporaryFiles
from ui.server.uploads import UploadRoom


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> None:
    """Temporary files are made in the test's folder, and what they set is put back."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GRADIO_TEMP_DIR", "")


def test_an_upload_that_is_cut_off_leaves_nothing_and_another_s_part_stays(
    temporary, monkeypatch, caplog
):
    monkeypatch.setattr(uploads, "_SETTLED", 0.0)
    room_files = TemporaryFiles(most_bytes=1 << 20)
    room_files.open()
    part, others = (room_files.folder / name for name in ("tmpabc123_x", "tmpzzzzzzzz"))

    async def app(scope, receive, send):
        part.write_bytes(b"x" * 900)
        raise ClientDisconnect

    async def upload():
        headers = [(b"content-length", b"1000")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/upload",
            "headers": headers,
            "client": ("a", 1),
        }
        await UploadRoom(app, room_files)(scope, None, None)
        while part.exists():
            await asyncio.sleep(0.01)

    with others.open("wb") as open_file:  # of an upload that goes on
        open_file.write(b"y")
        apart(lambda: asyncio.run(asyncio.wait_for(upload(), 20)))
        assert others.exists()
    assert "cut off" in caplog.text and "Traceback" not in caplog.text
    room_files.close()


def test_a_flood_of_uploads_that_are_cut_off_is_refused_before_any_folder_is_read(
    temporary, monkeypatch
):
    """Each of them leaves a part for a moment; thousands would be looked through for every further
    one.
    """
    room_files = TemporaryFiles(most_bytes=1 << 20)
    room_files.open()
    statuses = list[int]()

    async def app(scope, receive, send):
        if await receive() is None:
            raise ClientDisconnect
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"[]"})

    async def uploads_of_a_crowd():
        room = UploadRoom(app, room_files)

        async def upload(client, *, is_cut):
            async def receive():
                return None if is_cut else {"type": "http.request"}

            async def send(message):
                if "status" in message:
                    statuses.append(message["status"])

            scope = {
                "type": "http",
                "method": "POST",
                "path": "/upload",
                "headers": [(b"content-length", b"10")],
            }
            await room({**scope, "client": (client, 1)}, receive, send)

        for _ in range(uploads._MOST_AT_ONCE):
            await upload("greedy", is_cut=True)
        assert not statuses
        await upload("greedy", is_cut=False)
        await upload("other", is_cut=False)
        assert statuses == [429, 200]
        room._remove_parts(set(), "greedy")  # as a moment later
        await upload("greedy", is_cut=False)
        assert statuses == [429, 200, 200] and room._under_way == {
            "greedy": uploads._MOST_AT_ONCE - 1
        }

    monkeypatch.setattr(uploads, "_SETTLED", 3600.0)
    apart(lambda: asyncio.run(asyncio.wait_for(uploads_of_a_crowd(), 60)))
    room_files.close()


def test_damaged_files_of_bundled_models_are_told_to_every_visitor(services, monkeypatch):
    monkeypatch.setattr(launch, "warm_up", lambda _: None)
    damaged = ["mini/a", "mini/b", "world/c", "world/<d>", "world/e"]
    for n, named in (
        (2, "mini/a, mini/b"),
        (3, "mini/a, mini/b, world/c"),
        (4, "mini/a, mini/b, world/c and 1 more"),
        (5, "mini/a, mini/b, world/c and 2 more"),
    ):
        monkeypatch.setattr(launch, "damaged_files", lambda n=n: damaged[:n])
        launch._before_visitors(services, False)
        assert services.notices[-1] == launch._DAMAGED.format(files=named, more="")
    told = []
    monkeypatch.setattr(gr, "Warning", lambda sentence, **_: told.append(sentence))
    arrival._tell(["<b>x</b>"])
    assert told == ["&lt;b&gt;x&lt;/b&gt;"]


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("10.99.99.99", 8048, "10.99.99.99 is no address of this machine"),
        ("127.0.0.1", 0, "The port"),
        ("no.such.host.invalid", 8048, "There is no address 'no.such.host.invalid'"),
    ],
)
def test_why_a_server_does_not_listen_is_the_system_s_reason(host, port, words):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        options = argparse.Namespace(host=host, port=port or taken.getsockname()[1])
        assert words in app._why_not_served(options, OSError("Cannot find empty port"))


def test_a_temporary_folder_that_is_gone_is_a_sentence_and_is_made_again(
    temporary, monkeypatch, caplog
):
    room_files = TemporaryFiles(most_bytes=1 << 20)
    room_files.open()
    shutil.rmtree(room_files.folder)

    def ask():
        with shown_to_visitor(), tempfile.TemporaryDirectory(prefix="gptlens-"):
            return "stored"

    with pytest.raises(gr.Error, match="cannot write temporary files now") as refused:
        ask()
    assert str(room_files.folder) not in str(refused.value) and "Traceback" not in caplog.text
    room_files.tidy()
    assert ask() == "stored"
    room_files.close()


def test_another_fault_of_the_disk_is_no_sentence_about_temporary_files(temporary):
    with pytest.raises(gr.Error, match="Something went wrong"), shown_to_visitor():
        raise FileNotFoundError("a file of our own")


def test_what_an_error_quotes_is_text_on_the_page_and_no_markup():
    with pytest.raises(gr.Error) as told, shown_to_visitor():
        raise GPTCoreError("There is no model '<img src=x>' & none is like it.")
    assert told.value.message == "There is no model '&lt;img src=x&gt;' &amp; none is like it."
