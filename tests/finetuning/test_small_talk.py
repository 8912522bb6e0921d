"""Small talk: what is said in training, and that the held-out messages are none of it."""

import random
import re
from pathlib import Path

import pytest

import gptcore
from gptcore.finetuning import Message, chat_prompt, instructions
from gptcore.finetuning.answering import WRITING
from gptcore.finetuning.instruction import (
    ASSISTANT,
    STOP,
    USER,
    Instruction,
    _texts,
    in_conversation,
    small_talk,
)
from gptcore.inference.generation import generate

_LINES = Path(__file__).with_name("held_out_messages.txt").read_text(encoding="utf-8").splitlines()
HELD_OUT = [
    tuple(line.split(": ", 1)[1].split(" >> ")) for line in _LINES if not line.startswith("#")
]


def plain(text: str) -> str:
    """Without what does not tell two wordings apart."""
    return re.sub(r"[\s.!,'\"]", "", text.casefold())


def test_a_drawn_exchange_is_filled_and_one_of_many():
    draw = random.Random(1)
    made = [small_talk(draw) for _ in range(3000)]
    for entry in made:
        assert entry[-2].strip() and entry[-1].strip() and len(entry) % 2 == 0
        assert not re.search(r"[{}|]|=>|>>", " ".join(entry).replace("$%&", ""))
    assert len({item[-2] for item in made}) > 900 and len({item[-1] for item in made}) > 80
    asked_back = [item for item in made if len(item) > 2]
    for one in asked_back:  # the name that was said is the name that is answered
        name = re.search(r"(?:Your name is|You are) (\S+?)\.", one[-1])
        assert name and name[1] in one[0]
    assert len({item[:-2] for item in asked_back}) > 30


def test_only_a_talk_goes_on_from_another_one():
    other = Instruction("How are you?", "I am well.", "talk")
    earlier = {}
    for kind in ("talk", "about"):
        told = [
            in_conversation(random.Random(seed), Instruction("Hello!", "Hi.", kind), [other])
            for seed in range(300)
        ]
        assert all(item.prompt == "Hello!" and item.answer == "Hi." for item in told)
        earlier[kind] = [item.earlier for item in told]
    assert (other.prompt, other.answer) in earlier["talk"]
    assert ("Hello!", "Hi.") in earlier["talk"]  # the same once more
    assert () in earlier["talk"] and () in earlier["about"]
    assert not {(other.prompt, other.answer), ("Hello!", "Hi.")} & set(earlier["about"])


def test_no_held_out_message_is_in_the_training():
    assert len(HELD_OUT) == 60
    learned = {plain(message) for messages, _ in _texts()[0] for message in messages}
    assert not {plain(" >> ".join(turns)) for turns in HELD_OUT} & learned
    draw = random.Random(2)
    made = instructions([], 0) + [
        in_conversation(draw, instruction)
        for instruction in instructions(STORIES, 4000, shares={"talk": 1.0})
    ]
    said = {plain(" >> ".join((*item.earlier, item.prompt))) for item in made}
    assert not {plain(" >> ".join(turns)) for turns in HELD_OUT} & said


MOST = 60  # tokens; the longest answer of the training has half as many
STORIES = [
    "Once there was a fox. It had a lantern. It lost the lantern. It found it under the bridge."
] * 3


@pytest.mark.slow
def test_the_bundled_assistant_ends_its_answers_and_remembers_a_name():
    """Whether an answer fits is for readers; that it ends, and does not repeat itself without end,
    is for a test.
    """
    lm = gptcore.load("assistant")
    ended = 0
    named = 0
    for turns in HELD_OUT:
        said = [Message(ASSISTANT if index % 2 else USER, turn) for index, turn in enumerate(turns)]
        written = [
            *generate(
                lm, chat_prompt(said), settings=WRITING, max_new_tokens=MOST, seed=1, stop=[STOP]
            )
        ]
        text = "".join(token.text for token in written)
        ended += len(written) < MOST
        named += any(
            name in turns[0] and name in text for name in ("Anna", "Bartholomew", "Stefan")
        )
    assert ended >= len(HELD_OUT) - 2  # which texts are drawn depends on how a processor rounds
    assert named >= 1  # of four
