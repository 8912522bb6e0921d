"""Launch: the options of Gradio's queue and of the server, the same for the app and for its
tests.
"""

import gc
import itertools
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from gptcore.language_model import damaged_files
from gptcore.machine import return_freed_memory
from ui.frame.warming import warm_up
from ui.server import gradio_internals
from ui.server.connections import limit_connections
from ui.server.ending import EndingMiddleware, OpenRequests
from ui.server.gradio_internals import patient_start
from ui.server.gradio_internals.configuration import PageStates, slim
from ui.server.gradio_internals.queue_share import (
    QueueShare,
    current_client,
    finish,
    look_seldom,
    queue_of,
)
from ui.server.middleware import GuardMiddleware
from ui.server.open_routes import known
from ui.server.page_cache import PageCache
from ui.server.temp_files import TemporaryFiles
from ui.server.uploads import LARGEST_UPLOAD, UploadRoom
from ui.services import Services
from ui.shared.files import base_script, calling, early, inline, routes, style_link
from ui.shared.theme import make_theme
from ui.state.clients import Clients, NewcomerShares

log = logging.getLogger("gptlens")

# What is part of the page itself, and what any page needs.
_INLINE = tuple(
    f"frame/view/{name}.js"
    for name in ("page_key", "event_stream", "prefix", "first_view", "modules")
)
_FIRST = (
    "frame/view/keys.js",
    "frame/view/visit.js",
    "shared/view/begin.js",
    "lenses/start/view/start_view.js",
)
# may hold a text of megabytes
_TEXT_FIELDS = frozenset({"train-written", "tune-written", "labels-lines"})
_DAMAGED = (
    "Files of the bundled models are not those that were published: {files}{more}. What these "
    "models compute may be wrong. Get the files anew."
)
_OTHER_THREADS = 16  # in addition to one per waiting visitor
_TIDYING = 2.0  # seconds between two clean-ups of unused data
# clean-ups between two returns of freed memory: a crowd leaves hundreds of megabytes fragmented
_RETURNING = 15


def serve(
    page: gr.Blocks,
    services: Services,
    files: TemporaryFiles,
    *,
    host: str | None = None,
    port: int | None = None,
    hosts: Sequence[str] = (),
    frames: Sequence[str] = (),
    behind_proxy: bool = False,
    root_path: str = "",
    mcp: bool = False,
    wait: bool = True,
    told: Callable[[str], None] | None = None,
) -> str:
    """Serves the page and returns its address; with `wait`, only after it is interrupted.

    Args:
        host, port: where to listen; None for this machine alone, and the first free port.
        hosts: names by which browsers may call it.
        frames: origins of pages that may show it in a frame.
        behind_proxy: see Clients.
        root_path: the path under which a proxy shows the page.
        mcp: offer the endpoints as tools of the Model Context Protocol, too.
        wait: block until interrupted.
        told: called with the address once it can be opened.

    Raises:
        OSError: the port is taken.
    """
    # responses are small or compressed already
    as_is = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/json")
    requests = OpenRequests()
    listeners = Counter[str]()
    clients = Clients(behind_proxy=behind_proxy)
    services.sessions.holder = clients.of_page
    services.run_manager.asker = lambda: current_client(clients)
    guarding: dict[str, Any] = {
        "clients": clients,
        "listeners": listeners,
        "page": known(page, _TEXT_FIELDS),
    }
    guarding |= {"hosts": hosts, "frames": frames, "link": early(*_FIRST), "mcp": mcp}
    before = [
        Middleware(EndingMiddleware, requests=requests),
        Middleware(
            GuardMiddleware, newcomers=NewcomerShares(services.limits.page_states), **guarding
        ),
        Middleware(PageCache),
        Middleware(GZipMiddleware, compresslevel=5, exclude_content_types=as_is),
        Middleware(UploadRoom, files=files, clients=clients, uploaded=services.uploaded),
    ]
    limit_connections(behind_proxy=behind_proxy)
    of_page = {
        "lan": services.lan,
        "talk": services.talk.text,
        "model": services.models.default,
        "large": services.limits.large_type,
        "register": getattr(page, "register", {}),
    }
    shown = json.dumps(of_page, ensure_ascii=False)
    given = shown.replace("<", "\\u003c")  # it stands within the page
    page.queue(api_open=False, max_size=services.limits.waiting_events)
    gradio_internals.apply("patient start", patient_start.install)
    gradio_internals.apply("queue pauses", lambda: look_seldom(queue_of(page)))
    each = services.limits.waiting_events // 2
    gradio_internals.apply(
        "queue share",
        lambda: QueueShare(queue_of(page), listeners, waiting_each=each, clients=clients).install(),
    )
    _, address, _ = page.launch(
        theme=make_theme(),
        head=style_link() + base_script() + "".join(map(inline, _INLINE)),
        js=calling("frame/view/keys.js", f"m.start({given})"),
        footer_links=["api"],
        run_history=False,
        ssr_mode=False,
        show_error=False,
        enable_monitoring=False,
        prevent_thread_lock=True,
        max_file_size=LARGEST_UPLOAD,
        quiet=not wait,
        max_threads=services.limits.concurrent_visits + _OTHER_THREADS,
        state_session_capacity=services.limits.page_states,
        app_kwargs={"routes": routes(), "middleware": before, "lifespan": partial(_lighter, page)},
        server_name=f"[{host}]" if host and ":" in host and not host.startswith("[") else host,
        server_port=port,
        root_path=root_path,
        mcp_server=mcp,
    )
    tidying = (
        files.tidy,
        services.run_manager.reap,
        services.run_manager.save,
        services.attention_cache.reap,
    )
    _tidy_for_ever(tidying, (gc.collect, return_freed_memory) if wait else (return_freed_memory,))
    threading.Thread(
        target=_before_visitors, args=(services, wait), daemon=True, name="warming up"
    ).start()
    if told is not None:
        told(address)
    if wait:
        with suppress(KeyboardInterrupt):  # Ctrl-C, or SIGTERM
            while page.is_running:
                time.sleep(0.1)
        end(page, services, requests)
    return address


def end(page: gr.Blocks, services: Services, requests: OpenRequests) -> None:
    """Ends the server: texts and runs stop, what is in progress gets its last word, what comes new
    is refused.
    """
    requests.ending = True
    services.ending.set()
    services.sessions.stop_all()
    services.run_manager.stop_all()
    gradio_internals.apply("orderly end", lambda: finish(page))
    requests.end()
    if page.server is not None:
        page.server.close()


@asynccontextmanager
async def _lighter(page: gr.Blocks, app: Any) -> AsyncIterator[None]:
    """Lifespan hook before the first visitor: slims the configuration and replaces Gradio's page
    states.
    """
    gradio_internals.apply("configuration", lambda: slim(page.config))
    gradio_internals.apply("page states", lambda: setattr(app, "state_holder", PageStates(page)))
    yield


def _before_visitors(services: Services, for_good: bool) -> None:
    """Warms up the server for the first visitor; `for_good`: the process exists for this server
    alone.
    """
    # as Gradio does in its first event, which takes a quarter of a second longer for it
    import matplotlib

    matplotlib.get_backend()
    warm_up(services)
    if damaged := damaged_files():
        more = "" if len(damaged) < 4 else f" and {len(damaged) - 3} more"
        services.notices.append(_DAMAGED.format(files=", ".join(damaged[:3]), more=more))
        log.warning(services.notices[-1])
    if for_good:
        gc.collect()
        # what is there before the first visitor stays: collections look at what visitors leave
        # alone
        gc.freeze()


def _tidy_for_ever(
    often: Sequence[Callable[[], object]], seldom: Sequence[Callable[[], object]]
) -> None:
    """Starts a background thread that frees unused files, runs and readings, and now and then
    memory.
    """

    def tidy() -> None:
        for look in itertools.count(1):
            for one in (*often, *(seldom if look % _RETURNING == 0 else ())):
                try:
                    one()
                except Exception:
                    log.exception("tidying has failed; it is tried again")
            time.sleep(_TIDYING)

    threading.Thread(target=tidy, daemon=True, name="tidying").start()
