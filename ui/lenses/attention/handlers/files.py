"""Attention maps as files: arrays for programs, and a standalone HTML page."""

import base64
import io
from typing import Annotated

import numpy as np

from ui.lenses.attention.handlers import codec
from ui.lenses.attention.handlers.maps import chosen, shown_as
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
    head = chosen(services, request)
    if head is None:
        return None
    reading = head.kept.reading
    all_fit = reading.n_layer * reading.n_head * reading.n_tokens**2 * 4 <= _MOST_ARRAY_BYTES
    weights = services.now(
        lambda: np.stack([shown_as(layer, head.mode) for layer in reading.layers()]) if all_fit else head.weights
    )
    target = io.BytesIO()
    np.savez_compressed(
        target,
        attention=weights,
        tokens=np.array(head.kept.labels),
        token_ids=np.array(reading.token_ids),
        layer=head.layer,
        head=head.head,
    )
    return f"data:application/zip;base64,{base64.b64encode(target.getvalue()).decode()}"


def maps_for_a_page(services: Services, request: object) -> dict[str, str] | None:
    """Precomputed `head_map` answers for an offline page, "layer,head" -> map: all heads, or those of one layer."""
    chosen_head = chosen(services, request)
    if chosen_head is None:
        return None
    reading = chosen_head.kept.reading
    all_fit = reading.n_layer * reading.n_head * reading.n_tokens**2 <= _MOST_PAGE_CELLS
    layers = range(reading.n_layer) if all_fit else [chosen_head.layer]
    return services.now(
        lambda: {
            f"{layer},{head}": codec.one_map(weights, causal=reading.causal, signed=False)
            for layer in layers
            for head, weights in enumerate(shown_as(reading.weights(layer), chosen_head.mode))
        }
    )
