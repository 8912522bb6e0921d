"""Instructions from stories, and the chat format."""

import os
import random
from pathlib import Path

import pytest

from gptcore.errors import PromptError, TrainingError
from gptcore.finetuning import instruction
from gptcore.finetuning.instruction import (
    SHARES,
    STOP,
    TEACHING_SHARES,
    Message,
    chat_prompt,
    instructions,
    requested_words,
    sentences,
    unseen,
)
from tiny import ROOT, ran

STORIES = [
    f"Once there was {kind} called {name}. {name} lived in the {place}. One day {name} lost a "
    f"{thing}. {name} looked under the bridge. There was the {thing}! {name} was glad and went "
    "home."
    for kind, name, place, thing in (
        ("a little fox", "Pip", "forest", "lantern"),
        ("an old goat", "Greta", "barn", "whistle"),
        ("a small crab", "Otto", "harbour", "pebble"),
        ("a grey mouse", "Milo", "cellar", "button"),
        ("a brave hen", "Dora", "garden", "ribbon"),
        ("a shy mole", "Finn", "meadow", "spoon"),
    )
]


def test_a_conversation_is_plain_text_that_ends_where_the_assistant_begins():
    said = [
        Message("System", "Be short."),
        Message("User", " Hi "),
        Message("Assistant", "Hello."),
        Message("User", "Bye"),
    ]
    assert (
        chat_prompt(said) == "System: Be short.\nUser: Hi\nAssistant: Hello.\nUser: Bye\nAssistant:"
    )
    assert STOP == "\nUser:"


@pytest.mark.parametrize(
    "messages", [[], [Message("User", "  ")], [Message("User", "Hi"), Message("Assistant", "Yes")]]
)
def test_a_conversation_without_a_question_is_refused(messages):
    with pytest.raises(PromptError, match="nothing to answer"):
        chat_prompt(messages)


def test_every_instruction_is_answered_by_its_own_story():
    made = instructions(STORIES, 300, seed=2)
    assert {item.kind for item in made} == {
        "words",
        "about",
        "continue",
        "ending",
        "question",
        "talk",
    }
    for entry in made:
        if entry.kind in ("words", "about"):
            assert entry.answer in STORIES
            assert all(word in entry.prompt and word in entry.answer for word in entry.words)
        elif entry.kind in ("continue", "ending"):
            whole = [story for story in STORIES if story.endswith(entry.answer)]
            assert len(whole) == 1 and " ".join(sentences(whole[0])[:1]) in entry.prompt
        elif entry.kind == "question":
            assert entry.answer.rstrip(".").lower() in entry.prompt.lower()
    assert instructions(STORIES, 300, seed=2) == made  # of one seed
    assert instructions(STORIES, 300, seed=3) != made


def test_a_request_for_a_sentence_is_answered_by_one_that_has_the_words():
    made = instructions(STORIES, 400, seed=2, shares=TEACHING_SHARES)
    assert {item.kind for item in made} == set(TEACHING_SHARES) == {*SHARES, "sentence"}
    every = {sentence for story in STORIES for sentence in sentences(story)}
    asked = [item for item in made if item.kind == "sentence"]
    for entry in asked:
        assert "sentence" in entry.prompt and entry.answer in every and 2 <= len(entry.words) <= 3
        assert all(word in entry.prompt and word in entry.answer for word in entry.words)
    assert len({item.answer for item in asked}) > 10
    assert {instruction.kind for instruction in instructions(STORIES, 9, shares={"talk": 1.0})} == {
        "talk"
    }


def test_a_story_is_asked_for_by_its_hero_and_now_and_then_by_the_hero_s_name():
    named = "Once there was a girl named Lucy. She had a red kite. It flew over the hill. It fell."
    nameless = "The dog ran to the river. He saw a boat. The boat was big. The dog slept in it."
    prompts = [item.prompt for item in instructions([named], 200, shares={"about": 1.0})]
    assert 30 <= sum("a girl named Lucy" in prompt for prompt in prompts) <= 90
    assert sum(prompt.endswith("about a girl.") for prompt in prompts) > 30
    others = [item.prompt for item in instructions([nameless], 200, shares={"about": 1.0})]
    assert any("a boat" in prompt for prompt in others) and "named" not in " ".join(others)


def test_the_same_seed_gives_the_same_instructions_in_every_process():
    code = (
        "import test_instruction as t; "
        "print([item.prompt for item in t.instructions(t.STORIES, 40, seed=5)])"
    )
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests", Path(__file__).parent)))
    told = {
        ran("-c", code, env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": number}).stdout
        for number in ("1", "2", "3")
    }
    assert told == {f"{[item.prompt for item in instructions(STORIES, 40, seed=5)]}\n"}


@pytest.mark.parametrize("shares", [SHARES, TEACHING_SHARES])
@pytest.mark.parametrize("stories", [[], ["Too short."], ["One. Two."]])
def test_texts_that_give_no_instruction_are_refused(shares, stories):
    assert instructions(stories, 0, shares=shares) == []
    with pytest.raises(TrainingError, match="give more texts"):
        instructions(stories, 10, shares=shares)


def test_a_sentence_keeps_its_closing_quote_and_what_is_said_belongs_to_who_says_it():
    assert sentences('Tom said, "I am here!" Then he left. "Oh no!" she cried. Mr. Fox ran.') == [
        'Tom said, "I am here!"', "Then he left.", '"Oh no!" she cried.', "Mr. Fox ran.",
    ]  # fmt: skip


def test_the_words_of_every_prompt_that_is_made_are_those_that_it_requests():
    made = instructions(STORIES, 500, seed=4, shares=TEACHING_SHARES)
    assert {item.kind for item in made if item.words} == {"words", "about", "sentence"}
    for entry in made:
        if "and" not in entry.words:  # which divides a list
            assert set(requested_words(entry.prompt)) == set(entry.words), entry.prompt


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Use these words in a story: Moon, Café, ice-cream.", ("Moon", "Café", "ice-cream")),
        ("Write a story with the words: ball, rain, sorry.", ("ball", "rain", "sorry")),
        ("Please tell me a story with a dog, a red ball and rain", ("a dog", "a red ball", "rain")),
        ("In other words, tell me a story about rain and sun.", ()),
        ("Write a story with a happy end.", ()),
        ("Hello!", ()),
        ("", ()),
    ],
)
def test_the_words_of_a_prompt_are_those_of_its_list(prompt, words):
    assert requested_words(prompt) == words


def test_what_was_learned_is_not_asked_for():
    made = instructions(STORIES[:4], 200, seed=1)
    asked = unseen(instructions(STORIES, 200, seed=2), made)
    assert asked and len({item.prompt for item in asked}) == len(asked)
    assert not {item.prompt for item in asked} & {item.prompt for item in made}
    assert not {item.answer for item in asked} & {item.answer for item in made}


def test_a_sentence_is_asked_for_by_two_of_its_words_at_least():
    telling = {"dog", "ran"}
    two = instruction._of_sentence(random.Random(1), "The dog ran.", telling)
    assert two is not None and sorted(two.words) == ["dog", "ran"]
    assert instruction._of_sentence(random.Random(1), "The dog sat.", telling) is None


def test_a_story_is_continued_from_its_beginning_and_ended_from_its_middle():
    continued = instruction.instructions(STORIES, 12, seed=1, shares={"continue": 1.0})
    ended = instruction.instructions(STORIES, 12, seed=1, shares={"end": 1.0})
    assert {item.kind for item in continued} == {"continue"}
    assert {item.kind for item in ended} == {"end"}
    asks = ("Continue", "Go on")
    assert any(begin in item.prompt for item in continued for begin in asks)
    for item in ended:
        assert not any(f"{begin}:" in item.prompt for begin in asks)
        assert item.prompt.rstrip().endswith(("end?", "end.")) or "User" in item.prompt
