"""Numbers for JSON: non-finite values become None."""

import math
from typing import Any


def finite(value: float | None, digits: int = 4) -> float | None:
    """So many decimals of a number."""
    return round(value, digits) if value is not None and math.isfinite(value) else None


def significant(value: float) -> float | None:
    """Five significant digits of a number."""
    return float(f"{value:.5g}") if math.isfinite(value) else None


def within_json(value: Any) -> Any:
    """Converts integers beyond 64 bits to floats: this server's JSON cannot hold larger ones."""
    if isinstance(value, dict):
        return {key: within_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [within_json(entry) for entry in value]
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value
