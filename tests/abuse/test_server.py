"""The end of the server amid its work: everybody gets a last word."""

import socket
import threading
from urllib.parse import urlsplit

import httpx
from gradio_client import Client

from serving import command


def test_a_long_text_and_an_upload_get_their_last_word(tmp_path):
    """Also where the command has no home and no temporary folder of its own."""
    with command(
        tmp_path, HOME=None, XDG_CACHE_HOME=None, MPLCONFIGDIR=None, TMPDIR="/nowhere"
    ) as started:
        app = Client(started.address, verbose=False)
        long = app.submit(
            "Once upon a time", 500, n=4, use_cache=False, min_new_tokens=500, api_name="/generate"
        )
        while not (long.outputs() and long.outputs()[-1]["texts"][0]):  # it is being written
            threading.Event().wait(0.05)
        upload = socket.create_connection(
            (urlsplit(started.address).hostname, urlsplit(started.address).port)
        )
        head = "POST /gradio_api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n"
        upload.sendall(
            f"{head}Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n".encode()
        )
        httpx.get(started.address)  # the upload, sent before, has been taken up
        said = started.ended()
        answer = b""
        while piece := upload.recv(4096):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 503") and b"The server is shutting down." in answer
        while not long.done():  # its last state has come, and is still to be read
            threading.Event().wait(0.05)
        last = long.outputs()[-1]
        assert set(last["ends"]) == {"the server is ending"} and any(last["texts"])
        assert "Traceback" not in said and "ERROR" not in said, said
