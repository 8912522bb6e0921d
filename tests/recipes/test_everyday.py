"""Pages in everyday language: notes and their questions, opinions, and what no page may hold."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gptcore.zero_shot.tasks import TASKS
from weights.recipes.everyday.__main__ import main
from weights.recipes.everyday.notes import frames, note, told
from weights.recipes.everyday.pages import KEPT_OUT, pages
from weights.recipes.everyday.questions import who_did_it
from weights.recipes.everyday.reviews import film_review, opinion
from weights.recipes.everyday.slots import Slots
from weights.recipes.everyday.word_problems import reckoning, word_problem
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw, held_out, hidden_words, shows
from weights.recipes.world.sums import is_shown

FILLERS = {"the", "a", "an", "in", "at", "on", "to", "with", "for", "by"}


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-zé0-9'-]+", text.lower())


@pytest.mark.parametrize("number", range(len(frames())))
def test_every_answer_and_last_word_is_told_by_its_note(number):
    for seed in range(5):
        made = told(Draw((number, seed)), frames()[number])
        said = set(words_of(made.text)) | {word.removesuffix("'s") for word in words_of(made.text)} | FILLERS
        assert made.asked
        for question, answer in made.asked:
            assert question.endswith("?") and question[0].isupper() and "{" not in question + answer
            assert set(words_of(answer)) <= said, (made.text, question, answer)
        if made.last:
            assert words_of(made.last)[-1] in words_of(f"{made.text} {made.last.rpartition(' ')[0]}"), made


def test_notes_together_are_about_different_people_and_things():
    joined = [made for seed in range(300) if len((made := note(Draw(seed))).sentences) > 1]
    assert len(joined) > 100
    known = {*words("girls"), *words("boys"), *words("thing"), *words("animal")}
    for made in joined:
        first, second = ({*re.findall(r"[A-Za-z]+", one)} & known for one in made.sentences[:2])
        assert not first & second, made.sentences
        assert len({question for question, _, _ in made.questions}) == len(made.questions)


def test_of_joined_notes_only_what_names_its_own_is_asked():
    vague = {question for frame in frames() for question, _ in frame.asked if "{" not in question}
    lasts = [frame.last[0] for frame in frames() if frame.last and not re.search(r"\{(?!she|her|him)", frame.last[0])]
    assert len(vague) > 50 and lasts
    for made in (note(Draw(seed)) for seed in range(300)):
        if len(made.sentences) > 1:
            assert not vague.intersection(question for question, _, _ in made.questions)
            assert not made.last.startswith(tuple(one for one in lasts if "{" not in one)), made.last
    one = told(Draw(1), frames()[2])
    assert one.names(one.asked[0][0]) and not one.names("Who was it?") and not one.names("What did she say?")


def test_slots_are_drawn_once_and_never_the_same():
    slots = Slots(Draw(1))
    assert slots.fill("{A} {thing} {thing}") == f"{slots['A']} {slots['thing']} {slots['thing']}"
    things = {Slots(Draw(seed)).fill("{thing}|{thing2}|{thing3}") for seed in range(100)}
    assert all(len(set(one.split("|"))) == 3 for one in things) and len(things) > 90
    assert slots["A"] not in Slots(Draw(1), frozenset(slots.values())).values()
    assert slots["Her"] == slots["her"].capitalize() and slots["a_thing"].split(" ", 1)[1] == slots["thing"]
    with pytest.raises(KeyError):
        slots.fill("{nothing}")


def test_opinions_take_both_sides_as_often():
    made = [opinion(Draw(seed)) for seed in range(600)]
    assert 240 < sum(positive for _, positive in made) < 360
    sides = [{text for text, positive in made if positive is side} for side in (True, False)]
    assert not sides[0] & sides[1] and min(len(side) for side in sides) > 200


def test_reviews_show_no_hidden_word_and_no_thing_with_an_opinion_that_is_held_out():
    hidden = hidden_words("sentiment")
    assert shows("SUPERB!", hidden) and shows("two swans", hidden_words("translate")) and not shows("super", hidden)
    for seed in range(500):
        review, other = film_review(Draw(seed))[0], opinion(Draw(seed))[0]
        assert not shows(f"{review} {other}", hidden) and "{" not in review + other
        said = set(words_of(review))
        things, opinions = said.intersection(words("reviewthing")), said.intersection([*words("good"), *words("bad")])
        assert not [1 for thing in things for one in opinions if held_out("combination", "sentiment", thing, one)]


def test_who_did_it_is_told_and_keeps_to_the_split():
    for seed in range(300):
        text, _, asked = who_did_it(Draw(seed)).partition("\n\n")
        answers = [line.partition(": ")[2] for line in asked.splitlines()[1::2]]
        assert answers and all(set(words_of(one)) <= {*words_of(text), "the"} for one in answers), (text, answers)
        thing = re.search(r" (?:an?|the) ([a-z -]+?) (?:to|from) ", text)
        for name in {*words("girls"), *words("boys")} & {*re.findall(r"[A-Z][a-z]+", text)}:
            assert thing is not None and not held_out("combination", "question", name, thing[1])


def test_the_numbers_of_a_word_problem_are_right():
    for seed in range(300):
        page = word_problem(Draw(seed))
        for a, sign, b, made in re.findall(r"(\d+) ([+-]) (\d+) = (\d+)", page):
            assert int(a) + (int(b) if sign == "+" else -int(b)) == int(made)
        assert not re.search(r"\b1 [a-z]+s\b", page), page


def test_reckoning_is_right_and_keeps_strict_sums_out():
    for seed in range(600):
        made = reckoning(Draw(seed))
        asked = re.sub(r"minus|take away|less", "-", re.sub(r"plus|add|and", "+", made.fields["sum"])).replace(" ", "")
        if re.fullmatch(r"[0-9+-]+", asked):
            numbers = [int(number) for number in re.findall(r"-?\d+", asked)]
            assert sum(numbers) == int(made.answer) and 0 <= int(made.answer) <= 100
            assert numbers[1] < 0 or is_shown(numbers[0], numbers[1])


def test_no_page_holds_what_is_kept_out_or_names_a_held_out_template():
    made = list(pages(1500, 3, found=[("A film of a kind. One of the best films!", True), ("A dull one.", False)]))
    text = "\n".join(made).lower()
    assert len(made) == 1500 and len(set(made)) > 1450 and max(map(len, made)) < 900
    assert not [words for words in KEPT_OUT if words in text] and "a dull one." in text
    for task in TASKS.values():
        for template in task.templates:
            if template.held_out and template.name != "Very positive or very negative (held out)":
                literals = [re.escape(part) for part in re.split(r"\{\w+\}", template.body.lower())]
                assert not re.search(r"\b" * literals[0][:1].isalpha() + r"[^\n]{1,80}?".join(literals), text), (
                    template.name
                )


def test_the_command_prints_pages():
    done = subprocess.run(
        [sys.executable, "-m", "weights.recipes.everyday", "--pages", "20", "--seed", "4"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.count("<|endoftext|>\n") == 20
    assert done.stdout == "".join(f"{page}\n<|endoftext|>\n" for page in pages(20, 4))


@pytest.mark.parametrize(
    ("options", "words_"),
    [
        (["--pages", "0"], "--pages is 0; at least 1"),
        (["--reviews", "no-such-file.tsv"], "FileNotFoundError"),
        (["--reviews", str(Path(__file__))], "ValueError"),
        (["--questions", str(Path(__file__)), str(Path(__file__))], "JSONDecodeError"),
        (["--parallel", str(Path(__file__)), str(Path(__file__).with_name("test_mining.py"))], "ValueError"),
    ],
)
def test_files_that_are_something_else_are_a_sentence(options, words_, capsys):
    with pytest.raises(SystemExit):
        main(options)
    assert words_ in capsys.readouterr().err
