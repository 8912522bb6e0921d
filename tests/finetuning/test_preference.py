"""DPO against a loss and a gradient by hand, the rule, and pairs of a model's own answers."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

import gptcore
from gptcore.errors import TrainingError
from gptcore.finetuning.answering import Answer, Verdict, answering, answers, holds, judge
from gptcore.finetuning.instruction import USER, Instruction, Message, chat_prompt
from gptcore.finetuning.preference import (
    DirectPreference,
    PreferenceBatches,
    PreferencePair,
    dpo_loss,
    pairs_of,
    preference_config,
    preference_pair,
    write_pairs,
)
from gptcore.finetuning.supervised import AnswerExample, padded_answers
from gptcore.training import StepEvent, Trainer
from gptcore.weights.hf_format import clone
from tiny import make_language_model, make_model

CONFIG = gptcore.GPTConfig(vocab_size=30, n_positions=16, n_embd=16, n_layer=2, n_head=2)
PAIRS = [
    PreferencePair(AnswerExample((1, 2), (3, 4, 5)), AnswerExample((1, 2), (6, 7))),
    PreferencePair(AnswerExample((8,), (9, 10)), AnswerExample((8,), (11, 12, 13, 14))),
]


def logprob(model, item):
    rows = model(torch.tensor([[*item.prompt, *item.answer]])).logits[0].log_softmax(-1)
    return sum(rows[len(item.prompt) - 1 + i, token] for i, token in enumerate(item.answer))


def batch(pairs):
    return padded_answers([*(pair.better for pair in pairs), *(pair.worse for pair in pairs)])


def test_dpo_and_its_gradient_are_those_counted_by_hand_on_two_sequences():
    """Rafailov et al. 2023, equation 7 and the gradient below it."""
    model = make_model(CONFIG, seed=1)
    before = make_model(CONFIG, seed=2)
    beta = 0.3
    pair = PAIRS[0]
    better = logprob(model, pair.better)
    worse = logprob(model, pair.worse)
    with torch.no_grad():
        margin = (better - logprob(before, pair.better)) - (worse - logprob(before, pair.worse))
    expected = math.log(1 + math.exp(-beta * float(margin)))
    objective = DirectPreference(before, beta=beta, own_weight=0.0)
    inputs, targets = batch([pair])
    loss = objective(model, inputs, targets).loss
    assert float(loss) == pytest.approx(expected, abs=1e-5)
    loss.backward()
    found = {name: value.grad.clone() for name, value in model.named_parameters()}
    model.zero_grad()
    # sigmoid of the reward's difference the wrong way round
    wrong = 1 / (1 + math.exp(beta * float(margin)))
    (-beta * wrong * (better - worse)).backward()
    for name, value in model.named_parameters():
        torch.testing.assert_close(found[name], value.grad, atol=1e-5, rtol=1e-3, msg=name)


def test_a_model_that_has_not_moved_has_a_loss_of_ln_2_and_its_own_loss_beside_it():
    model = make_model(CONFIG)
    inputs, targets = batch(PAIRS)
    alone = DirectPreference(clone(model), own_weight=0.0)(model, inputs, targets)
    assert float(alone.loss) == pytest.approx(math.log(2), abs=1e-6)
    both = DirectPreference(clone(model), own_weight=0.5)(model, inputs, targets)
    own = F.cross_entropy(
        model(inputs[:2]).logits.flatten(0, 1), targets[:2].flatten(), ignore_index=-100
    )
    assert float(both.loss) == pytest.approx(math.log(2) + 0.5 * float(own), abs=1e-5)
    assert [float(term) for term in both.terms] == pytest.approx(
        [math.log(2), float(own)], abs=1e-5
    )
    assert DirectPreference(clone(model)).score(model, PAIRS) == pytest.approx(
        (math.log(2), 0.5), abs=1e-6
    )
    zero = torch.zeros(3)
    assert float(dpo_loss(zero, zero, zero, zero)) == pytest.approx(math.log(2))


def test_plain_rows_are_drawn_beside_the_pairs_and_cost_what_two_teachers_say_by_hand():
    model, before, *teachers = (make_model(CONFIG, seed=seed) for seed in range(4))
    plain = [AnswerExample((29,), tuple(range(first, first + 12))) for first in (1, 5, 9)]
    data = PreferenceBatches(PAIRS, batch_size=1, plain=plain, n_plain=2)
    inputs, targets = data.draw(0, seed=3)
    assert inputs.shape == (4, 12) and inputs[2:, 0].tolist() == [29, 29]
    assert torch.equal(data.draw(0, seed=3)[0], inputs) and data.updates_per_epoch == 2
    pairs = PreferenceBatches(PAIRS, batch_size=1).draw(0, seed=3)
    alone = DirectPreference(before)(model, *pairs).loss
    found = DirectPreference(before, n_plain=2, teachers=teachers, plain_weight=0.5)(
        model, inputs, targets
    )
    expected = sum(teacher(inputs[2:]).logits.softmax(-1) for teacher in teachers) / 2  # [2, 12, V]
    by_hand = -(expected * model(inputs[2:]).logits.log_softmax(-1)).sum(-1).mean()
    torch.testing.assert_close(found.terms[2], by_hand, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found.loss, alone + 0.5 * by_hand, atol=1e-5, rtol=1e-5)
    # the reference is the teacher: its entropy
    unmoved = DirectPreference(model, n_plain=2)(model, inputs, targets)
    own = model(inputs[2:]).logits
    entropy = -(own.softmax(-1) * own.log_softmax(-1)).sum(-1).mean()
    expected = DirectPreference(model)(model, *pairs).loss + entropy
    torch.testing.assert_close(unmoved.loss, expected, atol=1e-5, rtol=1e-5)
    with pytest.raises(TrainingError, match="no plain text"):
        PreferenceBatches(PAIRS, batch_size=1, n_plain=2)


def test_training_on_pairs_makes_the_better_answers_likelier_than_the_worse():
    model = make_model(CONFIG).requires_grad_(True)
    before = clone(model)

    def margin(item):
        return sum(float(logprob(item, pair.better) - logprob(item, pair.worse)) for pair in PAIRS)

    was = margin(model)
    data = PreferenceBatches(PAIRS, batch_size=2)
    config = preference_config(max_steps=40, learning_rate=3e-3)
    trainer = Trainer(model, config, data, objective=DirectPreference(before))
    losses = [event.loss for event in trainer.events() if isinstance(event, StepEvent)]
    assert losses[-1] < losses[0] and margin(model) > was + 5


def test_the_rule_reads_words_ends_and_repetitions():
    told = judge(
        "The balls rolled into the rain. I am sorry!", ("ball", "rain", "sorry"), ended=True
    )
    assert (told.used, told.ends, told.repeated, told.n_words) == (1.0, True, 0.0, 9)
    assert judge("A ballad.", ("ball",), ended=True).used == 0.0
    assert (
        not judge("It was and", (), ended=True).ends and not judge("It was.", (), ended=False).ends
    )
    assert judge("the red dog ran the red dog ran", (), ended=True).repeated == pytest.approx(1 / 5)
    assert holds("Jumping", "jump") and not holds("Jumper", "jump")
    long = "word " * 30
    assert (
        judge(long + "cat.", ("cat",), ended=True).score
        > judge(long + "dog.", ("cat",), ended=True).score
    )


def test_the_score_of_a_judgement_is_counted_by_hand():
    told = Verdict(used=0.5, ends=True, repeated=0.25, n_words=25)
    assert told.score == 6 * 0.5 + 1 - 4 * 0.25
    assert replace(told, n_words=24).score == told.score - 1
    assert replace(told, ends=False).score == told.score - 1


def test_the_best_and_the_worst_answer_make_a_pair_and_like_ones_none():
    lm = gptcore.load("mini")
    one = Instruction(
        "Write a story with the words: cat, hat, bed.", "", "words", ("cat", "hat", "bed")
    )
    ids = {
        text: tuple(lm.tokenizer.encode(text))
        for text in ("A cat, a hat, a bed.", "A dog.", "A cow.")
    }
    written = [Answer(text, tokens, True) for text, tokens in ids.items()]
    (pair,) = pairs_of(lm, one, written)
    end = lm.tokenizer.end_id
    assert pair.better.answer == (*ids["A cat, a hat, a bed."], end) and pair.worse.answer == (
        *ids["A dog."],
        end,
    )
    assert pair.better.prompt == pair.worse.prompt
    assert pairs_of(lm, one, written[1:]) == [] == pairs_of(lm, one, written[:1])
    assert preference_pair(lm, "Hi", written[0], Answer("", (), True)) is None
    with pytest.raises(TrainingError, match="no pair"):
        PreferenceBatches([], batch_size=4)


def test_several_pairs_of_the_same_answers_go_from_the_ends_to_the_middle():
    lm = gptcore.load("mini")
    words = ("cat", "dog", "sun")
    one = Instruction("Write a story with the words: cat, dog, sun.", "", "words", words)
    texts = (
        "The cat.",
        "The cat and the dog.",
        "Nothing.",
        "The cat, the dog and the sun.",
        "A bird.",
    )
    written = [Answer(text, tuple(lm.tokenizer.encode(f" {text}")), True) for text in texts]
    found = pairs_of(lm, one, written, most=5)
    decode = lm.tokenizer.decode
    assert [decode(pair.better.answer) for pair in found] == [
        f" {texts[n]}<|endoftext|>" for n in (3, 1)
    ]
    assert {decode(pair.worse.answer) for pair in found} == {
        f" {texts[n]}<|endoftext|>" for n in (2, 4)
    }
    assert len(pairs_of(lm, one, written)) == 1 and pairs_of(lm, one, written[:1], most=3) == []


def test_a_model_answers_many_prompts_at_once_as_it_answers_each_alone():
    lm = gptcore.load("mini")
    prompts = ["Tell me a story about a cat.", "Hello!", "Go on: The sun was warm."]
    together = dict(answers(lm, prompts, max_new_tokens=6, seed=5))
    assert set(together) == {0, 1, 2}
    for index, prompt in enumerate(prompts):
        ((_, alone),) = answers(lm, [prompt], max_new_tokens=6, seed=5 + index)
        assert alone == together[index]
    steps = [found is None for found in answering(lm, prompts, max_new_tokens=6, seed=5)]
    assert sum(steps) >= 5  # the first step gives two tokens


def test_an_answer_ends_at_its_limit_or_with_the_window():
    lm = make_language_model()  # a window of 32 tokens
    n_read = len(lm.tokenizer.encode(chat_prompt([Message(USER, "the cat")])))
    assert 4 < n_read < 26
    for most, room in ((5, 5), (100, 32 - n_read)):
        found = [answer for _, answer in answers(lm, ["the cat"] * 3, max_new_tokens=most)]
        lengths = [len(answer.ids) for answer in found if not answer.ended]
        assert lengths and set(lengths) == {room}
    # the end of a long one is read, with room for a short answer
    found = [answer for _, answer in answers(lm, ["the cat " * 40] * 3, max_new_tokens=100)]
    assert {len(answer.ids) for answer in found if not answer.ended} == {8}


def test_pairs_are_written_for_one_instruction_after_the_other():
    lm = gptcore.load("mini")
    asked = [
        Instruction(f"Write a story with the words: {word}.", "", "words", (word,))
        for word in ("cat", "hat")
    ]
    told = list(write_pairs(lm, asked, n_each=3, n_pairs=1, max_new_tokens=8, seed=2))
    counts = [n_answered for n_answered, _ in told]
    assert counts == sorted(counts) and len(told) >= 7  # the first step gives two tokens
    _, pairs = told[-1]
    begun = {lm.tokenizer.decode(list(pair.better.prompt)) for pair in pairs}
    assert begun <= {f"User: {item.prompt}\nAssistant:" for item in asked}
