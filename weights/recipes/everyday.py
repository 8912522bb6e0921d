"""Pages in ordinary people's language for `world`: `python -m weights.recipes.everyday --help`.

Film reviews, everyday French, word problems in steps, carries, questions about fairy tales: what the little world's own
pages lack. The data sets are read from files of yours and never stored here.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from gptcore.tokenizers.base import END_OF_TEXT
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item
from weights.recipes.world.english import capitalised, plural
from weights.recipes.world.lexicon import sections, words
from weights.recipes.world.splits import Draw, hidden_words
from weights.recipes.world.sums import is_shown
from weights.recipes.world.telling import person
from weights.recipes.world.wordings import wording

# What the tests ask word for word; no page holds any of it.
KEPT_OUT = (
    "the acting was superb and the story kept me engaged", "one of the best films", "mediocre plot",
    "walked out after 30 minutes", "hello, how are you", "i am hungry", "roger has 5",
    "artificial intelligence has made",
)  # fmt: skip
_MOST_CHARACTERS = 900  # of a page: about 250 tokens, the window of `world`
_WORD = re.compile(r"[A-Za-z]+")
_PHRASES = Path(__file__).with_name("world") / "everyday.txt"

_ADVERBS = ("", "", "", "absolutely ", "simply ", "really ", "truly ", "so ", "utterly ", "just ")


@cache
def _film_words() -> dict[str, list[str]]:
    """Words and sentences of film reviews by what they are, without those that the sentiment task never shows."""
    hidden = hidden_words("sentiment")
    return {name: [one for one in lines if one not in hidden] for name, lines in sections("films.txt").items()}


def _filled(draw: Draw, sentence: str, kind: str) -> str:
    return sentence.format(kind=kind, n=draw.pick((5, 10, 15, 20, 25, 40, 45)))


def film_review(draw: Draw) -> tuple[str, bool, str]:
    """(text, whether it likes the film, words of it that say so)."""
    positive, words_of = draw.chance(0.5), _film_words()
    good, bad = (words_of["good"], words_of["bad"])[:: 1 if positive else -1]
    did, said = (words_of["liked"], words_of["love"]) if positive else (words_of["disliked"], words_of["hate"])
    kind, part = draw.pick(words_of["kind"]), draw.some(words_of["part"], 3)
    word, other = draw.some(good, 2)
    shapes: tuple[tuple[str, str], ...] = (
        (f"The {part[0]} was {draw.pick(_ADVERBS)}{word} and the {part[1]} {(one := draw.pick(did))}", one),
        (f"The {part[0]} is {draw.pick(_ADVERBS)}{word}, the {part[1]} {other}", word),
        (f"The {kind} {(two := draw.pick(did))}", two),
        (f"This {kind} was {draw.pick(_ADVERBS)}{word}", word),
        (f"{capitalised(draw.pick(_ADVERBS))}{word}".capitalize(), word),
        (f"{draw.pick(('Great', 'Lovely') if positive else ('Bad', 'Poor'))} {part[0]} and {word} {part[1]}", word),
        (f"The {part[0]} was {draw.pick(bad)}, but the {kind} as a whole was {word}", word),
        (f"It was not {draw.pick(bad)} at all, it was {word}", word),
        (f"I thought the {part[0]} was {word}", word),
    )
    chosen = [draw.pick(shapes)]
    spoken = _filled(draw, draw.pick(said), kind)
    if draw.chance(0.6):
        chosen.append((spoken, spoken))
    elif draw.chance(0.3):
        chosen = [(spoken, spoken)]
    draw.random.shuffle(chosen)
    text = " ".join(f"{sentence}{draw.pick(('.', '.', '.', '!'))}" for sentence, _ in chosen)
    return text, positive, chosen[0][1]


def _labels(draw: Draw) -> tuple[str, str]:
    return draw.pick((("positive", "negative"), ("Positive", "Negative"), ("Positive", "Negative")))


def reviews(draw: Draw, found: Sequence[tuple[str, bool]]) -> str:
    """One to four reviews with their sentiment, in a common form of asking for it."""
    made = [
        draw.pick(found) if found and draw.chance(0.35) else film_review(draw)[:2] for _ in range(draw.number(1, 4))
    ]
    good, bad = _labels(draw)
    if draw.chance(0.4):
        template = wording("sentiment", draw)
        items = [Item({"text": text}, "positive" if positive else "negative") for text, positive in made]
        return template.document(items)
    what = draw.pick(("review", "movie review", "film review", "text", "sentence", "comment"))
    head = draw.pick((
        f"Classify the following {what} as {good} or {bad}.", f"Classify the {what} as {good} or {bad}.", "", "", "",
        f"Is the {what} {good} or {bad}?", f"Decide whether the {what} is {good} or {bad}.",
    ))  # fmt: skip
    name = draw.pick(("Review", "Review", "Review", "Text", "Comment"))
    cue = draw.pick(
        ("Sentiment:", "Sentiment:", f"Sentiment ({good.lower()}/{bad.lower()}):", "Label:", "Sentiment is")
    )
    quote = draw.pick(('"', '"', ""))
    shown = [f"{name}: {quote}{text}{quote}\n{cue} {good if positive else bad}" for text, positive in made]
    return "\n\n".join(([head] if head else []) + shown)


def reasoned(draw: Draw) -> str:
    """Reviews with the reason before the sentiment."""
    good, bad = _labels(draw)
    shown = []
    for _ in range(draw.number(1, 3)):
        text, positive, said = film_review(draw)
        reason = draw.pick((
            f'The reviewer says "{said}", which is {"positive" if positive else "negative"}.',
            f'The review says "{said}".', f'"{said}" is {"praise" if positive else "a complaint"}.',
        ))  # fmt: skip
        shown.append(f'Review: "{text}"\nReasoning: {reason}\nSentiment: {good if positive else bad}')
    head = f"Classify the following movie review as {good} or {bad}.\n" if draw.chance(0.5) else ""
    head += "Think step by step before giving your final answer.\n" if draw.chance(0.5) else ""
    return (f"{head}\n" if head else "") + "\n\n".join(shown)


_SUBJECTS = (
    ("I", "j'", "ai", "suis", "vais", "veux", "am", "have", "go", "want"),
    ("you", "tu ", "as", "es", "vas", "veux", "are", "have", "go", "want"),
    ("he", "il ", "a", "est", "va", "veut", "is", "has", "goes", "wants"),
    ("she", "elle ", "a", "est", "va", "veut", "is", "has", "goes", "wants"),
    ("we", "nous ", "avons", "sommes", "allons", "voulons", "are", "have", "go", "want"),
    ("they", "ils ", "ont", "sont", "vont", "veulent", "are", "have", "go", "want"),
)
_HAVING = (("hungry", "faim"), ("thirsty", "soif"), ("cold", "froid"), ("afraid", "peur"), ("sleepy", "sommeil"),
           ("right", "raison"), ("wrong", "tort"), ("lucky", "de la chance"))  # fmt: skip
_PLACES = (
    ("to school", "à l'école"), ("to the market", "au marché"), ("to the beach", "à la plage"), ("to Paris", "à Paris"),
    ("to the station", "à la gare"), ("to the cinema", "au cinéma"), ("to the doctor", "chez le médecin"),
    ("to bed", "au lit"), ("to the park", "au parc"), ("to the restaurant", "au restaurant"), ("to work", "au travail"),
)  # fmt: skip
_WISHES = (
    ("to eat", "manger"), ("to sleep", "dormir"), ("to drink", "boire"), ("to read", "lire"), ("to play", "jouer"),
    ("to dance", "danser"), ("to sing", "chanter"), ("to go home", "rentrer"), ("an apple", "une pomme"),
    ("a coffee", "un café"), ("a glass of water", "un verre d'eau"), ("some bread", "du pain"),
    ("an ice cream", "une glace"),
)  # fmt: skip
_AGES = ("deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze")
_AGES_ENGLISH = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def spoken(draw: Draw) -> tuple[str, str]:
    """(English, French) of an everyday sentence with "to be hungry", "to go", "to want" or an age."""
    who, je, have, _, go, want, am, _, goes, wants = draw.pick(_SUBJECTS)
    chance = draw.random.random()
    if chance < 0.45:
        english, french = draw.pick(_HAVING)
        if draw.chance(0.3):
            denied = f"n'{have} pas {'de chance' if english == 'lucky' else french}"
            return f"{who} {am} not {english}.", f"{'je ' if who == 'I' else je}{denied}."
        very = draw.chance(0.15) and english in ("hungry", "thirsty", "cold", "afraid")
        return f"{who} {am} {'very ' if very else ''}{english}.", f"{je}{have} {'très ' if very else ''}{french}."
    je = "je " if who == "I" else je
    if chance < 0.65:
        english, french = draw.pick(_PLACES)
        verb = draw.pick((goes, f"{am} going"))
        return f"{who} {verb} {english}.", f"{je}{go} {french}."
    if chance < 0.9:
        english, french = draw.pick(_WISHES)
        if draw.chance(0.25):
            do = "does" if who in ("he", "she") else "do"
            french = "de pain" if french == "du pain" else re.sub(r"^une? ", "de ", french)
            french = re.sub(r"^de (?=[aeiou])", "d'", french)
            return f"{who} {do} not want {english}.", f"{je}ne {want} pas {french}."
        return f"{who} {wants} {english}.", f"{je}{want} {french}."
    place = draw.number(0, len(_AGES) - 1)
    return f"{who} {am} {_AGES_ENGLISH[place]} years old.", f"{_aged(who, have)} {_AGES[place]} ans."


def _aged(who: str, have: str) -> str:
    return {"I": "j'", "you": "tu ", "he": "il ", "she": "elle ", "we": "nous ", "they": "ils "}[who] + have


def phrases() -> list[tuple[str, str]]:
    """The phrasebook beside this file: (English, French)."""
    lines = _PHRASES.read_text(encoding="utf-8").splitlines()
    return [(one, two) for one, two in (line.split(" = ") for line in lines if line and line[0] != "#")]


def french(draw: Draw, book: Sequence[tuple[str, str]], parallel: Sequence[tuple[str, str]]) -> str:
    """A page of translations in one form of asking."""
    made = []
    for _ in range(draw.pick((1, 1, 2, 4, 6))):
        english, said = draw.pick(book) if draw.chance(0.55) else spoken(draw)
        if parallel and draw.chance(0.04):
            english, said = draw.pick(parallel)
        english, said = capitalised(english), capitalised(said)
        if draw.chance(0.15):
            english = english.rstrip(".!")
            said = said.rstrip(" .!")
        elif draw.chance(0.1):
            english, said = english.lower(), said.lower()
        made.append(Item({"english": english}, said))
    if draw.chance(0.3):
        arrow = draw.pick(("→", "->", "=>", "="))
        shown = "\n".join(f"{item.fields['english']} {arrow} {item.answer}" for item in made)
        return (
            f"Translate English to French:{draw.pick((chr(10), ' '))}".rstrip() + f"\n{draw.pick(('', chr(10)))}{shown}"
        )
    shown = [template for template in TASKS["translate"].templates if not template.held_out]
    template = draw.pick(shown) if draw.chance(0.5) else wording("translate", draw)
    return template.document(made)


def _question_cue(draw: Draw) -> tuple[str, str]:
    return draw.pick((("Q: ", "A: "), ("Q: ", "A: "), ("Question: ", "Answer: "), ("", "")))


def word_problem(draw: Draw) -> str:
    """A problem in words, solved at once or step by step: groups and one more step, or two steps of adding."""
    who = person(draw)
    things = plural(draw.pick(words(draw.pick(("fruit", "toy", "thing")))))
    box = draw.pick(("bag", "box", "basket", "pack", "can", "jar", "tin", "bowl"))
    a, n, each = draw.until(
        lambda: (draw.number(1, 12), draw.number(2, 5), draw.number(2, 6)), lambda it: is_shown(it[0], it[1] * it[2])
    )
    she, many = capitalised(who.she), f"{n} {plural(box)} of {each} {things} each"
    style = draw.number(0, 3)
    if style == 0:
        text = f"{who.name} has {a} {things}. {she} buys {draw.pick(('', 'another '))}{many}."
        steps, total = (
            f"{who.name} had {a} {things}. {many} = {n * each} {things}. {a} + {n * each} = {a + n * each}.",
            a + n * each,
        )
    elif style == 1:
        text, total = f"{who.name} has {many}.", n * each
        steps = f"{many} = {n * each} {things}."
    elif style == 2:
        more, less = draw.until(lambda: (draw.number(2, 9), draw.number(1, a)), lambda it: is_shown(a, it[0]))
        text = f"{who.name} had {a} {things}, found {more} more and gave {less} away."
        steps, total = f"{a} + {more} = {a + more}. {a + more} - {less} = {a + more - less}.", a + more - less
    else:
        first, second = draw.until(lambda: (draw.number(3, 40), draw.number(3, 40)), lambda it: is_shown(*it))
        text = f"{who.name} picked {first} {things} on Monday and {second} on Tuesday."
        steps, total = f"{first} + {second} = {first + second}.", first + second
    asked = draw.pick((
        f"How many {things} does {who.name} have now?", f"How many {things} does {who.she} have now?",
        f"How many {things} are there?", f"How many {things} is that?",
    ))  # fmt: skip
    if style == 3:
        asked = f"How many {things} did {who.name} pick?"
    q, cue = _question_cue(draw)
    between = draw.pick((" ", "\n"))
    if draw.chance(0.6):
        return (
            f"{q}{text}{between}{asked}\n{cue}Let's think step by step.{between}{steps}{between}The answer is {total}."
        )
    return f"{q}{text}{between}{asked}\n{cue}{total}"


def carries(draw: Draw) -> str:
    """Sums that carry, up to a hundred and just above, and products of small numbers."""
    shown = []
    for _ in range(draw.number(4, 10)):
        if draw.chance(0.25):
            a, b = draw.number(2, 9), draw.number(2, 9)
            shown.append(f"{a} {draw.pick(('x', '*', 'times'))} {b} = {a * b}")
            continue
        if draw.chance(0.35):
            a, b = draw.number(85, 99), draw.number(1, 12)
        else:
            a, b = draw.number(5, 60), draw.number(5, 40)
        if draw.chance(0.3):
            a, b = b, a
        if {a, b} == {99, 1} or not is_shown(a, b):
            continue
        sign = draw.pick((" + ", "+", " plus "))
        shown.append(f"{a}{sign}{b}{draw.pick((' = ', '=', ' is '))}{a + b}")
    return "\n".join(shown)


def story_questions(draw: Draw, asked: Sequence[tuple[str, str, str]]) -> str:
    """A passage and one question about it, in one of the forms for it."""
    text, question, answer = draw.pick(asked)
    item = Item({"text": text, "question": question}, answer)
    shown = [
        template for template in TASKS["question"].templates if not (template.held_out or template.chain_of_thought)
    ]
    template = draw.pick(shown) if draw.chance(0.6) else wording("question", draw)
    return template.document([item])


def who_did_it(draw: Draw) -> str:
    """Somebody does something to somebody: who did it, to whom, what, asked with both names in the text."""
    one = person(draw)
    two = person(draw, one)
    thing = draw.pick(words(draw.pick(("thing", "toy", "fruit", "dish"))))
    place = draw.pick(words("room"))
    deed, base, to = draw.pick((
        ("stole", "steal", "from"), ("borrowed", "borrow", "from"), ("took", "take", "from"), ("gave", "give", "to"),
        ("sold", "sell", "to"), ("brought", "bring", "to"), ("sent", "send", "to"), ("bought", "buy", "from"),
        ("lent", "lend", "to"), ("threw", "throw", "to"),
    ))  # fmt: skip
    animal = draw.pick(words("animal"))
    doer = one.name if draw.chance(0.5) else f"{draw.pick(('A', 'The'))} {animal}"
    inside = doer if " " not in doer else doer[0].lower() + doer[1:]
    text = f"{doer} {deed} {draw.pick(('a', 'the'))} {thing} {to} {two.name}."
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
    return f"{text} {rest}".strip() + "\n\n" + "\n".join(f"{q}{question}\n{cue}{answer}" for question, answer in asked)


def _tsv(path: Path) -> list[tuple[str, bool]]:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    hidden = hidden_words("sentiment")
    return [
        (_tidy(text), label == "1")
        for split, label, text in rows
        if split == "train" and len(text) < 180 and not hidden & set(_WORD.findall(text))
    ]


def _tidy(text: str) -> str:
    """Tokenised text as people type it: no blanks before marks, a capital letter first."""
    text = re.sub(r" ([.,!?;:')])", r"\1", text).replace("( ", "(").replace(" n't", "n't")
    return capitalised(text.strip())


def _questions(passage_file: Path, question_file: Path) -> list[tuple[str, str, str]]:
    """(passage, question, answer) of FairytaleQA's training part, passages cut to the sentences around the answer."""
    passages = {}
    for line in passage_file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        passages[row["story"], row["section"]] = row["text"]
    found, hidden = [], hidden_words("question")
    for line in question_file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["stated"] != "explicit" or len(row["sections"]) != 1 or len(row["answer"]) > 60:
            continue
        sentences = re.split(r"(?<=[.!?])\s+", passages.get((row["story"], row["sections"][0]), ""))
        heard = set(re.findall(r"[a-z]{4,}", row["answer"].lower()))
        best = max(
            range(len(sentences)), key=lambda i: len(heard & set(re.findall(r"[a-z]{4,}", sentences[i].lower())))
        )
        passage = " ".join(sentences[max(0, best - 1) : best + 2])
        if hidden & set(_WORD.findall(passage)):
            continue
        if 30 < len(passage) < 420 and row["answer"].lower().strip(".") in passage.lower():
            found.append((passage, row["question"], row["answer"].strip(".")))
    return found


def _parallel(english: Path, said: Path) -> list[tuple[str, str]]:
    rows = zip(
        english.read_text(encoding="utf-8").splitlines(), said.read_text(encoding="utf-8").splitlines(), strict=True
    )
    hidden = hidden_words("translate")
    return [(one, two) for one, two in rows if len(one) < 90 and not hidden & set(_WORD.findall(one))]


def pages(n: int, seed: int, options: argparse.Namespace) -> Iterator[str]:
    """The pages, each under the window's length and without anything that a test asks word for word."""
    found = _tsv(options.reviews) if options.reviews else []
    asked = _questions(*options.questions) if options.questions else []
    parallel = _parallel(*options.parallel) if options.parallel else []
    book = phrases()
    kinds: list[tuple[float, Callable[[Draw], str]]] = [
        (8, lambda draw: reviews(draw, found)),
        (3, reasoned),
        (9, lambda draw: french(draw, book, parallel)),
        (5, word_problem),
        (3, carries),
        (4, who_did_it),
    ]
    if asked:
        kinds.append((7, lambda draw: story_questions(draw, asked)))
    made = number = 0
    while made < n:
        number += 1
        draw = Draw((seed, number))
        page = draw.random.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0](draw)
        if len(page) < _MOST_CHARACTERS and not any(words_ in page.lower() for words_ in KEPT_OUT):
            made += 1
            yield page


def main(arguments: list[str] | None = None) -> int:
    """Writes the pages, each ended by a line with the end-of-text marker; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.everyday", description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--reviews", type=Path, metavar="TSV", help="split, label, text: sentence polarity (Pang and Lee)"
    )
    parser.add_argument(
        "--questions", type=Path, nargs=2, metavar="JSONL", help="FairytaleQA: sections, then questions"
    )
    parser.add_argument("--parallel", type=Path, nargs=2, metavar="TXT", help="English lines, then French lines")
    options = parser.parse_args(arguments)
    for page in pages(options.pages, options.seed, options):
        sys.stdout.write(f"{page}\n{END_OF_TEXT}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
