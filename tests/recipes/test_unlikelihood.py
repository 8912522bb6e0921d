"""Unlearning repetition: what counts as one, and that a model loses the habit."""

from statistics import fmean

import pytest
import torch

import gptcore
from gptcore import GPTConfig, LanguageModel
from gptcore.errors import TrainingError
from gptcore.finetuning.answering import judge
from gptcore.model import random_model
from gptcore.tokenizers import ByteBPE
from gptcore.training import RandomWindows, Source, Trainer, TrainingConfig
from weights.recipes.averaging import averaged, main
from weights.recipes.unlikelihood import Unlikelihood, repetitions

SHAPE = GPTConfig(vocab_size=260, n_positions=8, n_embd=8, n_layer=1, n_head=2)


def test_repetitions_are_runs_pairs_soon_again_and_doubled_words():
    words = torch.zeros(30, dtype=torch.bool)
    words[20:] = True
    rows = torch.tensor([
        [1, 2, 3, 4, 5, 1, 2, 3, 4, 9, 9, 9],  # a run of four, again
        [1, 20, 2, 1, 20, 3, 4, 5, 6, 7, 8, 0],  # "the dragon and the dragon"
        [21, 2, 21, 3, 4, 5, 6, 7, 8, 1, 0, 9],  # "sand and sand"
        [1, 22, 22, 3, 4, 5, 6, 7, 8, 1, 0, 9],  # "red red"
        [1, 20, 2, 3, 4, 5, 6, 7, 8, 1, 20, 9],  # far enough away
        [1, 2, 1, 3, 1, 2, 4, 5, 6, 7, 8, 9],  # no words of any length
    ])  # fmt: skip
    runs, doubled = repetitions(rows, words)
    assert [row.nonzero().flatten().tolist() for row in runs] == [[8], [], [], [], [], []]
    assert [row.nonzero().flatten().tolist() for row in doubled] == [[], [4], [2], [2], [], []]


@pytest.mark.slow
def test_a_model_that_repeats_itself_loses_the_habit():
    lm = gptcore.load("anthology")
    ids = lm.tokenizer.encode(
        "the cat and the dog and the cat and the dog and the cat ran home. " * 40
    )
    data = RandomWindows([Source(torch.tensor(ids).numpy())], window=64, batch_size=4)
    shares = []
    for weight in (0.0, 30.0):
        model = gptcore.load("anthology").model.requires_grad_(True)
        objective = Unlikelihood(model, lm.tokenizer, runs=weight, doubled=0.0) if weight else None
        config = TrainingConfig(
            max_steps=16, learning_rate=2e-3, warmup_steps=2, schedule="constant"
        )
        for _ in Trainer(model, config, data, objective=objective).events():
            pass
        made = gptcore.LanguageModel(model.eval(), lm.tokenizer, "again")
        writing = (
            gptcore.generate(
                made, "the cat ", max_new_tokens=56, temperature=0.8, top_k=50, seed=3 + n
            )
            for n in range(8)
        )
        texts = ["the cat " + "".join(token.text for token in tokens) for tokens in writing]
        shares.append(fmean(judge(text, (), ended=True).repeated for text in texts))
    assert shares[1] < 0.5 * shares[0]


def test_a_weight_that_is_none_is_refused():
    lm = gptcore.load("anthology")
    for runs, doubled, n_texts in ((0, 0, 1), (-1, 5, 1), (float("nan"), 1, 1), (1, 1, 0)):
        with pytest.raises(TrainingError, match="a weight above 0"):
            Unlikelihood(lm.model, lm.tokenizer, runs=runs, doubled=doubled, n_texts=n_texts)


def test_averages_lie_between_what_they_are_made_of(tmp_path, capsys):
    one, other = (random_model(SHAPE, seed) for seed in (1, 2))
    tokenizer = ByteBPE.train(["abab abab cdcd"], vocab_size=260)
    models = [LanguageModel(model, tokenizer, "m") for model in (one, other)]
    expected = {
        name: 0.25 * value + 0.75 * other.state_dict()[name]
        for name, value in one.state_dict().items()
    }
    made = averaged(models, [1, 3])
    for name, value in made.model.state_dict().items():
        torch.testing.assert_close(value, expected[name])
    with pytest.raises(TrainingError, match="give each a weight"):
        averaged(models, [0, 0])
    with pytest.raises(TrainingError, match="one above 0"):
        averaged(models, [float("inf"), 1])
    with pytest.raises(TrainingError, match="one above 0"):
        averaged([], [])
    with pytest.raises(TrainingError, match="one shape"):
        averaged([models[0], gptcore.load("induction")], [1, 1])
    assert main(["induction=1", "induction=3", "--out", str(tmp_path / "m")]) == 0
    assert gptcore.load(tmp_path / "m").tokenizer.vocab_size == 64
    assert (
        main(["induction", "--out", str(tmp_path / "n")]) == 1
        and "has no weight" in capsys.readouterr().err
    )
