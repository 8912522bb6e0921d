"""Questions and last words found in stories of other people: none has an answer that its text has
not.
"""

from contextlib import suppress

import pytest

from weights.recipes.mining import pages
from weights.recipes.mining.clauses import ClauseGrammar
from weights.recipes.mining.lexicon import lexicon_of
from weights.recipes.mining.passages import last_word_item, question_item, sentences_of
from weights.recipes.mining.statements import Statements
from weights.recipes.pages import main
from weights.recipes.world.splits import Draw, NoChoice, hidden_words, shows

STORY = (
    "Once there was a girl named Mira. Mira found a green marble under the bed. She showed the "
    "marble to Tom. Tom was very happy. Then Tom went to the kitchen. In the kitchen he lost "
    "the marble."
)
# Enough prose to know that these are verbs.
PROSE = " ".join(
    f"He wanted to {base}. She {past}."
    for base, past in (
        ("open", "opened"),
        ("look", "looked"),
        ("walk", "walked"),
        ("carry", "carried"),
        ("kick", "kicked"),
        ("wait", "waited"),
        ("pick", "picked"),
    )
    for _ in range(6)
)
TOLD = (
    "Mira opened the old box with a key. Then Tom carried three pots to the kitchen. She found "
    "a letter under the bed. The baker gave the bread to Anna. They waited for an hour. Ben "
    "walked to the shop to buy milk. He looked at the moon."
)


def test_items_come_from_the_story_and_say_nothing_that_it_does_not():
    for number in range(60):
        asked = question_item(Draw(number), STORY)
        assert asked is not None and asked.answer in asked.fields["text"]
        assert all(sentence in STORY for sentence in sentences_of(asked.fields["text"]))
        missing = last_word_item(Draw(number), STORY)
        if missing is not None:
            assert (
                f"{missing.fields['text']} {missing.answer}" in STORY
                and missing.answer in missing.fields["text"]
            )


def test_texts_of_statements_hold_their_answers_and_no_hidden_word():
    statements = Statements([TOLD], ClauseGrammar(lexicon_of([PROSE])))
    for seed in range(300):
        item = statements.question(Draw(seed))
        text = item.fields["text"]
        question = item.fields["question"]
        assert item.answer.lower() in text.lower(), (text, question, item.answer)
        assert (
            question[0].isupper()
            and question.endswith("?")
            and not shows(text, hidden_words("question"))
        )
        closed = statements.last_word(Draw(seed))
        assert closed.answer in closed.fields["text"] and not closed.fields["text"].endswith(
            closed.answer
        )


@pytest.mark.parametrize(("stories", "apart"), [([STORY], False), ([PROSE, TOLD], True)])
def test_pages_are_the_same_for_the_same_seed_and_refused_without_plain_sentences(stories, apart):
    made = list(pages(stories, 20, task="question", seed=3, apart=apart))
    assert len(made) == 20 and made == list(
        pages(stories, 20, task="question", seed=3, apart=apart)
    )
    with pytest.raises(NoChoice):
        next(pages(["1 2 3"], 1, task="question", apart=apart))


def test_the_command_line_writes_pages_or_says_what_it_needs(tmp_path, capsys):
    file = tmp_path / "stories.txt"
    file.write_text(STORY, encoding="utf-8")

    def run(*options: str) -> str:
        with suppress(SystemExit):
            main(["--pages", "3", *options])
        said = capsys.readouterr()
        return said.out + said.err

    assert run("--stories", str(file), "--task", "question").count("<|endoftext|>") == 3
    assert "needs --task question or cloze" in run("--stories", str(file), "--task", "sentiment")
    assert "--apart needs --stories" in run("--apart")
    file.write_text("1 2 3", encoding="utf-8")
    assert "no sentence of these stories fits" in run("--stories", str(file), "--task", "cloze")
