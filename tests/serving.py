"""The page, served in this process with the bundled model, for tests that talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ui.handlers.example import make_example
from ui.handlers.train_files import example_bench
from ui.page import build_page
from ui.services import make_services
from ui.theme import CSS, JS, make_theme


@contextmanager
def served_page() -> Iterator[str]:
    """Its address, as long as the context lasts."""
    services = make_services(offline=True, example=example_bench())
    page = build_page(services, make_example(services))
    page.queue(api_open=False, max_size=32)
    _, address, _ = page.launch(
        prevent_thread_lock=True, quiet=True, run_history=False, show_error=False, ssr_mode=False, footer_links=["api"],
        theme=make_theme(), css=CSS, js=JS,
    )  # fmt: skip
    yield address
    page.close()
    services.jobs.stop_all()
