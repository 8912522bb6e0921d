"""Attention maps as files: arrays for programs, and a standalone HTML page."""

from __future__ import annotations

import base64
import io
from typing import Annotated

import numpy as np

from ui.lenses.attention.handlers import codec
from ui.lenses.attention.handlers.maps import WITHOUT_FIRST, ChosenHead, chosen, shown_as
from ui.lenses.attention.payloads import HeadRequest
from ui.services import Services

# A larger fp32 array would be too much for a browser; the chosen head alone always fits.
_MOST_ARRAY_BYTES = 48 << 20
_MOST_PAGE_CELLS = 3_000_000


def arrays(services: Services, request: Annotated[object, HeadRequest]) -> str | None:
    """A compressed .npz as a data URL.

    Arrays: attention float32 [n_layer, n_head, T, T], or [T, T] of the chosen head when all would be too large;
    tokens, token_ids; layer and head, the chosen ones. Rows with no attention left are NaN.
    """
    found = chosen(services, request)
    if found is None:
        return None
    reading = found.kept.reading
    all_fit = reading.n_layer * reading.n_head * reading.n_tokens**2 * 4 <= _MOST_ARRAY_BYTES
    weights = services.now(
        lambda: np.stack([shown_as(layer, found.mode) for layer in reading.layers()]) if all_fit else found.weights
    )
    target = io.BytesIO()
    np.savez_compressed(
        target,
        attention=weights,
        tokens=np.array(found.kept.labels),
        token_ids=np.array(reading.token_ids),
        layer=found.layer,
        head=found.head,
    )
    return f"data:application/zip;base64,{base64.b64encode(target.getvalue()).decode()}"


def maps_for_a_page(services: Services, request: object) -> dict[str, str] | None:
    """Precomputed `head_map` answers for an offline page, "layer,head" -> map: all heads, or those of one layer."""
    found = chosen(services, request)
    if found is None:
        return None
    reading = found.kept.reading
    all_fit = reading.n_layer * reading.n_head * reading.n_tokens**2 <= _MOST_PAGE_CELLS
    layers = range(reading.n_layer) if all_fit else [found.layer]
    return services.now(
        lambda: {
            f"{layer},{head}": codec.one_map(weights, causal=reading.causal, signed=False)
            for layer in layers
            for head, weights in enumerate(shown_as(reading.weights(layer), found.mode))
        }
    )


def caption(found: ChosenHead) -> str:
    """The title of a picture: model, head and what was done to the sink."""
    how = " · first token left out" if found.mode == WITHOUT_FIRST else ""
    return f"{found.kept.name} · layer {found.layer}, head {found.head}{how}"


def html_url(page: str) -> str:
    """A page as a data URL."""
    return f"data:text/html;base64,{base64.b64encode(page.encode()).decode()}"
