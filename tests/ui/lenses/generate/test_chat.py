"""Chat: what is sent to the model, what it answers, and what the plain GPT makes of the same
words.
"""

import json
from itertools import pairwise

import pytest

import gptcore
from gptcore.finetuning.instruction import Message
from gptcore.inference.sequence import TokenSequence
from ui.lenses.generate.chat import replying as chat
from ui.shared.inputs import InputError

STORY = "Tell me a story about a cat."


def asked(*turns, **more):
    return {"turns": list(turns), **more}


def replies(bundled, talk, chosen="mini", beside="mini", session="v"):
    return [json.loads(item) for item in chat.reply(bundled, session, "mini", chosen, beside, talk)]


def test_the_answer_and_the_continuation_are_what_generate_writes(bundled):
    seen = replies(bundled, asked(STORY, seed=4))
    lm = bundled.models.get("mini")
    same = {"temperature": 0.8, "top_k": 50, "top_p": 0.95, "seed": 4}
    prompt = f"User: {STORY}\nAssistant:"
    room = min(200, 256 - len(lm.tokenizer.encode(prompt)))
    answer = "".join(
        t.text for t in gptcore.generate(lm, prompt, max_new_tokens=room, stop=["\nUser:"], **same)
    )
    plain = "".join(t.text for t in gptcore.generate(lm, STORY, max_new_tokens=100, **same))
    assert seen[-1]["answer"] == answer.lstrip() and seen[-1]["plain"] == plain
    assert {reply["number"] for reply in replies(bundled, asked(STORY, seed=4, number=7))} == {7}
    assert seen[-1]["done"] and "replies and" in seen[-1]["said"]
    assert not any(item["done"] for item in seen[:-1])
    grown = [item["answer"] for item in seen]
    assert all(later.startswith(earlier) for earlier, later in pairwise(grown))
    assert 0 < seen[0]["used"] < seen[-1]["used"] <= seen[-1]["window"] == 256


@pytest.mark.parametrize(
    ("end", "said"), [("length", "is cut off here"), ("stop", "replies and stops")]
)
def test_how_an_answer_ends_is_what_happened_and_not_its_last_letter(bundled, end, said):
    tokenizer = bundled.models.get("mini").tokenizer
    answer = TokenSequence([1], chat.WRITING, seed=1, tokenizer=tokenizer)
    answer.end = end
    assert said in chat._conclusion(answer, "assistant", "mini", stopped=False)
    assert chat._conclusion(answer, "assistant", "mini", stopped=True).startswith("Stopped")


def test_a_message_that_is_too_long_is_told_with_its_own_length(bundled):
    lm = bundled.models.get("mini")
    last = "word " * 300
    n_alone = len(lm.tokenizer.encode(chat.chat_prompt([Message("User", last)])))
    (refused,) = replies(bundled, asked(STORY, "Once.", STORY, "Twice.", last))
    assert refused["message"].startswith(f"This message takes {n_alone:,} tokens;")


def test_turns_and_the_system_line_stand_in_the_prompt():
    messages, seed = chat.parse(asked("Hi", "Hello.", "Bye", system=" Be kind. "))
    assert messages == [
        Message("System", "Be kind."),
        Message("User", "Hi"),
        Message("Assistant", "Hello."),
        Message("User", "Bye"),
    ]
    assert seed == 1


def test_an_answer_says_how_many_turns_have_made_room(bundled):
    tokenizer = bundled.models.get("mini").tokenizer
    turns = ["the cat sat on the mat " * 8] * 7
    first = replies(bundled, asked(*turns))[0]

    def length(dropped: int) -> int:
        roles = ["User: ", "Assistant: "] * 4
        said = [role + turn.strip() for role, turn in zip(roles, turns[dropped:], strict=False)]
        return len(tokenizer.encode("\n".join(said) + "\nAssistant:"))

    dropped = first["dropped"]
    assert dropped % 2 == 0 and first["used"] == length(dropped)
    assert length(dropped) <= 256 - 40 < length(dropped - 2)


def test_the_oldest_turns_make_room_and_are_counted():
    lm = gptcore.load("mini")
    long = [
        Message("User" if i % 2 == 0 else "Assistant", "the cat sat on the mat " * 8)
        for i in range(9)
    ]
    ids, dropped = chat.fitting(lm, [Message("System", "Be kind."), *long])
    assert dropped % 2 == 0 and 0 < dropped < 9 and len(ids) <= 256 - 40
    text = lm.tokenizer.decode(ids)
    assert text.startswith("System: Be kind.\nUser: ") and text.endswith("\nAssistant:")


def test_a_message_that_just_leaves_room_for_an_answer_is_sent(bundled):
    lm = bundled.models.get("mini")
    longest = Message("User", "a")
    while len(lm.tokenizer.encode(f"User: {longest.text}\nAssistant:")) < 256 - 40:
        longest = Message("User", f"{longest.text} a")
    ids, dropped = chat.fitting(lm, [longest])
    assert (len(ids), dropped) == (256 - 40, 0)
    with pytest.raises(InputError, match="takes 217 tokens; 216 of this model's window of 256"):
        chat.fitting(lm, [Message("User", f"{longest.text} a")])


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (None, "nothing to answer"),
        ("", "nothing to answer"),
        ([], "nothing to answer"),
        ({"turns": {}}, "nothing to answer"),
        (asked(), "nothing to answer"),
        (asked("Hi", "Hello"), "nothing to answer"),
        (asked("  "), "nothing to answer"),
        (asked(*["a"] * 61), "61 turns"),
        (asked("a" * 4001), "4,000 are allowed"),
        (asked("Hi", system="x" * 4001), "The system line has 4,001"),
        (asked(7), "A message"),
        (asked("Hi", seed=-1), "The seed is -1"),
        (asked("Hi", seed="x"), "The seed"),
        (asked("word " * 700), "Shorten it"),
    ],
)
def test_what_cannot_be_answered_is_said_with_the_limit(bundled, sent, said):
    (only,) = replies(bundled, sent)
    assert only["number"] == 0 and said in only["message"]


def test_an_unknown_model_is_refused_and_the_picked_one_answers_on_wish(bundled):
    (only,) = replies(bundled, asked("Hi"), chosen="nobody")
    assert "nobody" in only["message"]
    (only,) = replies(bundled, asked("Hi"), beside=None)
    assert "message" in only
    assert replies(bundled, asked("Hi"), chosen=chat.THE_PICKED)[-1]["done"]


def test_stop_ends_both_and_keeps_what_was_written(bundled):
    views = chat.reply(bundled, "stopping", "mini", "mini", "mini", asked(STORY))
    seen = [json.loads(next(views)) for _ in range(3)]
    bundled.sessions.get("stopping").stop()
    last = [json.loads(view) for view in views][-1]
    assert last["said"].startswith("Stopped") and last["answer"].startswith(seen[-1]["answer"])
    assert last["plain"] == ""
