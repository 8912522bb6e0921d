"""How figures are written for a reader."""


def percent(share: float) -> str:
    """Formats a share from 0 to 1 for display: "67%", or "99.5%" where rounding would make it all
    or nothing.
    """
    for digits in (0, 1, 2):
        shown = f"{100 * share:.{digits}f}"
        if float(shown) not in (0.0, 100.0) or share in (0.0, 1.0):
            return f"{shown}%"
    return "<0.01%" if share < 0.5 else ">99.99%"
