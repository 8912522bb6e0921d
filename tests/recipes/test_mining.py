"""Questions and last words found in stories of other people."""

import re
from contextlib import suppress

import pytest

from weights.recipes.mining import pages
from weights.recipes.mining.passages import last_word_item, question_item, sentences_of
from weights.recipes.mining.patterns import questions
from weights.recipes.pages import main
from weights.recipes.world.splits import Draw, NoChoice

STORY = (
    "Once there was a girl named Mira. Mira found a green marble under the bed. She showed the marble to Tom. "
    "Tom was very happy. Then Tom went to the kitchen. In the kitchen he lost the marble."
)


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("Mira found a green marble under the bed.", "What did Mira find?", "a green marble"),
        ("Mira found a green marble under the bed.", "Who found a green marble?", "Mira"),
        ("Mira found a green marble.", "What colour was the marble?", "green"),
        ("Then Tom went to the kitchen.", "Where did Tom go?", "to the kitchen"),
        ("There was a girl named Mira.", "What was the name of the girl?", "Mira"),
        ("Tom was very happy.", "How did Tom feel?", "happy"),
        ("Tom wanted to fly a kite.", "What did Tom want to do?", "fly a kite"),
        ('"I am here!" Mira said.', 'Who said "I am here!"?', "Mira"),
        ("The ball was under the table.", "Where was the ball?", "under the table"),
        ("The old farmer bought a horse.", "Who bought a horse?", "the old farmer"),
        ("Tom found two cows and bought a horse.", "What did Tom buy?", "a horse"),
        ("On Sunday, Tom went to the sea.", "When did Tom go to the sea?", "on Sunday"),
        ("Mira was sad because she lost her hat.", "Why was Mira sad?", "she lost her hat"),
    ],
)
def test_a_question_is_answered_by_words_of_its_sentence(sentence, question, answer):
    assert (question, answer) in [(asked.question, asked.answer) for asked in questions(sentence)]


@pytest.mark.parametrize("sentence", ["She found a marble.", "Then went to the sea.", "It was very happy.", ""])
def test_nobody_is_asked_about_by_a_pronoun(sentence):
    assert not [asked for asked in questions(sentence) if asked.question.startswith(("What did", "Where did", "How"))]


def test_items_come_from_the_story_and_say_nothing_that_it_does_not():
    for number in range(60):
        asked = question_item(Draw(number), STORY)
        assert asked is not None and asked.answer in asked.fields["text"]
        assert all(sentence in STORY for sentence in sentences_of(asked.fields["text"]))
        missing = last_word_item(Draw(number), STORY)
        if missing is not None:
            assert f"{missing.fields['text']} {missing.answer}" in STORY and missing.answer in missing.fields["text"]
    assert any(last_word_item(Draw(number), STORY) is not None for number in range(60))


def test_pages_are_the_same_for_the_same_seed_and_rename_people():
    made = list(pages([STORY], 40, task="question", seed=3))
    assert made == list(pages([STORY], 40, task="question", seed=3)) != list(pages([STORY], 40, task="question"))
    assert any("Mira" in page for page in made) and any("Mira" not in page and "marble" in page for page in made)


def test_stories_without_plain_sentences_are_refused():
    with pytest.raises(NoChoice):
        next(pages(["1 2 3"], 1, task="cloze"))


@pytest.mark.slow
def test_the_command_line_writes_pages_or_says_what_it_needs(tmp_path, capsys):
    file = tmp_path / "stories.txt"
    file.write_text(STORY)

    def run(*options: str) -> str:
        with suppress(SystemExit):
            main(["--stories", str(file), "--pages", "3", *options])
        said = capsys.readouterr()
        return said.out + said.err

    assert run("--task", "question").count("<|endoftext|>") == 3
    assert "needs --task question or cloze" in run("--task", "sentiment")
    with pytest.raises(SystemExit):
        main(["--apart"])
    assert "--apart needs --stories" in capsys.readouterr().err
    file.write_text("1 2 3")
    assert "no sentence of these stories fits" in run("--task", "cloze")


def test_a_pronoun_is_asked_about_by_the_one_name_before_it_and_that_name_is_in_the_passage():
    items = [question_item(Draw(("pronoun", seed)), STORY) for seed in range(200)]
    asked = {(item.fields["question"], item.answer): item.fields["text"] for item in items if item}
    assert ("What did Mira show?", "the marble") in asked
    assert all("Mira" in text for (question, _), text in asked.items() if "Mira" in question)


def test_of_a_long_text_every_part_is_asked_about():
    long = "\n".join(f"Then Mira found a pot{'t' * n}le under the bed." for n in range(200))
    made = "".join(pages([long], 60, task="question", seed=1))
    found = {len(word) for word in re.findall(r"pot+le", made)}
    assert min(found) < 60 and max(found) > 150
