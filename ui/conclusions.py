"""Conclusions: one-sentence summaries of figures, generated from their numbers."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from gptcore.formatting import percent

# probabilities
SURE = 0.5
UNSURE = 0.1
_VERY_SURE = 0.9
CANCELS = 0.5  # of a sum: from this share of it on, what works against it is named


Conclusion = TypeVar("Conclusion", bound=Callable[..., str])
REGISTRY: dict[str, Callable[..., str]] = {}


def concludes(name: str) -> Callable[[Conclusion], Conclusion]:
    """Registers a function that concludes in words: `tests.tools.conclusions` has a test of what
    each one says.
    """

    def kept(function: Conclusion) -> Conclusion:
        REGISTRY[name] = function
        return function

    return kept


def above_half(named: float, total: float) -> bool:
    """Whether what a sentence names is more than half of the whole, so that it may say "most"."""
    return named > total / 2


@concludes("next token")
def next_token(
    labels: Sequence[str], guess: Sequence[float], drawn: Sequence[float], n_left: int, n: int
) -> str:
    """Describes how sure a model is of the next token, and what the settings leave of it.

    Args:
        labels: of the likeliest tokens.
        guess: their probabilities as the model gives them.
        drawn: the probabilities by which they are drawn; 0 for one that is cut.
        n_left: tokens that may be drawn.
        n: size of the vocabulary.
    """
    first, second = [*sorted(range(len(guess)), key=lambda i: -guess[i]), 0][:2]
    word, rival = quoted_apart(labels[first], labels[second])
    share = guess[first]
    if share >= SURE:
        word = quoted(labels[first])  # the other is not named
        sentence = (
            f"It is {'very' if share >= _VERY_SURE else 'fairly'} sure: {word} has "
            f"{percent(share)}."
        )
    elif share >= UNSURE and second != first:
        sentence = f"It favours {word} ({percent(share)}) over {rival} ({percent(guess[second])})."
    else:
        sentence = f"Nothing stands out: the likeliest, {word}, has only {percent(share)}."
    if n_left == 1:
        taken = max(range(len(drawn)), key=drawn.__getitem__)
        return f"{sentence} The settings leave only {quoted(labels[taken])}."
    return (
        sentence
        if n_left >= n
        else f"{sentence} The settings leave {n_left:,} of {n:,} tokens to draw from."
    )


def in_front(first: Sequence[bool]) -> tuple[int, list[int]]:
    """When a token was the first guess: the depth from which it is without a break, and the depths
    before a break.

    Args:
        first: whether it is, after each depth, the embeddings first; true at the end.
    """
    settled = max((depth + 1 for depth, right in enumerate(first) if not right), default=0)
    return settled, [depth for depth in range(settled) if first[depth]]


def had_led(before: Sequence[int], noun: str) -> str:
    """Names the depths at which a token led before it fell behind and won again, as a sentence of
    its own; "" where it never did.

    Args:
        before: the depths at which it led, the embeddings first, as `in_front` gives them.
        noun: "block" or "layer".
    """
    if not before:
        return ""
    behind = [str(depth - 1) for depth in before if depth]
    places = [f"before any {noun}"] if before[0] == 0 else []
    if behind:
        places.append(f"after {noun if len(behind) == 1 else noun + 's'} {listed(behind)}")
    return f" It had led {' and '.join(places)}, then fell behind."


def head_name(layer: int, head: int) -> str:
    """A head as a sentence about it names it."""
    return f"layer {layer}, head {head}"


def head_tag(layer: int, head: int) -> str:
    """A head as tables and lists name it."""
    return f"L{layer}H{head}"


def listed_first(parts: Sequence[str], most: int) -> str:
    """ "a, b and 3 more" of more parts than are named, else all of them."""
    shown = parts[:most]
    more = len(parts) - len(shown)
    return listed([*shown, f"{more} more"] if more else shown)


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning."""
    return sentence[:1].upper() + sentence[1:]


def decimal(value: float, digits: int = 2) -> str:
    """A number as sentences have it, with the minus of print."""
    return f"{value:z.{digits}f}".replace("-", "−")


def minus(value: float) -> str:
    """A number as sentences have it, of as many digits as it needs, with the minus of print."""
    return f"{value:g}".replace("-", "−")


def signed(value: float, digits: int = 1) -> str:
    """A change as sentences have it, with its sign."""
    return f"{value:+z.{digits}f}".replace("-", "−")


def quoted(label: str) -> str:
    """A token as a sentence names it."""
    word = label.strip()
    if word:
        return f"“{word}”"
    return next((name for blank, name in _BLANKS.items() if blank in label), "a space")


def quoted_apart(label: str, other: str) -> tuple[str, str]:
    """Two tokens as one sentence names them: where they read alike, a mark shows the space that one
    of them has.
    """
    if quoted(label) != quoted(other) or label == other:
        return quoted(label), quoted(other)
    marked = [f"“{item.replace(' ', '␣')}”" for item in (label, other)]
    return marked[0], marked[1]


# Blanks that are no space.
_BLANKS = {
    "\n": "a new line",
    "\t": "a tab",
    "\r": "a carriage return",
    "\u00a0": "a no-break space",
}


def counted(n: int, noun: str) -> str:
    """ "1 token", "2 tokens"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """ "a, b and c" of those that are not empty; "" of none."""
    items = [part for part in parts if part]
    if not items:
        return ""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
