"""The page, served in this process with the bundled model, for tests that talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ui.frame.stored import page_example
from ui.lenses.train.handlers.files import example_workspaces
from ui.page import build_page
from ui.server.launch import serve
from ui.server.temp_files import TemporaryFiles
from ui.services import make_services


@contextmanager
def served_page(profile: str = "local", *, mcp: bool = False) -> Iterator[str]:
    """Its address, as long as the context lasts."""
    services = make_services(profile=profile, offline=True, examples=example_workspaces())
    files = TemporaryFiles(most_bytes=services.limits.temporary_bytes)
    page = build_page(services, page_example(services))
    yield serve(page, services, files, wait=False, mcp=mcp)
    page.close()
    services.close()
