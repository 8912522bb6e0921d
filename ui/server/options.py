"""Options of the server: where it listens and who may call it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerOptions:
    """The options of the server: where it listens, and for whom.

    Args:
        host: address to listen on; None for this machine alone.
        port: None for the first free one.
        hosts: names by which browsers may call the server, beside its addresses and its own name;
            "*" for any.
        frames: origins of pages that may show this one in a frame.
        behind_proxy: see `ui.state.clients.Clients`.
        root_path: the path under which a proxy shows the page.
        mcp: offer the endpoints as tools of the Model Context Protocol, too.
    """

    host: str | None = None
    port: int | None = None
    hosts: Sequence[str] = ()
    frames: Sequence[str] = ()
    behind_proxy: bool = False
    root_path: str = ""
    mcp: bool = False

    @property
    def server_name(self) -> str | None:
        """The host as Gradio takes it: an IPv6 address in brackets."""
        host = self.host
        return f"[{host}]" if host and ":" in host and not host.startswith("[") else host
