import math

import pytest
import torch

from gptcore import GPTConfig, load
from gptcore.analysis import HeadScores, head_scores, heads, repeated_token_scores
from tiny import make_model


def test_scores_of_textbook_heads_are_one_for_their_role_alone():
    ids = [5, 6, 7, 8, 5, 6, 7, 8]
    maps = {
        name: torch.zeros(8, 8) for name in ("previous", "first", "self", "duplicate", "induction")
    }
    for reader in range(8):
        maps["previous"][reader, max(0, reader - 1)] = 1
        maps["first"][reader, 0] = 1
        maps["self"][reader, reader] = 1
        maps["duplicate"][reader, max(0, reader - 4)] = 1
        maps["induction"][reader, max(0, reader - 3)] = 1
    scores = head_scores([torch.stack(list(maps.values()))], ids)
    assert [scores.role(0, head) for head in range(5)] == list(maps)
    # The reader whose earlier self is the first token has no target, and does not count.
    assert scores.previous[0, 0] == scores.first[0, 1] == scores.itself[0, 2] == 1
    assert scores.duplicate[0, 3] == scores.induction[0, 4] == 1
    assert float(scores.induction[0, 0]) == 0 and float(scores.previous[0, 4]) == 0
    assert float(scores.distance[0, 0]) == 1 and float(scores.entropy[0].abs().max()) == 0


def test_a_role_begins_at_its_threshold_and_stands_out_from_chance_by_its_factor():
    def scored(value):
        of = torch.tensor([[value]])
        none = torch.zeros(1, 1)
        return HeadScores(of, none, none, none, none, none, none)

    # numbers that 32 bits hold exactly
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(heads, "ROLE_THRESHOLD", 0.5)
        assert [scored(value).role(0, 0) for value in (0.5, 0.4999)] == ["previous", "mixed"]
        chance = scored(0.375)
        assert [scored(value).role(0, 0, chance) for value in (0.75, 0.7499)] == [
            "previous",
            "mixed",
        ]


def test_uniform_attention_has_no_role_and_the_entropy_of_its_rows():
    maps = torch.ones(16, 16).tril()
    scores = head_scores([(maps / maps.sum(-1, keepdim=True))[None]], list(range(16)))
    assert scores.role(0, 0) == "mixed"
    assert float(scores.entropy[0, 0]) == pytest.approx(
        sum(math.log2(n) for n in range(2, 17)) / 15, rel=1e-5
    )
    assert torch.isnan(scores.duplicate).all() and torch.isnan(scores.induction).all()


def test_a_single_token_has_no_scores_and_fails_nothing():
    scores = head_scores([torch.ones(2, 1, 1)], [3])
    assert torch.isnan(scores.previous).all() and scores.role(0, 1) == "mixed"


@pytest.mark.parametrize(("vocab_size", "n_positions"), [(3, 64), (61, 4), (2, 3), (1, 8)])
def test_the_smallest_models_are_scored_or_said_to_be_too_small(vocab_size, n_positions):
    model = make_model(
        GPTConfig(vocab_size=vocab_size, n_positions=n_positions, n_embd=8, n_layer=1, n_head=2)
    )
    assert repeated_token_scores(model).induction.shape == (1, 2)


def test_the_scorer_finds_the_induction_heads_of_a_two_layer_model_and_none_in_its_first_layer():
    two = repeated_token_scores(load("induction").model)
    roles = [[two.role(layer, head) for head in range(4)] for layer in range(2)]
    assert float(two.induction[1].max()) > 0.7 and "induction" in roles[1]
    # Only a second layer can use what a previous-token head of the first has written.
    assert float(two.induction[0].max()) < 0.2 and "induction" not in roles[0]
    assert float(two.previous[0].max()) > 3 * float(two.previous[1].max())
