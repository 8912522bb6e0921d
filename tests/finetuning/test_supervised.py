"""Examples in rows, and the loss on their answers alone."""

import math

import pytest
import torch
from test_instruction import STORIES

import gptcore
from gptcore.errors import TrainingError
from gptcore.finetuning.instruction import instructions
from gptcore.finetuning.supervised import (
    AnswerBatches,
    AnswerExample,
    AnswerLoss,
    answer_examples,
    encode_example,
    packed,
    padded_answers,
    padded_rows,
    plain_example,
)
from gptcore.model import IGNORED_TARGET
from tiny import make_model


def test_only_answers_carry_a_loss():
    examples = [AnswerExample((1, 2, 3), (4, 5)), AnswerExample((6,), (7, 8, 9, 10))]
    inputs, targets = padded_answers(examples)
    assert inputs.tolist() == [[1, 2, 3, 4], [6, 7, 8, 9]]
    none = IGNORED_TARGET
    assert targets.tolist() == [[none, none, 4, 5], [7, 8, 9, 10]]
    inputs, targets = padded_answers(
        [AnswerExample((1, 2), (3,)), AnswerExample((4, 5, 6, 7), (8, 9))]
    )
    # what fills up the row is not learned
    assert targets[0].tolist() == [none, 3, none, none, none]


def test_a_row_of_several_examples_has_the_same_targets_one_behind_the_other():
    examples = [
        AnswerExample((1, 2, 3), (4, 5)),
        AnswerExample((6,), (7, 8)),
        AnswerExample((9, 9), (10,)),
    ]
    inputs, targets = padded_rows([examples, examples[:1]])
    none = IGNORED_TARGET
    assert inputs.tolist() == [[1, 2, 3, 4, 5, 6, 7, 8, 9, 9], [1, 2, 3, 4, 0, 0, 0, 0, 0, 0]]
    assert targets.tolist() == [
        [none, none, 4, 5, none, 7, 8, none, none, 10],
        [none, none, 4, 5, none, none, none, none, none, none],
    ]


def test_a_word_is_requested_by_the_prompt_of_its_own_example_alone():
    common = [AnswerExample((0,), (2,) * 40)] * 100
    row = [
        AnswerExample((20, 3), (20, 21, 20)),
        AnswerExample((21, 3), (20, 21)),
        AnswerExample((0,), (3, 20)),
    ]
    inputs, targets = padded_rows([row, row[1:]])
    found = AnswerLoss([*row, *common], 30).requested(inputs, targets)
    asked = [targets[row][found[row]].tolist() for row in range(2)]
    assert asked == [[20, 21], [21]]
    # the second 20 of the first is no longer asked for
    assert found.nonzero().tolist() == [[0, 1], [0, 7], [1, 2]]


def test_packing_fills_rows_and_loses_nothing():
    examples = [AnswerExample((1,) * (index % 7 + 1), (index,)) for index in range(200)]
    examples.append(AnswerExample((1,) * 30, (200,)))  # longer than a row
    rows = packed(examples, 19)
    assert sorted(item.answer[0] for row in rows for item in row) == list(range(201))
    lengths = [sum(len(item.prompt) + 1 for item in row) for row in rows]
    assert sorted(lengths)[-1] == 31 and sorted(lengths)[-2] <= 20
    assert len(rows) < 1.1 * sum(lengths) / 20 + 2
    assert packed([], 19) == []


def test_a_row_may_begin_with_any_of_its_examples():
    long = [AnswerExample((1,), (2,) * 12)] * 40
    short = [AnswerExample((3,), (4, 5))] * 80
    rows = AnswerBatches([*long, *short], batch_size=8, window=20).rows
    begun = [row[0].prompt for row in rows if len({item.prompt for item in row}) == 2]
    assert 0.2 < begun.count((3,)) / len(begun) < 0.9 and len(begun) > 20


def test_the_loss_is_the_mean_over_the_answers_counted_by_hand():
    config = gptcore.GPTConfig(vocab_size=30, n_positions=12, n_embd=16, n_layer=2, n_head=2)
    model = make_model(config)
    examples = [AnswerExample((1, 20, 3), (4, 20, 6)), AnswerExample((7,), (8, 9, 10, 11))]
    inputs, targets = padded_answers(examples)
    logprobs = [
        model(torch.tensor([[*example.prompt, *example.answer]])).logits[0].log_softmax(-1)
        for example in examples
    ]
    each = [
        [-float(rows[len(example.prompt) - 1 + i, token]) for i, token in enumerate(example.answer)]
        for rows, example in zip(logprobs, examples, strict=True)
    ]
    plain = AnswerLoss(examples, 30, weight=1.0)
    assert float(plain(model, inputs, targets)) == pytest.approx(sum(map(sum, each)) / 7, abs=1e-5)
    assert float(plain(model, inputs, targets)) == pytest.approx(
        float(model(inputs, targets).loss), abs=1e-5
    )
    # Token 20 was asked for: it stands in the prompt, and is rare in a larger set of answers.
    many = [*examples, *[AnswerExample((1,), (2,) * 40)] * 50]
    weighted = AnswerLoss(many, 30, weight=5.0)
    found = weighted.requested(inputs, targets)
    assert found.nonzero().tolist() == [[0, 3]]
    weights = [[1, 5, 1], [1, 1, 1, 1]]
    total = sum(
        w * loss
        for ws, losses in zip(weights, each, strict=True)
        for w, loss in zip(ws, losses, strict=True)
    )
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


def test_what_teaches_an_assistant_ends_where_it_can_and_has_plain_stories_behind():
    lm = gptcore.load("mini")
    made = instructions(STORIES, 60)
    end = lm.tokenizer.end_id
    every = answer_examples(lm.tokenizer, made, STORIES, 256, plain_share=0.1)
    assert len(every) == 66 and all(item.answer[-1] == end for item in every)
    assert [item.prompt == (end,) for item in every] == [False] * 60 + [True] * 6
    lengths = sorted(len(item.prompt) + len(item.answer) for item in every[:60])
    some = answer_examples(lm.tokenizer, made, STORIES, lengths[40] - 1, plain_share=0.0)
    assert 30 <= len(some) < 60 and all(item.answer[-1] == end for item in some)
    few = answer_examples(lm.tokenizer, made, STORIES, lengths[10], plain_share=0.0)
    # too many do not fit: what there is of them is read
    assert len({item.answer[-1] == end for item in few}) == 2


def test_batches_read_every_example_once_an_epoch():
    examples = [AnswerExample((1,), (index, index)) for index in range(2, 9)]
    data = AnswerBatches(examples, batch_size=3, window=2)  # room for one
    assert data.updates_per_epoch == math.ceil(7 / 3) and data.window == 2
    seen = [int(row[0]) for index in range(3) for row in data.draw(index, 5)[1]]
    assert sorted(seen) == list(range(2, 9))
    again = [int(row[0]) for index in range(3, 6) for row in data.draw(index, 5)[1]]
    assert sorted(again) == sorted(seen) and again != seen
    two = AnswerBatches(examples, batch_size=2, window=5)
    assert two.updates_per_epoch == 2 and len(two.rows) == 4
    read = [
        item
        for index in range(2)
        for row in two.draw(index, 5)[1]
        for item in row[row != IGNORED_TARGET].tolist()
    ]
    assert sorted(read) == sorted(2 * list(range(2, 9)))
    with pytest.raises(TrainingError, match="no example"):
        AnswerBatches([], batch_size=3, window=2)


@pytest.mark.parametrize("share", [-0.1, math.inf, math.nan])
def test_a_share_of_plain_stories_is_a_number_from_0(share):
    lm = gptcore.load("mini")
    with pytest.raises(TrainingError, match=r"The share of plain stories is .*must be 0 or more"):
        answer_examples(lm.tokenizer, instructions(STORIES, 3), STORIES, 256, plain_share=share)
