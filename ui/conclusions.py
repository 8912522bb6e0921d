"""Conclusions: one-sentence summaries of figures, generated from their numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from gptcore.zero_shot.metrics import percent

SURE, UNSURE = 0.5, 0.1  # probabilities
_VERY_SURE = 0.9
_AWAKE = 0.3  # of a neuron's activation; below it the output is negligible
_MOST_NAMED = 3  # items in a list
# What heads do, by their roles, in the plural; those that rest come last.
_DOING = {
    "induction": "look at what came after the same token last time",
    "duplicate": "look at the same token earlier",
    "previous": "look at the token before",
    "self": "look at their own token",
    "first": "rest on the first token",
}
_OF_REPEATS = ("induction", "duplicate")  # roles that need a token to come again


Conclusion = TypeVar("Conclusion", bound=Callable[..., str])
REGISTRY: dict[str, Callable[..., str]] = {}


def concludes(name: str) -> Callable[[Conclusion], Conclusion]:
    """Registers a function that concludes in words: `tests.tools.conclusions` has a test of what each one says."""

    def kept(function: Conclusion) -> Conclusion:
        REGISTRY[name] = function
        return function

    return kept


def above_half(named: float, total: float) -> bool:
    """Whether what a sentence names is more than half of the whole, so that it may say "most"."""
    return named > total / 2


@concludes("next token")
def next_token(labels: Sequence[str], guess: Sequence[float], drawn: Sequence[float], n_left: int, n: int) -> str:
    """How sure a model is of the next token, and what the settings leave of it.

    Args:
        labels: of the likeliest tokens.
        guess: their probabilities as the model gives them.
        drawn: the probabilities by which they are drawn; 0 for one that is cut.
        n_left: tokens that may be drawn.
        n: size of the vocabulary.
    """
    first, second = [*sorted(range(len(guess)), key=lambda i: -guess[i]), 0][:2]
    word, share = quoted(labels[first]), guess[first]
    if share >= SURE:
        sentence = f"It is {'very' if share >= _VERY_SURE else 'fairly'} sure: {word} has {percent(share)}."
    elif share >= UNSURE and second != first:
        sentence = f"It favours {word} ({percent(share)}) over {quoted(labels[second])} ({percent(guess[second])})."
    else:
        sentence = f"Nothing stands out: the likeliest, {word}, has only {percent(share)}."
    if n_left == 1:
        taken = max(range(len(drawn)), key=drawn.__getitem__)
        return f"{sentence} The settings leave only {quoted(labels[taken])}."
    return sentence if n_left >= n else f"{sentence} The settings leave {n_left:,} of {n:,} tokens to draw from."


@concludes("heads")
def heads(roles: Sequence[Sequence[Sequence[object]]], elsewhere: Sequence[Sequence[str]] = ()) -> str:
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


def in_front(first: Sequence[bool]) -> tuple[int, list[int]]:
    """When a token was the first guess: the depth from which it is without a break, and the depths before a break.

    Args:
        first: whether it is, after each depth, the embeddings first; true at the end.
    """
    settled = max((depth + 1 for depth, right in enumerate(first) if not right), default=0)
    return settled, [depth for depth in range(settled) if first[depth]]


def lost_again(before: Sequence[int], noun: str) -> str:
    """Where a token was the first guess before it was lost and found again, as an addition to a sentence; or ""."""
    if not before:
        return ""
    if before[0] == 0 and len(before) == 1:
        return f", after it was in front before any {noun} and lost again"
    depths = listed([str(depth - 1) for depth in before if depth])
    several = len(before) - (before[0] == 0) > 1
    start = f"before any {noun} and " if before[0] == 0 else ""
    return f", after it was in front {start}after {noun}{'s' if several else ''} {depths} and lost again"


@concludes("neuron")
def neuron(
    layer: int, number: int, tokens: Sequence[str], activations: Sequence[float], more: Sequence[str] | None
) -> str:
    """What excites a neuron in a text, and what it makes likelier.

    Args:
        layer, number: where it is.
        tokens: of the text.
        activations: one a token, after the activation function.
        more: the tokens that it makes likelier most, the first the most; of those that it writes, the ones that are
            less likely once it is cut; None where that was not tried.
    """
    peak = max(activations)
    if peak < _AWAKE:
        most = f"(at most {decimal(peak)})"
        return f"Nothing stands out: nothing in this text excites neuron {number} of layer {layer} {most}."
    exciting: dict[str, float] = {}
    for token, value in zip(tokens, activations, strict=True):
        exciting[token] = max(value, exciting.get(token, 0.0))
    ranked = sorted(exciting, key=lambda token: -exciting[token])
    strong = [token for token in ranked if exciting[token] >= peak / 2][:_MOST_NAMED]
    sentence = f"Neuron {number} of layer {layer} reacts most to {listed([quoted(token) for token in strong])}"
    if more is None:
        return f"{sentence}."
    if not more:
        return f"{sentence}; of the tokens that it writes, none is less likely there without it."
    written = listed([quoted(token) for token in more[:_MOST_NAMED]])
    return f"{sentence}; without it, {written} {'are' if len(more[:_MOST_NAMED]) > 1 else 'is'} less likely there."


@concludes("surprise")
def surprise(tokens: Iterable[tuple[str, float, int, str, float]]) -> str:
    """Which token of a text a model expected least.

    Args:
        tokens: label, probability and rank of each, and label and probability of what was expected instead.
    """
    seen = list(tokens)
    label, chance, _, instead, expected = min(seen, key=lambda token: token[1])
    n_first = sum(rank == 1 for _, _, rank, _, _ in seen)
    counted = f"{n_first} of {len(seen)} tokens were its first guess."
    if chance >= UNSURE:
        return f"Nothing surprises it: every token had {percent(chance)} or more. {counted}"
    best = f" where it expected {quoted(instead)} ({percent(expected)})" if expected > chance else ""
    return f"{quoted(label)} surprises it most: it had {percent(chance)}{best}. {counted}"


@concludes("shares")
def shares(counts: Sequence[tuple[str, int]]) -> str:
    """Where the parameters of a model are.

    Args:
        counts: name and parameters of each part.
    """
    total = sum(count for _, count in counts)
    (first, most), (second, next_most) = sorted(counts, key=lambda part: -part[1])[:2]
    named = f"{first} holds {percent(most / total)} of the {total:,} parameters"
    return f"{named}, {second} {percent(next_most / total)}."


@concludes("scores")
def scores(results: Sequence[tuple[str, float, float, float | None]]) -> str:
    """Which of several tests a model passes best, and how many clearly beat guessing.

    Args:
        results: label, share right, the lower end of its interval, and the share that guessing reaches, or None.
    """
    if not results:
        return ""
    label, best, _, _ = max(results, key=lambda result: result[1])
    named = f"The best is {label}, {percent(best)}" if len(results) > 1 else f"{label}: {percent(best)}"
    known = [(low, chance) for _, _, low, chance in results if chance is not None]
    if not known:
        return f"{named}."
    n_clear = sum(low > chance for low, chance in known)
    if not n_clear:
        return f"Nothing stands out: none is clearly better than guessing. {named}."
    return f"{named}. {n_clear} of {len(known)} with a known chance {'is' if n_clear == 1 else 'are'} clearly above it."


@concludes("same prompt")
def same_prompt(answers: Sequence[tuple[str, bool | None, float | None]]) -> str:
    """How several models, or several ways of asking one, answer the same prompt.

    Args:
        answers: name, whether it answers as expected (None where that is not known), and the probability of the
            expected answer, or None.
    """
    known = [(name, right) for name, right, _ in answers if right is not None]
    if not known:
        return ""
    right = [name for name, is_right in known if is_right]
    if not right:
        sentence = f"None of {len(known)} answers as expected." if len(known) > 1 else "It does not answer as expected."
    elif len(right) == len(known):
        sentence = f"All {len(known)} answer as expected." if len(known) > 1 else "It answers as expected."
    else:
        verb = "answer" if len(right) > 1 else "answers"
        sentence = f"{len(right)} of {len(known)} {verb} as expected: {listed(right)}."
    chances = [(chance, name) for name, _, chance in answers if chance is not None]
    if len(chances) < 2:
        return sentence
    chance, name = max(chances)
    return f"{sentence} {name} gives the expected answer the most probability, {percent(chance)}."


def decimal(value: float, digits: int = 2) -> str:
    """A number as sentences have it, with the minus of print."""
    return f"{value:z.{digits}f}".replace("-", "−")


def signed(value: float, digits: int = 1) -> str:
    """A change as sentences have it, with its sign."""
    return f"{value:+z.{digits}f}".replace("-", "−")


def quoted(label: str) -> str:
    """A token as a sentence names it."""
    word = label.strip()
    return f"“{word}”" if word else "a new line" if "\n" in label else "a space"


def listed(parts: Sequence[str]) -> str:
    """ "a, b and c" of those that are not empty; "" of none."""
    items = [part for part in parts if part]
    if not items:
        return ""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
