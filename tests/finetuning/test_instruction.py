"""Instructions from stories, the chat format, and the loss on answers alone."""

import math

import pytest
import torch

import gptcore
from gptcore.errors import PromptError, TrainingError
from gptcore.finetuning.instruction import (
    STOP,
    AnswerBatches,
    AnswerExample,
    AnswerLoss,
    Message,
    chat_prompt,
    encode_example,
    instructions,
    padded_answers,
    plain_example,
    sentences,
)
from gptcore.model import IGNORED_TARGET
from tiny import make_model

STORIES = [
    f"Once there was a {kind} called {name}. {name} lived in the {place}. One day {name} lost a {thing}. "
    f"{name} looked under the bridge. There was the {thing}! {name} was glad and went home."
    for kind, name, place, thing in (
        ("little fox", "Pip", "forest", "lantern"), ("old goat", "Greta", "barn", "whistle"),
        ("small crab", "Otto", "harbour", "pebble"), ("grey mouse", "Milo", "cellar", "button"),
        ("brave hen", "Dora", "garden", "ribbon"), ("shy mole", "Finn", "meadow", "spoon"),
    )
]  # fmt: skip


def test_a_conversation_is_plain_text_that_ends_where_the_assistant_begins():
    said = [
        Message("System", "Be short."),
        Message("User", " Hi "),
        Message("Assistant", "Hello."),
        Message("User", "Bye"),
    ]
    assert chat_prompt(said) == "System: Be short.\nUser: Hi\nAssistant: Hello.\nUser: Bye\nAssistant:"
    assert STOP == "\nUser:"


@pytest.mark.parametrize(
    "messages", [[], [Message("User", "  ")], [Message("User", "Hi"), Message("Assistant", "Yes")]]
)
def test_a_conversation_without_a_question_is_refused(messages):
    with pytest.raises(PromptError, match="nothing to answer"):
        chat_prompt(messages)


def test_every_instruction_is_answered_by_its_own_story():
    made = instructions(STORIES, 300, seed=2)
    assert {one.kind for one in made} == {"words", "about", "continue", "ending", "question", "talk"}
    for one in made:
        if one.kind in ("words", "about"):
            assert one.answer in STORIES
            assert all(word in one.prompt and word in one.answer for word in one.words)
        elif one.kind in ("continue", "ending"):
            whole = [story for story in STORIES if story.endswith(one.answer)]
            assert len(whole) == 1 and " ".join(sentences(whole[0])[:1]) in one.prompt
        elif one.kind == "question":
            assert one.answer.rstrip(".").lower() in one.prompt.lower()
    assert instructions(STORIES, 300, seed=2) == made  # of one seed
    assert instructions(STORIES, 300, seed=3) != made


@pytest.mark.parametrize("stories", [[], ["Too short."], ["One. Two."]])
def test_texts_that_give_no_instruction_are_refused(stories):
    with pytest.raises(TrainingError, match="give more texts"):
        instructions(stories, 10)


def test_only_answers_carry_a_loss():
    examples = [AnswerExample((1, 2, 3), (4, 5)), AnswerExample((6,), (7, 8, 9, 10))]
    inputs, targets = padded_answers(examples)
    assert inputs.tolist() == [[1, 2, 3, 4], [6, 7, 8, 9]]
    none = IGNORED_TARGET
    assert targets.tolist() == [[none, none, 4, 5], [7, 8, 9, 10]]
    inputs, targets = padded_answers([AnswerExample((1, 2), (3,)), AnswerExample((4, 5, 6, 7), (8, 9))])
    assert targets[0].tolist() == [none, 3, none, none, none]  # what fills up the row is not learned


def test_the_loss_is_the_mean_over_the_answers_counted_by_hand():
    config = gptcore.GPTConfig(vocab_size=30, n_positions=12, n_embd=16, n_layer=2, n_head=2)
    model = make_model(config)
    examples = [AnswerExample((1, 20, 3), (4, 20, 6)), AnswerExample((7,), (8, 9, 10, 11))]
    inputs, targets = padded_answers(examples)
    logprobs = [model(torch.tensor([[*one.prompt, *one.answer]])).logits[0].log_softmax(-1) for one in examples]
    each = [
        [-float(rows[len(one.prompt) - 1 + i, token]) for i, token in enumerate(one.answer)]
        for rows, one in zip(logprobs, examples, strict=True)
    ]
    plain = AnswerLoss(examples, 30, weight=1.0)
    assert float(plain(model, inputs, targets)) == pytest.approx(sum(map(sum, each)) / 7, abs=1e-5)
    assert float(plain(model, inputs, targets)) == pytest.approx(float(model(inputs, targets).loss), abs=1e-5)
    # Token 20 was asked for: it stands in the prompt, and is rare in a larger set of answers.
    many = [*examples, *[AnswerExample((1,), (2,) * 40)] * 50]
    weighted = AnswerLoss(many, 30, weight=5.0)
    found = weighted.requested(inputs, targets)
    assert found.nonzero().tolist() == [[0, 3]]
    weights = [[1, 5, 1], [1, 1, 1, 1]]
    total = sum(w * loss for ws, losses in zip(weights, each, strict=True) for w, loss in zip(ws, losses, strict=True))
    assert float(weighted(model, inputs, targets)) == pytest.approx(total / 11, abs=1e-5)


def test_examples_fit_the_window_and_end_where_there_is_room():
    lm = gptcore.load("mini")
    (one,) = [each for each in instructions(STORIES, 40) if each.kind == "words"][:1]
    whole = encode_example(lm.tokenizer, one, 256)
    assert whole is not None and whole.answer[-1] == lm.tokenizer.end_id
    assert lm.tokenizer.decode(list(whole.prompt)) == f"User: {one.prompt}\nAssistant:"
    assert lm.tokenizer.decode(list(whole.answer[:-1])) == f" {one.answer}"
    short = encode_example(lm.tokenizer, one, len(whole.prompt) + 20)
    assert short is not None and len(short.prompt) + len(short.answer) == len(whole.prompt) + 21
    assert encode_example(lm.tokenizer, one, len(whole.prompt) + 2) is None
    plain = plain_example(lm.tokenizer, STORIES[0], 256)
    assert plain is not None and plain.prompt == (lm.tokenizer.end_id,) == plain.answer[-1:]


def test_batches_read_every_example_once_an_epoch():
    examples = [AnswerExample((1,), (place, place)) for place in range(2, 9)]
    data = AnswerBatches(examples, batch_size=3)
    assert data.updates_per_epoch == math.ceil(7 / 3)
    seen = [int(row[0]) for index in range(3) for row in data.draw(index, 5)[1]]
    assert sorted(seen) == list(range(2, 9))
    again = [int(row[0]) for index in range(3, 6) for row in data.draw(index, 5)[1]]
    assert sorted(again) == sorted(seen) and again != seen
    with pytest.raises(TrainingError, match="no example"):
        AnswerBatches([], batch_size=3)
