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
from starlette.routing import Route

from gptcore.language_model import damaged_files
from gptcore.machine import return_freed_memory
from ui.frame.warming import warm_up
from ui.server import gradio_internals
from ui.server.connections import limit_connections
from ui.server.ending import EndingMiddleware, OpenRequests
from ui.server.gradio_internals import patient_start, quick_front_end
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
from ui.server.options import ServerOptions
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
_LOCAL = ServerOptions()
_OTHER_THREADS = 16  # in addition to one per waiting visitor
_TIDYING = 2.0  # seconds between two clean-ups of unused data
# clean-ups between two returns of freed memory: a crowd leaves hundreds of megabytes fragmented
_RETURNING = 15


def serve(
    page: gr.Blocks,
    services: Services,
    files: TemporaryFiles,
    options: ServerOptions = _LOCAL,
    *,
    wait: bool = True,
    told: Callable[[str], None] | None = None,
) -> str:
    """Serves the page and returns its address; with `wait`, only after it is interrupted.

    Args:
        page: not launched yet; its handlers use `services`.
        files: uploads and downloads.
        options: where to listen, and for whom.
        wait: block until interrupted.
        told: called with the address once it can be opened.

    Raises:
        OSError: the port is taken.
    """
    requests = OpenRequests()
    listeners = Counter[str]()
    clients = Clients(behind_proxy=options.behind_proxy)
    services.sessions.holder = clients.of_page
    services.run_manager.asker = lambda: current_client(clients)
    guarding = {"clients": clients, "listeners": listeners, "page": known(page, _TEXT_FIELDS)}
    limit_connections(behind_proxy=options.behind_proxy)
    _adapt_queue(page, services, listeners, clients)
    _, address, _ = page.launch(
        theme=make_theme(),
        head=style_link() + _limited_style(page) + base_script() + "".join(map(inline, _INLINE)),
        js=calling("frame/view/keys.js", f"m.start({_facts_for_scripts(page, services)})"),
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
        app_kwargs={
            "routes": [*routes(), *_mended_scripts()],
            "middleware": _middleware(services, files, requests, options, guarding),
            "lifespan": partial(_lighter, page),
        },
        server_name=options.server_name,
        server_port=options.port,
        root_path=options.root_path,
        mcp_server=options.mcp,
    )
    _start_threads(services, files, wait)
    if told is not None:
        told(address)
    if wait:
        _wait(page)
        end(page, services, requests)
    return address


def _mended_scripts() -> list[Route]:
    """Routes of what stands in place of Gradio's scripts; none for another version of it."""
    found = list[Route]()
    gradio_internals.apply("quick front end", lambda: found.extend(quick_front_end.routes()))
    return found


def _wait(page: gr.Blocks) -> None:
    """Waits until the page is closed or the process is interrupted."""
    with suppress(KeyboardInterrupt):  # Ctrl-C, or SIGTERM
        while page.is_running:
            time.sleep(0.1)


def _start_threads(services: Services, files: TemporaryFiles, for_good: bool) -> None:
    """Starts the background threads: one tidies up, one warms up for the first visitor."""
    often = (
        files.tidy,
        services.run_manager.reap,
        services.run_manager.save,
        services.attention_cache.reap,
    )
    seldom = (gc.collect, return_freed_memory) if for_good else (return_freed_memory,)
    _tidy_for_ever(often, seldom)
    warming = threading.Thread(
        target=_before_visitors, args=(services, for_good), daemon=True, name="warming up"
    )
    warming.start()


def _middleware(
    services: Services,
    files: TemporaryFiles,
    requests: OpenRequests,
    options: ServerOptions,
    guarding: dict[str, Any],
) -> list[Middleware]:
    """The server's middleware, outermost first."""
    newcomers = NewcomerShares(services.limits.page_states)
    # responses are small or compressed already
    as_is = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/json")
    return [
        Middleware(EndingMiddleware, requests=requests),
        Middleware(
            GuardMiddleware, newcomers=newcomers, options=options, link=early(*_FIRST), **guarding
        ),
        Middleware(PageCache),
        Middleware(GZipMiddleware, compresslevel=5, exclude_content_types=as_is),
        Middleware(
            UploadRoom, files=files, clients=guarding["clients"], uploaded=services.uploaded
        ),
    ]


def _facts_for_scripts(page: gr.Blocks, services: Services) -> str:
    """JSON that the page's scripts start with, safe within a script element."""
    facts = {
        "lan": services.lan,
        "talk": services.talk.text,
        "model": services.models.default,
        "large": services.limits.large_type,
        "register": getattr(page, "register", {}),
    }
    return json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")


def _limited_style(page: gr.Blocks) -> str:
    """A style element that hides all fields and pages of which a script has yet to say whether they
    apply (`ui/frame/view/applies.js`).
    """
    fields = getattr(page, "register", {}).get("fields", [])
    limited = [field["element"] for field in fields if "only" in field]
    limited += [element for field in fields for element in field.get("shows", {}).values()]
    rule = ", ".join(f"#{element}" for element in limited)
    return f'<style id="not-applying">{rule} {{ display: none !important; }}</style>'


def _adapt_queue(
    page: gr.Blocks, services: Services, listeners: Counter[str], clients: Clients
) -> None:
    """Bounds the queue, gives each client a share of it, and lets it sleep while it is empty."""
    waiting = services.limits.waiting_events
    page.queue(api_open=False, max_size=waiting)
    gradio_internals.apply("patient start", patient_start.install)
    gradio_internals.apply("queue pauses", lambda: look_seldom(queue_of(page)))
    gradio_internals.apply(
        "queue share",
        lambda: QueueShare(
            queue_of(page), listeners, waiting_each=waiting // 2, clients=clients
        ).install(),
    )


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
        # objects from before the first visitor live as long as the process: later garbage
        # collections skip them
        gc.freeze()


def _tidy_for_ever(
    often: Sequence[Callable[[], object]], seldom: Sequence[Callable[[], object]]
) -> None:
    """Starts a background thread that frees unused files, runs and readings, and now and then
    memory.
    """

    def tidy() -> None:
        for look in itertools.count(1):
            for item in (*often, *(seldom if look % _RETURNING == 0 else ())):
                try:
                    item()
                except Exception:
                    log.exception("tidying has failed; it is tried again")
            time.sleep(_TIDYING)

    threading.Thread(target=tidy, daemon=True, name="tidying").start()
