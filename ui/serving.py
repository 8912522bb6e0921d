"""How the page is served: the options of the queue and of the server, the same for the app and for its tests."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from ui.components.files import calling, routes, style_sheet
from ui.guard import Guard, Newcomers
from ui.services import Services
from ui.temporary import TemporaryFiles, UploadRoom
from ui.theme import make_theme

_LARGEST_UPLOAD = "200mb"


def serve(
    page: gr.Blocks,
    services: Services,
    files: TemporaryFiles,
    *,
    host: str | None = None,
    port: int | None = None,
    hosts: Sequence[str] = (),
    wait: bool = True,
) -> str:
    """Serves the page; returns its address, at once unless it shall wait until it is interrupted.

    Raises:
        OSError: the port is taken.
    """
    as_is = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/json")  # answers are small, or packed already
    before = [
        Middleware(Guard, newcomers=Newcomers(services.limits.page_states), hosts=hosts),
        Middleware(GZipMiddleware, compresslevel=5, exclude_content_types=as_is),
        Middleware(UploadRoom, files=files),
    ]
    page.queue(api_open=False, max_size=services.limits.waiting_events)
    _, address, _ = page.launch(
        theme=make_theme(),
        css=style_sheet(),
        js=calling("shared/keys.js", "m.start()"),
        footer_links=["api"],
        run_history=False,
        ssr_mode=False,
        show_error=False,
        max_file_size=_LARGEST_UPLOAD,
        state_session_capacity=services.limits.page_states,
        app_kwargs={"routes": routes(), "middleware": before},
        enable_monitoring=False,
        server_name=host,
        server_port=port,
        prevent_thread_lock=not wait,
        quiet=not wait,
    )
    return address
