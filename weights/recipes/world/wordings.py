"""How people ask for a task: no list of sentences, but a grammar that makes them of the phrases in
`wordings.json`.

What `zero_shot.tasks` holds out for tests ("Passage", "Gist", "EN", "Opinion", "Calculate", ...) it
never says.
"""

import json
from collections.abc import Callable
from pathlib import Path

from gptcore.zero_shot.templates import Template
from weights.recipes.world.splits import Draw

_SAID: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("wordings.json").read_text(encoding="utf-8")
)
_LABELS = (
    {},
    {},
    {},
    {"positive": "Positive", "negative": "Negative"},
    {"positive": "good", "negative": "bad"},
    {"positive": "yes", "negative": "no"},
    {"positive": "Yes", "negative": "No"},
)


def _line(draw: Draw) -> str:
    """What stands between two parts of a prompt."""
    return draw.pick((" ", " ", "\n", "\n", "\n\n"))


def _small(draw: Draw, text: str) -> str:
    """As somebody in a hurry writes it."""
    return text.lower() if draw.chance(0.15) else text


def _cue(draw: Draw, *cues: str) -> str:
    """What announces the answer, often nothing."""
    cue = draw.pick(("", "Answer: ", "A: ", "The answer: ", "The answer is ", *cues, *cues))
    return _small(draw, cue)


def _translate(draw: Draw) -> Template:
    verb = draw.pick(
        (
            "Translate",
            "Translate",
            "Please translate",
            "Say",
            "Write",
            "Put",
            "Turn",
            "Can you translate",
        )
    )
    what = draw.pick(
        ("", "", " this", " the following", " this sentence", " these words", " the sentence")
    )
    to = draw.pick((" into French", " to French", " in French", " from English to French"))
    mark = draw.pick('"\'"')
    cue = draw.pick(
        (
            "",
            "",
            "French: ",
            "In French: ",
            "Translation: ",
            "-> ",
            "= ",
            "It is: ",
            "Answer: ",
            "A: ",
        )
    )
    ask = draw.pick(
        (
            "How do you say",
            "How do I say",
            "How does one say",
            "What is",
            "What's",
            "How would you say",
        )
    )
    arrow = draw.pick(_SAID["translate arrow"])
    quoted = draw.pick(("{english}", f"{mark}{{english}}{mark}"))
    chance = draw.random.random()
    if chance < 0.4:
        body = (
            _small(draw, f"{verb}{what}{to}:")
            + f"{_line(draw)}{{english}}{_line(draw)}{cue}{{answer}}"
        )
    elif chance < 0.6:
        end = draw.pick((".", ":", "", "!"))
        body = _small(draw, f"{verb} ") + quoted + f"{to}{end}{_line(draw)}{cue}{{answer}}"
    elif chance < 0.8:
        where = draw.pick((" in French", " in French", " translated into French"))
        body = _small(draw, f"{ask} ") + quoted + f"{where}?{_line(draw)}{cue}{{answer}}"
    else:
        body = f"{quoted}{arrow}{{answer}}"
    return Template("", body, between=draw.pick(("\n", "\n\n")))


def _question(draw: Draw) -> Template:
    lead = draw.pick(_SAID["question lead"])
    asks = draw.pick(_SAID["question asks"])
    told = draw.pick(_SAID["question told"])
    head = f"{_small(draw, told)}{_line(draw)}" if told else ""
    cue = _cue(
        draw, "", "Answer: ", "A: ", "Short answer: ", "It is ", "The text says: ", "I think: "
    )
    text = draw.pick(("{text}", "{text}", "{text}", '"{text}"'))
    text = f"{_small(draw, lead)}{text}"
    question = f"{_small(draw, asks)}{{question}}"
    chance = draw.random.random()
    if chance < 0.06:
        one, two = draw.some(
            ("Anna", "Ben", "Clara", "Sam", "Pupil", "Child", "Mother", "Guest"), 2
        )
        body = f"{text}\n{one}: {{question}}\n{two}: {{answer}}"
    elif chance < 0.8:
        body = f"{head}{text}{_line(draw)}{question}{_line(draw)}{cue}{{answer}}"
    elif chance < 0.9:
        body = f"{head}{question}{_line(draw)}{text}{_line(draw)}{cue}{{answer}}"
    else:
        body = f"{text}{_line(draw)}{told or 'Answer this.'}{_line(draw)}{question}{_line(draw)}{cue}{{answer}}"
    return Template("", body, between="\n\n\n", end=draw.pick(("", "", "", ".")))


def _sentiment(draw: Draw) -> Template:
    labels = draw.pick(_LABELS)
    yes = labels.get("positive", "").lower() == "yes"
    kind = draw.pick(("review", "comment", "text", "sentence", "message", "feedback", "rating"))
    good, bad = (labels.get(name, name).lower() for name in ("positive", "negative"))
    which = f"{good} or {bad}"
    ask = draw.pick(_SAID["sentiment ask"]).format(kind=kind, which=which, Which=which.capitalize())
    if yes:
        ask = draw.pick(_SAID["sentiment ask yes"])
    ask = _small(draw, ask)
    cue = draw.pick(("", "", "Answer: ", "A: ", "I would say ", "The answer is "))
    if not yes and draw.chance(0.5):
        cue = draw.pick(("Sentiment: ", "It is ", f"This {kind} is ", "The sentiment is "))
    lead = draw.pick(
        ("", "", f"{kind.capitalize()}: ", "Text: ", "Somebody wrote: ", "A customer said: ")
    ) + draw.pick(("{text}", "{text}", '"{text}"'))
    chance = draw.random.random()
    if chance < 0.35:
        body = f"{ask}{_line(draw)}{lead}{_line(draw)}{cue}{{answer}}"
    elif chance < 0.75:
        body = f"{lead}{_line(draw)}{ask}{_line(draw)}{cue}{{answer}}"
    elif yes:
        body = f"{lead}{_line(draw)}{ask} {{answer}}"
    else:
        says = draw.pick(_SAID["sentiment says"]).format(kind=kind, which=which)
        body = f"{lead}{_line(draw)}{says}{{answer}}"
    return Template("", body, labels=labels, between="\n\n", end=draw.pick(("", "", ".")))


def _arithmetic(draw: Draw) -> Template:
    body = draw.pick(_SAID["arithmetic body"])
    front, answer, end = body.partition("{answer}")
    return Template(
        "", _small(draw, front) + answer + end, end=draw.pick(("", "", "", ".")), between="\n"
    )


def _analogy(draw: Draw) -> Template:
    sign = draw.pick((":", " : ", "/", " - ", " -> ", "->", " → ", " and ", " = ", " => ", "-"))
    between = draw.pick((", ", "; ", "\n", " = ", " and ", ". "))
    if sign.strip() in ("=", "=>"):
        between = draw.pick((", ", "; ", "\n"))
    last = sign.rstrip() if draw.chance(0.3) and sign.strip() != "and" else sign
    head = draw.pick(_SAID["analogy head"])
    said = draw.pick(_SAID["analogy said"])
    if draw.chance(0.45):
        said = f"{{a}}{sign}{{b}}{between}{{c}}{last}{{answer}}"
    return Template(
        "", head + said, between=draw.pick(("\n", "\n\n")), end=draw.pick(("", "", "."))
    )


def _summarise(draw: Draw) -> Template:
    this = draw.pick(
        ("this", "this story", "the story", "the text", "the following", "this text", "it")
    )
    ask = draw.pick(_SAID["summarise ask"]).format(this=this)
    cue = draw.pick(_SAID["summarise cue"])
    after = draw.pick(_SAID["summarise after"]).format(ask=ask)
    lead = draw.pick(("", "", "", "Text: ", "Story: ")) + "{text}"
    chance = draw.random.random()
    if chance < 0.35:
        end = draw.pick((":", ".", ":"))
        body = f"{_small(draw, ask)}{end}{_line(draw)}{lead}{_line(draw)}{cue}{{answer}}"
    elif chance < 0.7:
        body = f"{lead}{_line(draw)}{cue or 'Summary: '}{{answer}}"
    else:
        body = f"{lead}{_line(draw)}{_small(draw, after)}{_line(draw)}{cue}{{answer}}"
    return Template("", body, between="\n\n\n")


def _cloze(draw: Draw) -> Template:
    ask = draw.pick(_SAID["cloze ask"])
    ask = _small(draw, ask if ask.endswith("?") else ask + draw.pick((":", ".")))
    gap = draw.pick(("___", "...", "____", "_", ""))
    chance = draw.random.random()
    if chance < 0.4:
        body = "{text} {answer}"
    elif chance < 0.75:
        body = f"{ask}{_line(draw)}{{text}} {{answer}}"
    else:
        says = draw.pick(
            (
                "The last word is ",
                "Last word: ",
                "Missing word: ",
                "The missing word is ",
                "Answer: ",
                "The word is ",
            )
        )
        body = f"{ask}{_line(draw)}{{text}} {gap}".rstrip() + f"{_line(draw)}{says}{{answer}}"
    return Template("", body, between="\n\n", end=".")


def _fact(draw: Draw) -> Template:
    ask, answer = draw.pick(
        (("", ""), ("", "Answer: "), ("Question: ", ""), ("Q: ", ""), ("Tell me: ", ""))
    )
    return Template("", f"{ask}{{question}}{_line(draw)}{answer}{{answer}}")


_WORDINGS: dict[str, Callable[[Draw], Template]] = {
    "translate": _translate,
    "question": _question,
    "fact": _fact,
    "sentiment": _sentiment,
    "arithmetic": _arithmetic,
    "analogy": _analogy,
    "summarise": _summarise,
    "cloze": _cloze,
}


def wording(task: str, draw: Draw) -> Template:
    """A way to write a task down that somebody might choose."""
    return _WORDINGS[task](draw)
