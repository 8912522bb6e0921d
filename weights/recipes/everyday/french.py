"""English and French as people speak them."""

import re
from collections.abc import Sequence
from pathlib import Path

from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item
from weights.recipes.world.english import capitalised
from weights.recipes.world.lexicon import entries
from weights.recipes.world.splits import Draw, hidden_words, shows
from weights.recipes.world.wordings import wording

_HERE = Path(__file__).parent
_SUBJECTS = (
    ("I", "j'", "ai", "vais", "veux", "am", "go", "want"),
    ("you", "tu ", "as", "vas", "veux", "are", "go", "want"),
    ("he", "il ", "a", "va", "veut", "is", "goes", "wants"),
    ("she", "elle ", "a", "va", "veut", "is", "goes", "wants"),
    ("we", "nous ", "avons", "allons", "voulons", "are", "go", "want"),
    ("they", "ils ", "ont", "vont", "veulent", "are", "go", "want"),
)
_HAVING, _PLACES, _WISHES, _AGES = (
    [line.split(" = ") for line in lines] for lines in entries("spoken.txt", _HERE).values()
)


def spoken(draw: Draw) -> tuple[str, str]:
    """(English, French) of an everyday sentence with "to be hungry", "to go", "to want" or an
    age.
    """
    who, elided, have, go, want, am, goes, wants = draw.pick(_SUBJECTS)
    je = "je " if who == "I" else elided
    chance = draw.random.random()
    if chance < 0.45:
        english, french = draw.pick(_HAVING)
        if draw.chance(0.3):
            denied = f"n'{have} pas {'de chance' if english == 'lucky' else french}"
            return f"{who} {am} not {english}.", f"{je}{denied}."
        very = draw.chance(0.15) and english in ("hungry", "thirsty", "cold", "afraid")
        return (
            f"{who} {am} {'very ' if very else ''}{english}.",
            f"{elided}{have} {'très ' if very else ''}{french}.",
        )
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
            return (
                f"{who} {do} not want {english.replace('some ', 'any ')}.",
                f"{je}ne {want} pas {french}.",
            )
        return f"{who} {wants} {english}.", f"{je}{want} {french}."
    english, french = _AGES[draw.number(0, len(_AGES) - 1)]
    return f"{who} {am} {english} years old.", f"{elided}{have} {french} ans."


def phrases() -> list[tuple[str, str]]:
    """The phrasebook: (English, French)."""
    lines = (_HERE / "phrases.txt").read_text(encoding="utf-8").splitlines()
    return [
        (one, two) for one, two in (line.split(" = ") for line in lines if line and line[0] != "#")
    ]


def french(draw: Draw, book: Sequence[tuple[str, str]], parallel: Sequence[tuple[str, str]]) -> str:
    """A page of translations in one form of asking."""
    made = []
    for _ in range(draw.pick((1, 1, 2, 4, 6))):
        english, said = draw.pick(book) if draw.chance(0.55) else spoken(draw)
        if parallel and draw.chance(0.04):
            english, said = draw.pick(parallel)
        english = capitalised(english)
        said = capitalised(said)
        if draw.chance(0.15):
            english = english.rstrip(".!")
            said = said.rstrip(" .!")
        elif draw.chance(0.1):
            english = english.lower()
            said = said.lower()
        made.append(Item({"english": english}, said))
    if draw.chance(0.3):
        arrow = draw.pick(("→", "->", "=>", "="))
        shown = "\n".join(f"{item.fields['english']} {arrow} {item.answer}" for item in made)
        return f"Translate English to French:\n{draw.pick(('', chr(10)))}{shown}"
    shown = [template for template in TASKS["translate"].templates if not template.held_out]
    template = draw.pick(shown) if draw.chance(0.5) else wording("translate", draw)
    return template.document(made)


def parallel_lines(english: Path, said: Path) -> list[tuple[str, str]]:
    """(English, French) of two files with the same sentences, the short ones."""
    rows = zip(
        english.read_text(encoding="utf-8").splitlines(),
        said.read_text(encoding="utf-8").splitlines(),
        strict=True,
    )
    hidden = hidden_words("translate")
    return [(one, two) for one, two in rows if len(one) < 90 and not shows(one, hidden)]
