"""Labels and verbs of any kind around a task, and facts of the towns in wordings of their own.

None is a template that `gptcore.zero_shot.tasks` holds out, and no label or verb is one of theirs
(`KEPT`); but a model that has read any word as a label reads those of the held-out templates, too.
Items are drawn on the training side of the splits, as everywhere.
"""

import re
from pathlib import Path

from gptcore.zero_shot.templates import Template
from weights.recipes.everyday.questions import about_note
from weights.recipes.world import facts
from weights.recipes.world.items import item
from weights.recipes.world.lexicon import entries, jobs, words
from weights.recipes.world.splits import Draw, hidden_words, shows

KEPT = re.compile(  # the words of the held-out templates
    r"\b(?i:ask|asks|asked|reply|replies|replied|gist|passage|student|teacher|text|opinion|feeling|customer|calculate|result"
    r"|makes|goes with|the French for|one sentence|very (?:positive|negative))\b|\b(?:EN|FR)\b"
)
FACTS, ENGLISH, FRENCH, VERBS, FRAMES = (
    tuple(
        entry.replace("\\n", "\n") for entry in entries("labels.txt", Path(__file__).parent)[name]
    )
    for name in ("facts", "english", "french", "verbs", "frames")
)
_HIDDEN = frozenset(
    word for task in ("question", "sentiment", "translate") for word in hidden_words(task)
)
ANY = tuple(
    label
    for label in sorted(
        {
            *(
                word.capitalize()
                for kind in (
                    "animal",
                    "fruit",
                    "thing",
                    "toy",
                    "plant",
                    "family",
                    "person",
                    "creature",
                )
                for word in words(kind)
            ),
            *(job.capitalize() for job, _ in jobs()),
            *words("girls"),
            *words("boys"),
            "Say",
            "Tell",
            "Speak",
            "Think",
            "Know",
            "Try",
            "Guess",
            "Start",
            "Turn",
            "One",
            "Two",
            "Front",
            "Back",
            "Up",
            "Down",
            "Give",
            "Take",
            "Look",
            "Find",
            "Call",
            "In",
            "Out",
            "I",
            "He",
            "She",
            "You",
            "We",
            "They",
            "A",
            "B",
            "X",
            "Y",
            "First",
            "Next",
        }
        - {"Student", "Teacher", "Text", "Customer"}
    )
    if not shows(label, _HIDDEN)
)
_MARKS = (":", ":", ":", ":", ":", " -", " =", ">")


def _several(draw: Draw) -> range:
    return range(1 if draw.chance(0.65) else draw.number(2, 4))


def worded_fact(draw: Draw) -> str:
    """Facts of the towns in one of the wordings."""
    body = draw.pick(FACTS).replace("{n}", str(draw.number(1, 90)))
    front, answer, end = body.partition("{answer}")
    template = Template("", front + answer, end=end, between=draw.pick(("\n", "\n\n")))
    page = template.document([item("fact", draw) for _ in _several(draw)])
    return page.lower() if draw.chance(0.04) else page


def _two(draw: Draw) -> tuple[str, str, str]:
    one, two = draw.some(ANY, 2)
    return one, two, draw.pick(_MARKS)


def _labelled_fact(draw: Draw) -> str:
    one, two, mark = _two(draw)
    template = Template(
        "", f"{one}{mark} {{question}}\n{two}{mark} {{answer}}", between=draw.pick(("\n", "\n\n"))
    )
    return template.document([item("fact", draw) for _ in _several(draw)])


def _labelled_question(draw: Draw) -> str:
    one, two, mark = _two(draw)
    head = f"{draw.pick(ANY)}{mark} " if draw.chance(0.4) else ""
    template = Template(
        "", f"{head}{{text}}\n{one}{mark} {{question}}\n{two}{mark} {{answer}}", between="\n\n"
    )
    make = about_note if draw.chance(0.5) else lambda draw: item("question", draw)
    return template.document([make(draw) for _ in range(1 if draw.chance(0.8) else 2)])


def _labelled_phrase(draw: Draw) -> str:
    mark = draw.pick(_MARKS)
    chance = draw.random.random()
    one = draw.pick(ENGLISH)
    two = draw.pick(FRENCH)
    if chance < 0.25:
        one = draw.pick(ANY)
    elif chance < 0.5:
        two = draw.pick(ANY)
    elif chance < 0.65:
        one, two = draw.some(ANY, 2)
    joint = draw.pick(("\n", "\n", "\n", " ", ", "))
    template = Template(
        "",
        f"{one}{mark} {{english}}{joint}{two}{mark} {{answer}}",
        between=draw.pick(("\n", "\n\n")),
    )
    return template.document([item("translate", draw) for _ in _several(draw)])


def _verbs(draw: Draw) -> str:
    body = draw.pick(FRAMES).replace("V", draw.pick(VERBS))
    template = Template("", body, end=draw.pick((".", ".", "")), between=draw.pick(("\n", "\n\n")))
    return template.document([item("analogy", draw) for _ in _several(draw)])


_LABELLED = (
    _labelled_fact,
    _labelled_fact,
    _labelled_question,
    _labelled_phrase,
    _labelled_phrase,
    _verbs,
    _verbs,
)


def labelled(draw: Draw) -> str:
    """A task between labels, or pairs with a verb, of which any word may be one."""
    return draw.pick(_LABELLED)(draw)


def guidebook(draw: Draw) -> str:
    """Entries of the guidebook, sometimes two."""
    return "\n\n".join(facts.about(draw) for _ in range(1 if draw.chance(0.7) else 2))
