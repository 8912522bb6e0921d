"""What browsers are told with every answer: security headers, and that a stream is passed on as it is written."""

from collections.abc import Sequence
from typing import Any

# A stream of events is passed on as it is written, also by a proxy that buffers (nginx, as it comes).
_STREAM = ((b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no"))
_POLICY = "; ".join((
    "default-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # Gradio compiles strings to functions
    "style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:", "media-src 'self' data: blob:",
    "font-src 'self' data:", "worker-src 'self' blob:", "connect-src 'self' data: blob:", "object-src 'none'",
    "base-uri 'self'", "form-action 'self'",
))  # fmt: skip


def headers_of(frames: Sequence[str]) -> Sequence[tuple[bytes, bytes]]:
    """What browsers are told with every answer; the sites in `frames` may show this one in a frame."""
    ancestors = " ".join(["frame-ancestors 'self'", *frames])
    return (
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"content-security-policy", f"{_POLICY}; {ancestors}".encode()),
    )


def telling_browsers(send: Any, headers: Sequence[tuple[bytes, bytes]]) -> Any:
    """The ASGI send that adds headers to an answer, where it does not have them."""

    async def telling(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            more = [header for header in headers if header[0] not in there]
            if any(
                name.lower() == b"content-type" and kind.startswith(b"text/event-stream")
                for name, kind in message["headers"]
            ):
                more += [header for header in _STREAM if header[0] not in there]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return telling
