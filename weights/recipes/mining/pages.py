"""Pages that show a task with the sentences of other people's stories."""

from collections.abc import Callable, Iterator, Sequence

from gptcore.zero_shot.templates import Item
from weights.recipes.mining.clauses import ClauseGrammar
from weights.recipes.mining.lexicon import lexicon_of
from weights.recipes.mining.passages import last_word_item, question_item, renamed
from weights.recipes.mining.statements import Statements
from weights.recipes.world.documents import demonstration
from weights.recipes.world.splits import Draw

_OF_PASSAGES: dict[str, Callable[[Draw, str], Item | None]] = {
    "question": question_item,
    "cloze": last_word_item,
}
_OF_STATEMENTS: dict[str, Callable[[Statements, Draw], Item]] = {
    "question": Statements.question,
    "cloze": Statements.last_word,
}
TASKS_FROM_STORIES = tuple(_OF_PASSAGES)
# characters after which a long text is cut at the next end of a line, so that every part is as
# likely
_PIECE = 2_500


def pages(
    stories: Sequence[str], n: int, *, task: str, seed: int = 0, apart: bool = False
) -> Iterator[str]:
    """So many pages that show a task, each with items from a few of the stories; the same for the
    same seed.

    Args:
        stories: texts of short plain sentences; with `apart`, any prose.
        n: how many pages.
        task: one of TASKS_FROM_STORIES.
        seed: of the choices.
        apart: from single statements of different stories instead of passages of one.

    Raises:
        NoChoice: hardly any of the stories holds what the task asks for.
    """
    page = demonstration(
        task, _of_statements(stories, task) if apart else _of_passages(stories, task)
    )
    return (page(Draw((seed, number))) for number in range(n))


def _of_passages(stories: Sequence[str], task: str) -> Callable[[Draw], Item]:
    make = _OF_PASSAGES[task]
    stories = [piece for story in stories for piece in _pieces(story)]

    def item(draw: Draw) -> Item:
        made = draw.until(lambda: make(draw, draw.pick(stories)), lambda made: made is not None)
        if made is None:
            raise ValueError("none of the stories gives an item of this task")
        return renamed(draw, made) if draw.chance(0.5) else made

    return item


def _of_statements(stories: Sequence[str], task: str) -> Callable[[Draw], Item]:
    statements = Statements(stories, ClauseGrammar(lexicon_of(stories)))
    return lambda draw: _OF_STATEMENTS[task](statements, draw)


def _pieces(story: str) -> list[str]:
    pieces = list[str]()
    lines = list[str]()
    length = 0
    for line in story.splitlines(keepends=True):
        lines.append(line)
        length += len(line)
        if length > _PIECE:
            pieces.append("".join(lines))
            lines = []
            length = 0
    return [*pieces, "".join(lines)] if lines else pieces
