"""Makes Gradio build its server application and the page's configuration once, at launch.

It builds both when a page begins, when it is complete, when its queue is set, and at launch, and uses the last ones.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradio import blocks

from ui.server.gradio_internals import apply

_BEFORE_LAUNCH = {"mcp_server": False}  # how `create_app` is called then


@contextmanager
def built_at_launch() -> Iterator[None]:
    """Context manager: pages that are made inside have neither until they are launched, inside as well."""
    before = blocks.Blocks.__dict__["get_config_file"], blocks.App.__dict__["create_app"]
    apply("one application", _build_at_launch)
    try:
        yield
    finally:
        blocks.Blocks.get_config_file, blocks.App.create_app = before


def _build_at_launch() -> None:
    create, configure = blocks.App.create_app, blocks.Blocks.get_config_file
    too_early = (blocks.Blocks.__exit__.__code__, blocks.Blocks.launch.__code__)  # `create_app` asks once more

    def create_app(page: blocks.Blocks, *arguments: Any, **options: Any) -> Any:
        early = not arguments and options == _BEFORE_LAUNCH
        return None if early else create(page, *arguments, **options)

    def get_config_file(self: blocks.Blocks) -> Any:
        return {} if sys._getframe(1).f_code in too_early else configure(self)

    blocks.App.create_app = staticmethod(create_app)  # type: ignore[method-assign]
    blocks.Blocks.get_config_file = get_config_file
