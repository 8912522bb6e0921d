"""Tasks in many wordings of their own, as people ask who have seen no example: `wordings.txt` has a
line for each.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from gptcore.zero_shot.templates import Item, Template
from weights.recipes.everyday.questions import about_note, cut_note
from weights.recipes.world.analogies import related
from weights.recipes.world.english import capitalised, plural
from weights.recipes.world.items import item
from weights.recipes.world.lexicon import sections, words
from weights.recipes.world.splits import Draw
from weights.recipes.world.sums import in_words, numbers
from weights.recipes.world.telling import person

_JOINTS = (", and ", ". ", "; ", ", ", ", so ", ". And ")


@cache
def wordings() -> dict[str, tuple[Template, ...]]:
    """The wordings of each section of wordings.txt."""
    return {
        name: tuple(_template(line) for line in lines)
        for name, lines in sections("wordings.txt", Path(__file__).parent).items()
    }


def _template(line: str) -> Template:
    front, answer, end = line.replace("\\n", "\n").partition("{answer}")
    return Template("", front + answer, end=end, between="\n\n")


def worded(draw: Draw) -> str:
    """A page with a task in one of its wordings, once or a few times."""
    template, make = draw.pick(_KINDS)(draw)
    shown = [make(draw) for _ in range(1 if draw.chance(0.6) else draw.number(2, 4))]
    page = template.document(shown)
    return page.lower() if draw.chance(0.05) else page


def _plain(
    task: str, *others: Callable[[Draw], Item]
) -> Callable[[Draw], tuple[Template, Callable[[Draw], Item]]]:
    """A task of the little world, or of notes, in a wording of its section."""

    def kind(draw: Draw) -> tuple[Template, Callable[[Draw], Item]]:
        makers = (*others, lambda draw: item(task, draw))
        return draw.pick(wordings()[task]), draw.pick(makers)

    return kind


def _sum(draw: Draw) -> tuple[Template, Callable[[Draw], Item]]:
    less = draw.chance(0.4)

    def make(draw: Draw) -> Item:
        a, b = numbers(draw)
        things = plural(draw.pick(words(draw.pick(("fruit", "toy", "thing", "animal")))))
        fields = {
            "a": a,
            "b": b,
            "c": a + b,
            "one": in_words(a),
            "two": in_words(b),
            "three": in_words(a + b),
        }
        said = {name: str(value) for name, value in fields.items()} | {
            "things": things,
            "who": person(draw).name,
        }
        return Item(said, str(a if less else a + b))

    return draw.pick(wordings()["difference" if less else "arithmetic"]), make


def _pair_and_pair(draw: Draw) -> tuple[Template, Callable[[Draw], Item]]:
    """Two pairs of words in one sentence each, which says what relates them."""

    def make(draw: Draw) -> Item:
        relation, a, b, c, d = related(draw)
        says = draw.pick(wordings()[f"analogy {relation}"]).body
        joint = draw.pick(_JOINTS)
        said = says.format(a=a, b=b, answer="") + joint
        second = says.partition("{b}")[0].format(a=c)
        if "." not in joint and not second.startswith((c, "I ")):
            second = second[0].lower() + second[1:]
        return Item({"text": capitalised(said + second).rstrip()}, d)

    return Template("", "{text} {answer}", end=".", between="\n\n"), make


_KINDS = (
    _plain("translate"),
    _plain("translate"),
    _plain("sentiment"),
    _plain("sentiment"),
    _plain("question", about_note),
    _plain("question", about_note),
    _sum,
    _sum,
    _sum,
    _plain("analogy"),
    _pair_and_pair,
    _plain("summarise"),
    _plain("summarise"),
    _plain("cloze", cut_note),
)
