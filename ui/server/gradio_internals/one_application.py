"""Makes Gradio build its server application and the page's configuration once, at launch.

It builds both when a page begins, when it is complete, when its queue is set, and at launch, and uses the last ones.
"""

from __future__ import annotations

import sys
from typing import Any

from gradio import blocks

from ui.server.gradio_internals import apply

_WITHOUT_LAUNCH = {"mcp_server": False}  # how `create_app` is called before the launch


def _build_at_launch() -> None:
    create, configure = blocks.App.create_app, blocks.Blocks.get_config_file

    def create_app(page: blocks.Blocks, *arguments: Any, **options: Any) -> Any:
        early = not arguments and options == _WITHOUT_LAUNCH
        return None if early else create(page, *arguments, **options)

    def get_config_file(self: blocks.Blocks) -> Any:
        # At launch, `create_app` asks once more.
        early = sys._getframe(1).f_code in (blocks.Blocks.__exit__.__code__, blocks.Blocks.launch.__code__)
        return {} if early else configure(self)

    blocks.App.create_app = staticmethod(create_app)  # type: ignore[method-assign]
    blocks.Blocks.get_config_file = get_config_file


apply("one application", _build_at_launch)
