"""The page, served in this process or by its command, for tests that talk to it."""

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from tiny import ROOT
from ui.frame.example import page_example
from ui.lenses.train.handlers.files import example_workspaces
from ui.page import build_page
from ui.server.launch import serve
from ui.server.options import ServerOptions
from ui.server.temp_files import TemporaryFiles
from ui.services import Services, make_services
from ui.state.broadcasts import NO_TALK, SpokenTalk
from ui.state.limits import PROFILES


@contextmanager
def served_page(profile: str = "local", **options: Any) -> Iterator[str]:
    """Its address, as long as the context lasts; options as `ServerOptions` takes them."""
    with served(profile, **options) as (address, _):
        yield address


@contextmanager
def served(
    profile: str = "local", *, talk: SpokenTalk = NO_TALK, **options: Any
) -> Iterator[tuple[str, Services]]:
    """As `served_page`, with what serves it."""
    with built_page(profile, talk=talk) as (page, services):
        files = TemporaryFiles(most_bytes=services.limits.temporary_bytes)
        yield serve(page, services, files, ServerOptions(**options), wait=False), services


@contextmanager
def built_page(
    profile: str = "local", *, talk: SpokenTalk = NO_TALK
) -> Iterator[tuple[gr.Blocks, Services]]:
    """The page as the app builds it, and what it computes with."""
    services = make_services(
        limits=PROFILES[profile], offline=True, examples=example_workspaces(), talk=talk
    )
    page = build_page(services, page_example(services))
    yield page, services
    page.close()
    services.close()


@dataclass
class Command:
    """`python app.py` while it serves."""

    address: str
    process: subprocess.Popen[bytes]
    printed: str = ""

    def ended(self) -> str:
        """Tells it to end; what it has printed. Its exit status must be 0."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.stdout is not None
        self.printed += self.process.stdout.read().decode(errors="replace")
        assert self.process.wait() == 0, self.printed
        return self.printed


@contextmanager
def command(
    where: Path,
    *,
    python: Sequence[str] = (),
    flags: Sequence[str] = (),
    limits: Mapping[int, int] | None = None,
    **environment: str | None,
) -> Iterator[Command]:
    """The app as its command starts it.

    Args:
        where: the working folder.
        python, flags: of Python and of the app.
        limits: of resources.
        environment: variables that differ from this process's; None removes one.
    """

    def limited() -> None:
        for kind, most in (limits or {}).items():
            resource.setrlimit(kind, (most, most))

    variables = {
        name: value for name, value in {**os.environ, **environment}.items() if value is not None
    }
    started = subprocess.Popen(
        [sys.executable, *python, str(ROOT / "app.py"), "--offline", *flags],
        cwd=where,
        env=variables,
        preexec_fn=limited,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert started.stdout is not None
    printed = b""
    found = None
    try:
        while found is None:
            line = started.stdout.readline()
            assert line, printed.decode(errors="replace")
            printed = printed + line
            found = re.search(rb"http://[\d.]+:(\d+)", line)
        yield Command(
            f"http://127.0.0.1:{found[1].decode()}/", started, printed.decode(errors="replace")
        )
    finally:
        started.kill()
        started.wait()
