"""The small synthetic web: its grammar, its facts, and that nothing it tests with was ever shown."""

from __future__ import annotations

import re
from functools import cache

import pytest

from gptcore.zero_shot.items import TASKS_WITH_ITEMS, splits_of
from gptcore.zero_shot.tasks import TASKS
from weights.recipes.pages import main
from weights.recipes.world import facts, french, scenes, stories, sums
from weights.recipes.world.documents import documents
from weights.recipes.world.english import a, past, plural, third
from weights.recipes.world.french import Adjective, Noun
from weights.recipes.world.items import items
from weights.recipes.world.lexicon import content_words, words
from weights.recipes.world.splits import Draw, held_out

N_PAGES = 16_000


@cache
def pages() -> tuple[str, ...]:
    return tuple(documents(N_PAGES, seed=3))


@cache
def text() -> str:
    return "\n\n".join(pages()).lower()


def test_a_page_depends_on_seed_and_number_alone():
    assert list(documents(30, seed=5)) == list(documents(60, seed=5))[:30]
    assert list(documents(30, seed=5)) != list(documents(30, seed=6))
    assert len(set(pages())) > 0.97 * N_PAGES


def test_at_least_two_thousand_content_words_are_used():
    used = set(re.findall(r"[a-zéèêç'-]+", text()))
    assert len(content_words() & used) >= 2_000


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (plural("city"), "cities"),
        (plural("mouse"), "mice"),
        (plural("box"), "boxes"),
        (plural("bar of soap"), "bars of soap"),
        (plural("toy car"), "toy cars"),
        (third("carry"), "carries"),
        (third("go"), "goes"),
        (third("dig up"), "digs up"),
        (past("stop"), "stopped"),
        (past("carry"), "carried"),
        (past("clean"), "cleaned"),
        (past("fix"), "fixed"),
        (a("old hour"), "an old hour"),
        (a("uniform"), "a uniform"),
        (a("honest man"), "an honest man"),
    ],
)
def test_english_inflects(made, expected):
    assert made == expected


@pytest.mark.parametrize(
    ("line", "words_", "expected"),
    [
        ("horse | cheval m chevaux", {}, "le cheval"),
        ("horse | cheval m chevaux", {"many": True}, "les chevaux"),
        ("tree | arbre m", {}, "l'arbre"),
        ("owl | hibou m hiboux aspirate", {}, "le hibou"),
        ("owl | hibou m hiboux aspirate", {"many": True}, "les hiboux"),
        ("school | école f", {"kind": "my"}, "mon école"),
        ("house | maison f", {"kind": "my"}, "ma maison"),
        ("tree | arbre m", {"kind": "this"}, "cet arbre"),
        ("potato | pomme de terre f pommes de terre", {"kind": "two", "many": True}, "deux pommes de terre"),
    ],
)
def test_french_determiners_agree(line, words_, expected):
    noun = french._noun(line)
    kind, many = words_.get("kind", "the"), words_.get("many", False)
    assert french._determined(kind, noun.many if many else noun.one, noun, many=many) == expected


@pytest.mark.parametrize(
    ("line", "forms"),
    [
        ("red | rouge", ("rouge", "rouge", "rouges", "rouges")),
        ("white | blanc blanche", ("blanc", "blanche", "blancs", "blanches")),
        ("grey | gris", ("gris", "grise", "gris", "grises")),
        ("beautiful | beau belle bel ^", ("beau", "belle", "beaux", "belles")),
        ("happy | heureux heureuse", ("heureux", "heureuse", "heureux", "heureuses")),
        ("dry | sec sèche", ("sec", "sèche", "secs", "sèches")),
    ],
)
def test_french_adjectives_agree(line, forms):
    adjective: Adjective = french._adjective(line)
    made = [adjective.form(feminine=f, many=m) for m in (False, True) for f in (False, True)]
    assert tuple(made) == forms
    assert french._adjective("old | vieux vieille vieil ^").form(feminine=False, many=False, vowel=True) == "vieil"


@pytest.mark.parametrize(
    ("line", "forms"),
    [
        ("eat | manger", "mange manges mange mangeons mangez mangent"),
        ("buy | acheter achète", "achète achètes achète achetons achetez achètent"),
        ("sing | chanter", "chante chantes chante chantons chantez chantent"),
        ("drink | bois bois boit buvons buvez boivent", "bois bois boit buvons buvez boivent"),
    ],
)
def test_french_verbs_conjugate(line, forms):
    assert french._verb(line).forms == tuple(forms.split())


def test_french_sentences_elide_and_keep_gender_and_number():
    draw, genders = Draw("grammar"), {}
    for section in ("being", "food", "dish", "drink", "thing", "place"):
        for noun in french._nouns(section):
            assert isinstance(noun, Noun)
            genders.setdefault(noun.one, set()).add(noun.feminine)
    for _ in range(4_000):
        english, said = french.sentence(draw)
        assert english and said and "  " not in said
        # Nothing that must elide stands before a vowel, but for the owl, whose h is aspirate.
        assert not re.search(r"\b(le|la|je|ne|du|ma|ta|sa|ce) [aeiouyâàéèêëîïôœû]", said), said
        assert not re.search(r"\b(le|la|ma|ta|sa) h(?!ibou|aricot)", said), said
        assert not re.search(
            r"\b(les|des|mes|ces|deux|six) \w+[^sxz'\W]\b(?! de terre)", said.replace("grands-", "")
        ), said
        for article, feminine in (("le", False), ("la", True), ("un", False), ("une", True)):
            for noun in re.findall(rf"\b{article} (\w+)", said):
                if noun in genders:
                    assert feminine in genders[noun], said


def test_every_sum_that_is_shown_is_right():
    shown = re.findall(r"(?<![\d+-] )\b(\d+) ([+-]) (\d+) = (\d+)\b", text())
    assert len(shown) > 1_000
    for first, sign, second, result in shown:
        assert int(result) == (int(first) + int(second) if sign == "+" else int(first) - int(second))


def test_every_answer_about_a_story_stands_in_it_and_the_gist_is_about_it():
    draw = Draw("stories")
    for number in range(1_200):
        made = stories.story(draw) if number % 2 else scenes.scene(draw)
        for question, answer, said in made.questions:
            # "at the farm" answers where what was bought, when somebody went "to the farm".
            assert (
                answer.split()[-1].removesuffix("'s").lower() in made.text.lower()
                and said in made.sentences
                and question.endswith("?")
            )
        assert all(name in made.text for name in re.findall(r"(?<!^)\b[A-Z]\w+", made.gist)) and len(made.gist) > 9
        assert (3 if number % 2 else 1) <= len(made.sentences) <= 9
        # Who is older than whom leaves no word to guess.
        assert made.last.endswith(".") or (not made.last and number % 2 == 0)


def test_the_facts_of_a_town_are_the_same_everywhere():
    told = re.findall(r"the mayor of (\w+) is called (\w+)", text()) + [
        (town, mayor) for mayor, town in re.findall(r"(\w+) is the mayor of (\w+)\.", text())
    ]
    by_town: dict[str, set[str]] = {}
    for town, mayor in told:
        by_town.setdefault(town, set()).add(mayor)
    assert len(by_town) == len(facts.TOWNS) and all(len(mayors) == 1 for mayors in by_town.values())


def key(task: str, fields) -> str:
    """What of an item must not occur in training: for a story its text with the question, else the whole input."""
    return "\n\nq: ".join(fields.values()).lower() if task == "question" else "\n".join(fields.values()).lower()


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS_WITH_ITEMS)
def test_no_item_of_an_evaluation_occurs_in_the_training_text(task):
    for split in splits_of(task):
        made = items(task, 150, split=split)
        assert len(made) >= 8
        for item in made:
            if task == "arithmetic":
                wanted = item.fields["sum"]
                assert wanted not in text() or not re.search(rf"\b(?<!\+ ){re.escape(wanted)}\b(?! \+)", text()), item
            elif task == "analogy":
                a_, b, c = item.fields.values()
                for template in TASKS["analogy"].templates:
                    if not template.held_out:
                        assert template.solved(item).lower() + "\n" not in text(), item
                assert f"{a_} is to {b} as {c} is" not in text()
            else:
                # With its line's end, since a longer phrase of other words may begin like a short one.
                wanted = key(task, item.fields)
                if wanted in text():
                    assert re.search(rf"(?<!\w ){re.escape(wanted)}( =|\n|$)", text()) is None, item


def test_combinations_that_are_held_out_are_never_shown():
    for thing, opinion in re.findall(r"\bthis (\w+) is (?:very |really |so |quite |truly )?(\w+)[.!]", text()):
        if thing in words("reviewthing") and opinion in words("good") + words("bad"):
            assert not held_out("combination", "sentiment", thing, opinion), (thing, opinion)
    names = words("girls") + words("boys")
    for name, thing in re.findall(r"\b(\w+) lost (?:his|her) (\w+) (?:in|on|at) ", "\n".join(pages())):
        if name in names and thing in words("thing"):
            assert not held_out("combination", "question", name, thing), (name, thing)


def test_words_that_a_task_holds_out_are_known_from_elsewhere_only():
    reviews_ = " ".join(re.findall(r"review: (.+)", text()))
    hidden = {word for word in words("good") + words("bad") if held_out("word", "sentiment", word)}
    plain = {word for word in hidden if re.fullmatch(r"[a-z]+", word)}
    assert len(plain) >= 4
    assert not plain & set(re.findall(r"[a-z]+", reviews_)) and plain <= set(re.findall(r"[a-z]+", text()))


def test_no_template_that_is_held_out_is_shown():
    assert not re.search(r"very (positive|negative)", text())
    for task in TASKS.values():
        for template in task.templates:
            if template.held_out and template.name != "Very positive or very negative (held out)":
                literal = max(re.split(r"\{\w+\}", template.body), key=len).strip().lower()
                assert len(literal) > 2 and f"\n{literal}" not in text() and f" {literal} " not in text(), template.name


@pytest.mark.slow
def test_strict_sums_are_shown_in_neither_order():
    for item in items("arithmetic", 20, split="strict"):
        first, _, second = item.fields["sum"].split()
        assert sums.is_strict(int(first), int(second)) and sums.is_strict(int(second), int(first))
        for left, right in ((first, second), (second, first)):
            assert not re.search(rf"(?<!\d)(?<!\+ ){left} ?(\+|plus|and) ?{right}\b", text())


def test_every_sum_of_two_digits_is_shown_in_some_order():
    draw = Draw("digits")
    seen = {frozenset(made) for _ in range(20_000) if max(made := sums.numbers(draw)) < 10}
    assert len(seen) == 55


def test_the_command_prints_documents(capsys):
    assert main(["--pages", "5", "--seed", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("<|endoftext|>\n") == 5 and out == "".join(
        f"{page}\n<|endoftext|>\n" for page in documents(5, seed=2)
    )
    assert main(["--pages", "9", "--seed", "2", "--task", "arithmetic"]) == 0
    out = capsys.readouterr().out
    assert all(re.search(r"\d|[a-z]+ (plus|minus|and|times)", page) for page in out.split("<|endoftext|>\n")[:-1])
    with pytest.raises(SystemExit):
        main(["--pages", "0"])
