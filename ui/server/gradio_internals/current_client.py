"""The client whose event is being handled in this thread."""

from gradio.context import LocalContext

from ui.state.clients import Clients


def current_client(clients: Clients) -> str:
    """Its address; "" outside an event."""
    request = LocalContext.request.get(None)
    peer = getattr(request, "client", None)
    return clients.address(request.headers, peer.host) if request is not None and peer is not None else ""
