"""Fine-tuning: the paper's inputs, the two losses, and a classifier that learns."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from gptcore import GPT, GPTConfig
from gptcore.errors import ContextLengthError, TrainingError
from gptcore.finetuning import (
    EncodedExample,
    LabelledBatches,
    SpecialTokens,
    TaskClassifier,
    classification,
    entailment,
    evaluate_classifier,
    multiple_choice,
    similarity,
)
from gptcore.finetuning.classification import padded
from gptcore.training import EvalEvent, Trainer, TrainingConfig
from tiny import NO_DROPOUT

SHAPE = GPTConfig(vocab_size=20, n_positions=24, n_embd=32, n_layer=2, n_head=4, **NO_DROPOUT)
TOKENS = SpecialTokens.after(20)
S = TOKENS.start
D = TOKENS.delimiter
E = TOKENS.extract
IN = {"tokens": TOKENS, "window": 24}


def body() -> GPT:
    torch.manual_seed(0)
    return GPT(SHAPE)


def classifier(n_classes: int = 2, **options) -> TaskClassifier:
    return TaskClassifier(
        body(), n_classes, generator=torch.Generator().manual_seed(1), **options
    ).eval()


def test_inputs_are_those_of_the_papers_figure():
    assert classification([1, 2], 1, **IN) == EncodedExample(((S, 1, 2, E),), 1)
    assert entailment([1, 2], [3], 0, **IN) == EncodedExample(((S, 1, 2, D, 3, E),), 0)
    assert similarity([1], [2, 3], 1, **IN) == EncodedExample(
        ((S, 1, D, 2, 3, E), (S, 2, 3, D, 1, E)), 1
    )
    assert multiple_choice([1], [[2], [3, 4]], 1, **IN) == EncodedExample(
        ((S, 1, D, 2, E), (S, 1, D, 3, 4, E)), 1
    )


def test_a_long_first_text_is_cut_and_a_long_second_one_is_a_sentence():
    (sequence,) = classification(range(20), 0, tokens=TOKENS, window=8).sequences
    assert len(sequence) == 8 and sequence[0] == S and sequence[-1] == E
    (sequence,) = entailment([1] * 30, [2, 3], 0, **IN).sequences
    assert len(sequence) == 24 and sequence[-4:] == (D, 2, 3, E)
    with pytest.raises(ContextLengthError, match="30 tokens; in a window of 24"):
        entailment([1], [2] * 30, 0, **IN)
    with pytest.raises(TrainingError, match="the label is 2"):
        multiple_choice([1], [[2], [3]], 2, **IN)


def test_the_extract_token_is_read_and_not_the_last_column():
    model = classifier()
    example = classification([1, 2, 3], 0, **IN)
    alone, _ = padded([example])
    beside, _ = padded([example, classification(list(range(15)), 1, **IN)])
    assert beside.shape[-1] > alone.shape[-1]
    torch.testing.assert_close(
        model(alone).logits[0], model(beside).logits[0], atol=1e-5, rtol=1e-5
    )


def test_the_loss_is_the_papers_sum_of_two():
    examples = [classification([1, 2, 3], 0, **IN), classification([4, 5, 6, 7, 8], 1, **IN)]
    ids, labels = padded(examples)
    model = classifier()
    out = model(ids, labels)
    plain = classifier(auxiliary_weight=0.0)(ids, labels)
    expected = F.cross_entropy(out.logits, labels)
    assert float(plain.loss) == pytest.approx(float(expected), abs=1e-6)
    own = 0.0
    n = 0
    for example in examples:  # L1 by hand: every token after the first, given those before it
        row = torch.tensor(example.sequences[0])[None]
        logits = model.body(row).logits[0, :-1]
        own += float(F.cross_entropy(logits, row[0, 1:], reduction="sum"))
        n += row.shape[1] - 1
    assert float(out.loss) == pytest.approx(float(expected) + 0.5 * own / n, abs=1e-5)


def test_the_body_keeps_what_it_knew():
    before = body()
    model = classifier()
    ids = torch.tensor([[1, 2, 3]])
    torch.testing.assert_close(
        model.body(ids).logits[..., :20], before(ids).logits, atol=1e-6, rtol=1e-6
    )
    assert model.body.config.vocab_size == 23
    written = model.language_model()
    assert written.config == before.config
    torch.testing.assert_close(written(ids).logits, before(ids).logits, atol=1e-6, rtol=1e-6)


def test_the_same_generator_gives_the_same_classifier_also_with_a_head_of_its_own():
    untied = GPT(replace(SHAPE, tie_word_embeddings=False))
    made = [
        TaskClassifier(untied, 2, generator=torch.Generator().manual_seed(1)).state_dict()
        for _ in range(2)
    ]
    assert all(torch.equal(value, made[1][name]) for name, value in made[0].items())


def test_similarity_does_not_depend_on_the_order_and_answers_compete():
    model = classifier()
    one, _ = padded([similarity([1, 2], [3], 0, **IN)])
    two, _ = padded([similarity([3], [1, 2], 0, **IN)])
    torch.testing.assert_close(model(one).logits, model(two).logits, atol=1e-5, rtol=1e-5)
    choice, labels = padded([multiple_choice([1], [[2], [3], [4]], 2, **IN)])
    out = classifier(n_classes=1)(choice, labels)
    assert out.logits.shape == (1, 3) and math.isfinite(float(out.loss))


def test_a_classifier_learns_a_rule_that_needs_the_whole_text():
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(3)

    def example() -> EncodedExample:  # does token 7 occur anywhere?
        ids = torch.randint(8, 20, (9,), generator=generator).tolist()
        label = int(torch.randint(2, (), generator=generator))
        if label:
            ids[int(torch.randint(9, (), generator=generator))] = 7
        return classification(ids, label, **IN)

    train = [example() for _ in range(256)]
    test = [example() for _ in range(100)]
    model = classifier()
    data = LabelledBatches(train, batch_size=32)
    config = TrainingConfig(
        max_steps=64,
        batch_size=32,
        learning_rate=3e-3,
        warmup_steps=0,
        schedule="linear",
        eval_every=8,
    )
    trainer = Trainer(model, config, data, evaluate=lambda: evaluate_classifier(model, test))
    scores = [event.score for event in trainer.events() if isinstance(event, EvalEvent)]
    assert (
        scores[0].accuracy < 0.7 and scores[-1].accuracy > 0.95 and scores[-1].loss < scores[0].loss
    )


def test_every_example_is_drawn_once_an_epoch():
    examples = [classification([index], index % 2, **IN) for index in range(10)]
    data = LabelledBatches(examples, batch_size=4)
    seen = [int(row[0, 1]) for index in range(3) for row in data.draw(index, 0)[0]]
    assert sorted(seen) == list(range(10))
    with pytest.raises(TrainingError, match="0 examples"):
        LabelledBatches([], batch_size=4)


def test_the_first_answer_may_be_the_right_one():
    assert multiple_choice([1], [[2], [3]], 0, **IN).label == 0
    for label in (-1, 2):
        with pytest.raises(TrainingError, match=f"the label is {label}"):
            multiple_choice([1], [[2], [3]], label, **IN)
