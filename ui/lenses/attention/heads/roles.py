"""What the heads of a model do on a text, in words."""

from collections import Counter
from collections.abc import Sequence

from ui.conclusions import concludes, head_tag, listed, listed_first

# What heads do, by their roles, (one head, several heads); those that rest come last.
_DOING = {
    "induction": (
        "looks at what came after the same token last time",
        "look at what came after the same token last time",
    ),
    "duplicate": ("looks at the same token earlier", "look at the same token earlier"),
    "previous": ("looks at the token before", "look at the token before"),
    "self": ("looks at its own token", "look at their own token"),
    "first": ("rests on the first token", "rest on the first token"),
}
_N_NAMED = 5  # heads at most that a sentence names
# What they do in the test, by the roles that need a token to come again.
_IN_TEST = {
    "induction": ("copies what came after it last time", "copy what came after it last time"),
    "duplicate": ("looks at the same token earlier", "look at the same token earlier"),
}


@concludes("heads")
def conclusion(
    roles: Sequence[Sequence[Sequence[object]]], elsewhere: Sequence[Sequence[str]] = ()
) -> str:
    """Describes the roles of a model's heads on a text, and apart from it where tokens repeat.

    Args:
        roles: of every layer's heads on the text [role, whether it only leans that way].
        elsewhere: of every layer's heads the role on random tokens that repeat, or "".
    """
    counted = list[str]()
    for role, doing in _IN_TEST.items():
        heads = [
            head_tag(layer, head)
            for layer, row in enumerate(elsewhere)
            for head, found in enumerate(row)
            if found == role
        ]
        if heads:
            counted.append(f"{_counted(len(heads), doing)}: {listed_first(heads, _N_NAMED)}")
    apart = f" In a test where random tokens repeat, {'; '.join(counted)}." if counted else ""
    return _here(roles) + apart


def _here(roles: Sequence[Sequence[Sequence[object]]]) -> str:
    clear = Counter(str(role) for row in roles for role, leans in row if not leans)
    n_heads = sum(map(len, roles))
    known = [
        _counted(clear[role], doing)
        for role, doing in _DOING.items()
        if clear[role] and role != "first"
    ]
    resting = _counted(clear["first"], _DOING["first"]) if clear["first"] else ""
    if not known:
        if clear["first"] == n_heads:
            return f"On this text all {n_heads} heads rest on the first token."
        if not resting:
            return f"Nothing stands out: none of the {n_heads} heads has a clear role on this text."
        return f"On this text, of {n_heads} heads, {resting}; none of the others has a clear role."
    return f"On this text, of {n_heads} heads, {listed([*known, resting])}."


def _counted(n: int, doing: tuple[str, str]) -> str:
    """ "2 look at ..." or "1 looks at ..."."""
    one, several = doing
    return f"1 {one}" if n == 1 else f"{n} {several}"
