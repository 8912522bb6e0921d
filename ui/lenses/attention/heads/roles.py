"""What the heads of a model do on a text, in words."""

from collections import Counter
from collections.abc import Sequence

from ui.conclusions import concludes, listed

# What heads do, by their roles, in the plural; those that rest come last.
_DOING = {
    "induction": "look at what came after the same token last time",
    "duplicate": "look at the same token earlier",
    "previous": "look at the token before",
    "self": "look at their own token",
    "first": "rest on the first token",
}
_OF_REPEATS = ("induction", "duplicate")  # roles that need a token to come again


@concludes("heads")
def conclusion(roles: Sequence[Sequence[Sequence[object]]], elsewhere: Sequence[Sequence[str]] = ()) -> str:
    """What the heads of a model do on a text, and apart from it where tokens repeat.

    Args:
        roles: of every layer's heads on the text [role, whether it only leans that way].
        elsewhere: of every layer's heads the role on random tokens that repeat, or "".
    """
    repeating = Counter(role for row in elsewhere for role in row if role in _OF_REPEATS)
    counted = [_counted(repeating[role], _DOING[role]) for role in _OF_REPEATS if repeating[role]]
    apart = f" Where random tokens repeat, {listed(counted)}." if counted else ""
    return _here(roles) + apart


def _here(roles: Sequence[Sequence[Sequence[object]]]) -> str:
    clear = Counter(str(role) for row in roles for role, leans in row if not leans)
    n_heads = sum(map(len, roles))
    known = [_counted(clear[role], doing) for role, doing in _DOING.items() if clear[role] and role != "first"]
    resting = _counted(clear["first"], _DOING["first"]) if clear["first"] else ""
    if not known:
        rest = f", {resting}" if resting else ""
        return f"Nothing stands out: none of the {n_heads} heads has a clear role here{rest}."
    return f"On this text, of {n_heads} heads, {listed([*known, resting])}."


def _counted(n: int, doing: str) -> str:
    """ "2 look at ..." or "1 looks at ..."."""
    verb, _, rest = doing.partition(" ")
    return f"{n} {verb}{'s' if n == 1 else ''} {rest}"
