"""Labels and verbs of any kind around a task, and facts of the towns in wordings of their own.

None is a template that `gptcore.zero_shot.tasks` holds out, and no label or verb is one of theirs (`KEPT`); but a model
that has read any word as a label reads those of the held-out templates, too. Items are drawn on the training side of
the splits, as everywhere.
"""

import re

from gptcore.zero_shot.templates import Item, Template
from weights.recipes.everyday.questions import about_note
from weights.recipes.world import facts
from weights.recipes.world.items import item
from weights.recipes.world.lexicon import jobs, words
from weights.recipes.world.splits import Draw, hidden_words, shows

KEPT = re.compile(  # the words of the held-out templates
    r"\b(?i:ask|asks|asked|reply|replies|replied|gist|passage|student|teacher|text|opinion|feeling|customer|calculate|result"
    r"|makes|goes with|the French for|one sentence|very (?:positive|negative))\b|\b(?:EN|FR)\b"
)
FACTS = tuple(
    line.replace("\\n", "\n")
    for line in """
{question} {answer}
{question}\\n{answer}
{question} - {answer}
{question} -> {answer}
{question} ({answer})
Quiz: {question}\\n{answer}
Quiz: {question} {answer}
Quiz question: {question}\\nSolution: {answer}
Do you know it? {question} {answer}
Do you know the answer? {question} {answer}
Can you tell me: {question} {answer}
Please say: {question} {answer}
Please tell me: {question}\\n{answer}
I wonder: {question} {answer}
Now tell me: {question} {answer}
{question} The answer is {answer}
{question} Answer: {answer}
{question} It is {answer}
{question} I think {answer}
{question} Surely {answer}
{question} Everybody knows: {answer}
{question} The guidebook says: {answer}
The guidebook: {question} {answer}
Travellers want to know: {question} {answer}
The first question: {question} The right answer: {answer}
Exam. Question: {question} Solution: {answer}
Test: {question}\\nKey: {answer}
1. {question} {answer}
- {question}\\n- {answer}
Me: {question}\\nYou: {answer}
You: {question}\\nMe: {answer}
Human: {question}\\nComputer: {answer}
User: {question}\\nAssistant: {answer}
Father: {question}\\nDaughter: {answer}
Guest: {question}\\nGuide: {answer}
Tourist: {question}\\nGuide: {answer}
Boy: {question}\\nGirl: {answer}
Anna: {question}\\nBen: {answer}
Pupil: {question}\\nMaster: {answer}
Here is my question: {question}\\nHere is your answer: {answer}
What I want to know: {question} What I find: {answer}
My question: {question}\\nYour answer: {answer}
"{question}" "{answer}"
"{question}", says the guest. "{answer}", says the guide.
Geography. {question} {answer}
Our country: {question} {answer}
Question {n}: {question}\\n{answer}
From memory: {question} {answer}
""".strip().split("\n")
)
ENGLISH = (
    "English", "In English", "The English", "England", "London", "An Englishman", "British", "Here", "At home", "I say",
    "Mary", "original", "Original", "from", "From", "in", "first language", "Before", "first", "ENGLISH", "You hear",
    "my language", "left", "one", "What I say", "Language one",
)  # fmt: skip
FRENCH = (
    "French", "In French", "The French", "France", "Paris", "A Frenchman", "Marie", "Pierre", "In Paris", "en français",
    "français", "they say", "FRENCH", "to", "To", "second language", "After", "out", "translated",
    "Translated", "the other language", "right", "two", "Canada", "What they say in Paris", "Language two", "In France",
)  # fmt: skip
VERBS = (
    "fits", "matches", "suits", "belongs with", "stands beside", "stands for", "calls for", "comes with", "points to",
    "leads to", "looks to", "is paired with", "is linked to", "is tied to", "is joined with", "walks with", "runs with",
    "sings with", "sits beside", "answers to", "has", "wants", "needs", "likes", "knows", "gives", "gets", "means",
    "meets", "finds", "says", "takes", "travels with", "dances with", "sleeps beside", "hangs together with",
    "corresponds to", "turns into", "is put with", "plays with",
)  # fmt: skip
FRAMES = (
    "{a} V {b}, {c} V {answer}", "{a} V {b} and {c} V {answer}", "{a} V {b}, and {c} V {answer}",
    "{a} V {b}. {c} V {answer}", "{a} V {b}, so {c} V {answer}", "{a} V {b}. So {c} V {answer}",
    "When {a} V {b}, {c} V {answer}", "Since {a} V {b}, {c} V {answer}", "As {a} V {b}, so {c} V {answer}",
    "Suppose {a} V {b}. Then {c} V {answer}", "First {a} V {b}, then {c} V {answer}", "{a} V {b}; {c} V {answer}",
    "Where {a} V {b}, {c} V {answer}", "{a} V {b}\n{c} V {answer}", "{a} V {b} just as {c} V {answer}",
    "We say that {a} V {b}, and that {c} V {answer}", "You know that {a} V {b}. You see that {c} V {answer}",
)  # fmt: skip
_HIDDEN = frozenset(word for task in ("question", "sentiment", "translate") for word in hidden_words(task))
ANY = tuple(
    label
    for label in sorted(
        {
            *(word.capitalize() for kind in ("animal", "fruit", "thing", "toy", "plant", "family", "person", "creature")
              for word in words(kind)),
            *(job.capitalize() for job, _ in jobs()), *words("girls"), *words("boys"), "Say", "Tell", "Speak", "Think",
            "Know", "Try", "Guess", "Start", "Turn", "One", "Two", "Front", "Back", "Up", "Down", "Give", "Take",

            "Look", "Find", "Call", "In", "Out", "I", "He", "She", "You", "We", "They", "A", "B", "X", "Y",
            "First", "Next",
        }
        - {"Student", "Teacher", "Text", "Customer"}
    )
    if not shows(label, _HIDDEN)
)  # fmt: skip
_MARKS = (":", ":", ":", ":", ":", " -", " =", ">")


def _page(template: Template, made: list[Item]) -> str:
    return template.document(made)


def _several(draw: Draw) -> range:
    return range(1 if draw.chance(0.65) else draw.number(2, 4))


def worded_fact(draw: Draw) -> str:
    """Facts of the towns in one of the wordings."""
    body = draw.pick(FACTS).replace("{n}", str(draw.number(1, 90)))
    front, answer, end = body.partition("{answer}")
    template = Template("", front + answer, end=end, between=draw.pick(("\n", "\n\n")))
    page = _page(template, [item("fact", draw) for _ in _several(draw)])
    return page.lower() if draw.chance(0.04) else page


def _two(draw: Draw) -> tuple[str, str, str]:
    one, two = draw.some(ANY, 2)
    return one, two, draw.pick(_MARKS)


def _labelled_fact(draw: Draw) -> str:
    one, two, mark = _two(draw)
    template = Template("", f"{one}{mark} {{question}}\n{two}{mark} {{answer}}", between=draw.pick(("\n", "\n\n")))
    return _page(template, [item("fact", draw) for _ in _several(draw)])


def _labelled_question(draw: Draw) -> str:
    one, two, mark = _two(draw)
    head = f"{draw.pick(ANY)}{mark} " if draw.chance(0.4) else ""
    template = Template("", f"{head}{{text}}\n{one}{mark} {{question}}\n{two}{mark} {{answer}}", between="\n\n")
    make = about_note if draw.chance(0.5) else lambda draw: item("question", draw)
    return _page(template, [make(draw) for _ in range(1 if draw.chance(0.8) else 2)])


def _labelled_phrase(draw: Draw) -> str:
    mark, chance = draw.pick(_MARKS), draw.random.random()
    one, two = draw.pick(ENGLISH), draw.pick(FRENCH)
    if chance < 0.25:
        one = draw.pick(ANY)
    elif chance < 0.5:
        two = draw.pick(ANY)
    elif chance < 0.65:
        one, two = draw.some(ANY, 2)
    joint = draw.pick(("\n", "\n", "\n", " ", ", "))
    template = Template("", f"{one}{mark} {{english}}{joint}{two}{mark} {{answer}}", between=draw.pick(("\n", "\n\n")))
    return _page(template, [item("translate", draw) for _ in _several(draw)])


def _verbs(draw: Draw) -> str:
    body = draw.pick(FRAMES).replace("V", draw.pick(VERBS))
    template = Template("", body, end=draw.pick((".", ".", "")), between=draw.pick(("\n", "\n\n")))
    return _page(template, [item("analogy", draw) for _ in _several(draw)])


_LABELLED = (_labelled_fact, _labelled_fact, _labelled_question, _labelled_phrase, _labelled_phrase, _verbs, _verbs)


def labelled(draw: Draw) -> str:
    """A task between labels, or pairs with a verb, of which any word may be one."""
    return draw.pick(_LABELLED)(draw)


def guidebook(draw: Draw) -> str:
    """Entries of the guidebook, sometimes two."""
    return "\n\n".join(facts.about(draw) for _ in range(1 if draw.chance(0.7) else 2))
