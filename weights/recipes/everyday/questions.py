"""Questions about short notes and about fairy tales."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item
from weights.recipes.everyday.notes import note
from weights.recipes.world.english import a, capitalised
from weights.recipes.world.lexicon import paired, words
from weights.recipes.world.splits import Draw, hidden_words, shows
from weights.recipes.world.telling import person
from weights.recipes.world.wordings import wording


def story_questions(draw: Draw, asked: Sequence[tuple[str, str, str]]) -> str:
    """A passage and one question about it, in one of the forms for it."""
    text, question, answer = draw.pick(asked)
    item = Item({"text": text, "question": question}, answer)
    shown = [
        template
        for template in TASKS["question"].templates
        if not (template.held_out or template.chain_of_thought)
    ]
    template = draw.pick(shown) if draw.chance(0.6) else wording("question", draw)
    return template.document([item])


def about_note(draw: Draw) -> Item:
    """A note and one question about it."""
    made = draw.until(lambda: note(draw), lambda made: bool(made.questions))
    question, answer, said = draw.pick(made.questions)
    return Item({"text": made.text, "question": question}, answer, steps=f'The text says: "{said}"')


def cut_note(draw: Draw) -> Item:
    """A note and a later sentence without its last word."""
    made = draw.until(lambda: note(draw), lambda made: bool(made.last))
    front, _, word = made.last.rstrip(".").rpartition(" ")
    return Item({"text": f"{made.text} {front}"}, word)


def note_with_questions(draw: Draw) -> str:
    """A note and all that one may ask about it."""
    made = draw.until(lambda: note(draw), lambda made: len(made.questions) > 1)
    asked = draw.some(made.questions, min(len(made.questions), draw.number(2, 5)))
    q, cue = draw.pick(
        (("Q: ", "A: "), ("Q: ", "A: "), ("Question: ", "Answer: "), ("- ", "- "), ("", ""))
    )
    page = f"{made.text}\n\n" + "\n".join(
        f"{q}{question}\n{cue}{answer}" for question, answer, _ in asked
    )
    return f"{made.text} {made.last}" if made.last and draw.chance(0.15) else page


def who_did_it(draw: Draw) -> str:
    """Somebody does something to somebody: who did it, to whom, what, asked with both names in the
    text.
    """
    one = person(draw)
    two = person(draw, one)
    thing = draw.until(
        lambda: draw.pick(words(draw.pick(("thing", "toy", "fruit")))),
        lambda thing: all(draw.fits("question", who.name, thing) for who in (one, two)),
    )
    place = draw.pick(words("room"))
    deed, base, to = draw.pick(paired("dealt"))
    animal = draw.pick(words("animal"))
    doer = one.name if draw.chance(0.5) else capitalised(draw.pick((a(animal), f"the {animal}")))
    inside = doer if " " not in doer else doer[0].lower() + doer[1:]
    text = f"{doer} {deed} {draw.pick((a(thing), f'the {thing}'))} {to} {two.name}."
    rest = draw.pick((
        "", "", f"They met in the {place}.", f"{two.name} was in the {place}.",
        f"It happened on {draw.pick(words('day'))}.",
    ))  # fmt: skip
    asked = draw.some((
        (f"Who {deed} the {thing}?", inside), (f"Who {deed} it?", inside),
        (f"What did {inside} {base}?", f"the {thing}"),
        (f"{capitalised(to)} whom did {inside} {base} the {thing}?", two.name),
        (f"Who did {inside} {base} it {to}?", two.name),
    ), draw.number(1, 2))  # fmt: skip
    q, cue = draw.pick((("Q: ", "A: "), ("Question: ", "Answer: ")))
    return (
        f"{text} {rest}".strip()
        + "\n\n"
        + "\n".join(f"{q}{question}\n{cue}{answer}" for question, answer in asked)
    )


def about_tales(passage_file: Path, question_file: Path) -> list[tuple[str, str, str]]:
    """(passage, question, answer) of FairytaleQA's training part, passages cut to the sentences
    around the answer.
    """
    passages = {}
    for line in passage_file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        passages[row["story"], row["section"]] = row["text"]
    found = []
    hidden = hidden_words("question")
    for line in question_file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["stated"] != "explicit" or len(row["sections"]) != 1 or len(row["answer"]) > 60:
            continue
        sentences = re.split(r"(?<=[.!?])\s+", passages.get((row["story"], row["sections"][0]), ""))
        heard = set(re.findall(r"[a-z]{4,}", row["answer"].lower()))
        best = max(
            range(len(sentences)),
            key=lambda i: len(heard & set(re.findall(r"[a-z]{4,}", sentences[i].lower()))),
        )
        passage = " ".join(sentences[max(0, best - 1) : best + 2])
        if shows(passage, hidden):
            continue
        if 30 < len(passage) < 420 and row["answer"].lower().strip(".") in passage.lower():
            found.append((passage, row["question"], row["answer"].strip(".")))
    return found
