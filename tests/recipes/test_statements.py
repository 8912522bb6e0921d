"""Clauses read from prose, what is asked about them, and short texts of several."""

import re

import pytest

from weights.recipes.mining import pages
from weights.recipes.mining.asking import asked_about
from weights.recipes.mining.clauses import ClauseGrammar
from weights.recipes.mining.lexicon import lexicon_of
from weights.recipes.mining.statements import Statements
from weights.recipes.world.splits import Draw, NoChoice, hidden_words, shows

# Enough prose to know that these are verbs.
PROSE = " ".join(
    f"He wanted to {base}. She {past}."
    for base, past in (
        ("open", "opened"), ("look", "looked"), ("walk", "walked"), ("carry", "carried"), ("kick", "kicked"),
        ("wait", "waited"), ("pick", "picked"),
    )
    for _ in range(6)
)  # fmt: skip
STORY = (
    "Mira opened the old box with a key. Then Tom carried three pots to the kitchen. She found a letter under the bed. "
    "The baker gave the bread to Anna. They waited for an hour. Ben walked to the shop to buy milk. "
    "He looked at the moon."
)
GRAMMAR = ClauseGrammar(lexicon_of([PROSE]))


def asked(sentence: str, tense: str = "past") -> dict[str, str]:
    clause = GRAMMAR.read(sentence)
    return {} if clause is None else {form.question: form.answer for form in asked_about(clause, tense)}


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("Mira opened the old box with a key.", "What did Mira open?", "the old box"),
        ("Mira opened the old box with a key.", "Who opened the old box?", "Mira"),
        ("Mira opened the old box with a key.", "What did Mira open the old box with?", "a key"),
        ("Then Tom carried three pots to the kitchen.", "How many pots did Tom carry?", "three"),
        ("The next day, the old farmer kicked Tom's ball.", "When did the old farmer kick Tom's ball?", "the next day"),
        ("The next day, the old farmer kicked Tom's ball.", "Whose ball did the old farmer kick?", "Tom"),
        ("Mira found a letter under the bed, and cried.", "Where did Mira find a letter?", "under the bed"),
        ("The baker gave the bread to Anna.", "To whom did the baker give the bread?", "Anna"),
        ("They waited for an hour.", "How long did they wait?", "for an hour"),
        ("Ben walked to the shop to buy milk.", "Why did Ben walk?", "to buy milk"),
        ("Ben looked at the moon.", "What did Ben look at?", "the moon"),
        ("Ben opened the door quietly.", "How did Ben open the door?", "quietly"),
        ("Ben opened the door because it was hot.", "Why did Ben open the door?", "because it was hot"),
        ("The cat carried a mouse.", "What carried a mouse?", "the cat"),
        ("Mira picked up the pen.", "What did Mira pick up?", "the pen"),
    ],
)
def test_a_clause_is_asked_about_in_all_its_parts(sentence, question, answer):
    assert asked(sentence)[question] == answer


def test_questions_follow_the_tense_and_the_number():
    assert asked("Mira opened the box.", "present") == {"Who opens the box?": "Mira", "What does Mira open?": "the box"}
    assert asked("Mira opened the box.", "future")["What will Mira open?"] == "the box"
    assert "What do two boys carry?" in asked("Two boys carried a table.", "present")
    clause = GRAMMAR.read("Mira picked up the pen because it was late.")
    assert clause and clause.told("present") == "Mira picks up the pen because it was late."
    assert clause.told("future") == "Mira will pick up the pen because it was late."


@pytest.mark.parametrize(
    "sentence",
    [
        "Mira opened the box that Tom had made.", "Mira opened.", "Opened the box.", "It was opened.", "",
        "The man carried opened the box.", "Mira put on the table.", "Mira said the word.", "mira opened the box.",
        "Mira carried a deep, tired sigh.",
    ],
)  # fmt: skip
def test_what_the_grammar_does_not_read_to_the_end_it_leaves_alone(sentence):
    assert GRAMMAR.read(sentence) is None


def test_texts_hold_their_answers_and_no_hidden_word():
    statements = Statements([STORY], GRAMMAR)
    for seed in range(300):
        item = statements.question(Draw(seed))
        text, question = item.fields["text"], item.fields["question"]
        assert item.answer.lower() in text.lower(), (text, question, item.answer)
        assert item.steps.removeprefix('The text says: "').removesuffix('."').lower() in text.lower(), item
        assert question[0].isupper() and question.endswith("?") and not shows(text, hidden_words("question"))
        assert not re.search(r"\b(?:They|they|their)\b", text)
        closed = statements.last_word(Draw(seed))
        assert closed.answer in closed.fields["text"] and not closed.fields["text"].endswith(closed.answer)
    texts = [statements.question(Draw(seed)).fields["text"] for seed in range(300)]
    assert any(" will " in text for text in texts) and any("opens" in text for text in texts)
    assert not any("Tom " in text and "Mira " in text and "Ben " in text for text in texts)  # people are renamed


def test_pages_of_statements_are_the_same_for_the_same_seed():
    stories = [PROSE, STORY]
    made = list(pages(stories, 20, task="question", seed=3, apart=True))
    assert made == list(pages(stories, 20, task="question", seed=3, apart=True)) and len(set(made)) > 15
    assert len(list(pages(stories, 5, task="cloze", apart=True))) == 5
    with pytest.raises(NoChoice):
        next(pages(["1 2 3"], 1, task="question", apart=True))
