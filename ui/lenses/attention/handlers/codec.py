"""Codec of attention maps for the page: 4 bits per cell for thumbnails, 16 for the selected
head.
"""

import base64
import zlib
from functools import lru_cache

import numpy as np

# Thumbnails are drawn at 30 to 70 pixels; with many heads they are smaller still.
_SIDE = 64
_SIDE_OF_MANY = 32
_MANY = 400
# 16-bit codes: not available, and the highest valid code.
_NA = 65535
_TOP = 65534
_SIGNED_NA = -32768
_SIGNED_TOP = 32767


class Thumbnails:
    """Collects all heads as small maps, layer by layer.

    Cells: side x side a head, or their lower triangle with the diagonal, row by row, two to a byte,
    the first in the low half. A cell is the value farthest from 0 of those it stands for; codes are
    15 * sqrt(value), or 8 + 7 * sqrt(|value|) with the value's sign.

    Args:
        n_maps: layers times heads.
        causal: only the lower triangle holds anything.
        signed: differences in -1 to 1; 0 is coded as 8.
    """

    def __init__(self, *, n_maps: int, causal: bool, signed: bool) -> None:
        self.most = _SIDE if n_maps <= _MANY else _SIDE_OF_MANY
        self.causal = causal
        self.signed = signed
        self.side = 0
        self._rows: list[np.ndarray] = []

    def add(self, maps: np.ndarray) -> None:
        """Takes the next layer, float [H, T, T]; NaN counts as 0."""
        small = np.nan_to_num(_pooled(maps, -(-maps.shape[-1] // self.most)))
        self.side = small.shape[-1]
        root = np.sqrt(np.abs(small))
        codes = np.rint(np.sign(small) * root * 7 + 8) if self.signed else np.rint(root * 15)
        cells = codes.astype(np.uint8)
        self._rows.append((cells[:, _triangle(self.side)] if self.causal else cells).reshape(-1))

    def packed(self) -> str:
        """All cells, deflated, in base64."""
        flat = np.concatenate(self._rows)
        if len(flat) % 2:
            flat = np.append(flat, np.uint8(0))
        return _text(flat[0::2] | (flat[1::2] << 4))


def one_map(weights: np.ndarray, *, causal: bool, signed: bool) -> str:
    """One head's map [T, T] in 16 bits a cell, deflated, base64; NaN stays recognisable."""
    cells = weights[_triangle(len(weights))] if causal else weights.reshape(-1)
    if signed:
        codes = np.where(
            np.isnan(cells), _SIGNED_NA, np.rint(np.nan_to_num(cells) * _SIGNED_TOP)
        ).astype("<i2")
    else:
        codes = np.where(np.isnan(cells), _NA, np.rint(np.nan_to_num(cells) * _TOP)).astype("<u2")
    return _text(codes)


def scores(values: np.ndarray) -> str:
    """A square of raw scores as float32, deflated, base64."""
    return _text(values.astype("<f4"))


@lru_cache(maxsize=16)
def _triangle(side: int) -> np.ndarray:
    return np.tri(side, dtype=bool)


def _pooled(maps: np.ndarray, factor: int) -> np.ndarray:
    """[H, T, T] -> [H, ceil(T / factor), ...]: the value farthest from 0 in each square."""
    if factor == 1:
        return maps
    H, T, _ = maps.shape
    side = -(-T // factor)
    padded = np.zeros((H, side * factor, side * factor), maps.dtype)
    padded[:, :T, :T] = maps
    squares = padded.reshape(H, side, factor, side, factor)
    # NaN only where all are
    high = np.fmax.reduce(squares, axis=(2, 4))
    low = np.fmin.reduce(squares, axis=(2, 4))
    return np.where(high >= -low, high, low)


def _text(values: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()
