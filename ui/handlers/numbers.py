"""Numbers for JSON: non-finite values become None."""

from __future__ import annotations

import math


def finite(value: float | None, digits: int = 4) -> float | None:
    """So many decimals of a number."""
    return round(value, digits) if value is not None and math.isfinite(value) else None


def significant(value: float) -> float | None:
    """Five significant digits of a number."""
    return float(f"{value:.5g}") if math.isfinite(value) else None
