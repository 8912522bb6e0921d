"""Pages in everyday language: what no page may hold, and the command."""

import re
from pathlib import Path

import pytest

from gptcore.zero_shot.tasks import TASKS
from weights.recipes.everyday.__main__ import main
from weights.recipes.everyday.pages import KEPT_OUT, pages
from weights.recipes.everyday.questions import who_did_it
from weights.recipes.everyday.reviews import film_review, opinion
from weights.recipes.everyday.word_problems import reckoning
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import Draw, held_out, hidden_words, shows
from weights.recipes.world.sums import is_shown


def test_reviews_show_no_hidden_word_and_no_thing_with_an_opinion_that_is_held_out():
    hidden = hidden_words("sentiment")
    assert (
        shows("SUPERB!", hidden)
        and shows("two swans", hidden_words("translate"))
        and not shows("super", hidden)
    )
    for seed in range(500):
        review = film_review(Draw(seed))[0]
        other = opinion(Draw(seed))[0]
        assert not shows(f"{review} {other}", hidden) and "{" not in review + other
        said = set(re.findall(r"[a-zé0-9'-]+", review.lower()))
        things = said.intersection(words("reviewthing"))
        opinions = said.intersection([*words("good"), *words("bad")])
        assert not [
            1
            for thing in things
            for item in opinions
            if held_out("combination", "sentiment", thing, item)
        ]


def test_who_did_it_keeps_to_the_split():
    for seed in range(300):
        text = who_did_it(Draw(seed)).partition("\n\n")[0]
        thing = re.search(r" (?:an?|the) ([a-z -]+?) (?:to|from) ", text)
        for name in {*words("girls"), *words("boys")} & {*re.findall(r"[A-Z][a-z]+", text)}:
            assert thing is not None and not held_out("combination", "question", name, thing[1])


def test_reckoning_is_right_and_keeps_strict_sums_out():
    for seed in range(600):
        made = reckoning(Draw(seed))
        asked = re.sub(
            r"minus|take away|less", "-", re.sub(r"plus|add|and", "+", made.fields["sum"])
        ).replace(" ", "")
        if re.fullmatch(r"[0-9+-]+", asked):
            numbers = [int(number) for number in re.findall(r"-?\d+", asked)]
            assert sum(numbers) == int(made.answer) and 0 <= int(made.answer) <= 100
            assert numbers[1] < 0 or is_shown(numbers[0], numbers[1])


def test_no_page_holds_what_is_kept_out_or_names_a_held_out_template():
    made = list(
        pages(
            1500,
            3,
            found=[("A film of a kind. One of the best films!", True), ("A dull one.", False)],
        )
    )
    text = "\n".join(made).lower()
    assert len(made) == 1500 and len(set(made)) > 1450 and max(map(len, made)) < 900
    assert not [words for words in KEPT_OUT if words in text] and "a dull one." in text
    for task in TASKS.values():
        for template in task.templates:
            if template.held_out and template.name != "Very positive or very negative (held out)":
                literals = [re.escape(part) for part in re.split(r"\{\w+\}", template.body.lower())]
                assert not re.search(
                    r"\b" * literals[0][:1].isalpha() + r"[^\n]{1,80}?".join(literals), text
                ), template.name


def test_the_command_prints_pages(capsys):
    assert main(["--pages", "20", "--seed", "4"]) == 0
    assert capsys.readouterr().out == "".join(f"{page}\n<|endoftext|>\n" for page in pages(20, 4))


@pytest.mark.parametrize(
    ("options", "words_"),
    [
        (["--pages", "0"], "--pages is 0; at least 1"),
        (["--reviews", "no-such-file.tsv"], "FileNotFoundError"),
        (["--reviews", str(Path(__file__))], "ValueError"),
        (["--questions", str(Path(__file__)), str(Path(__file__))], "JSONDecodeError"),
        (
            ["--parallel", str(Path(__file__)), str(Path(__file__).with_name("test_mining.py"))],
            "ValueError",
        ),
    ],
)
def test_files_that_are_something_else_are_a_sentence(options, words_, capsys):
    with pytest.raises(SystemExit):
        main(options)
    assert words_ in capsys.readouterr().err
