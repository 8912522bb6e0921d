import pytest
import torch

from gptcore.analysis import logit_lens, settled_depths
from gptcore.errors import TokenIdError
from tiny import random_ids


@torch.inference_mode()
def test_the_last_row_is_the_model_and_the_first_its_embeddings(tiny_model):
    ids = random_ids(tiny_model.config, 20)
    lens = logit_lens(tiny_model, ids.tolist())
    logits = tiny_model(ids[None]).logits[0]
    assert lens.best.shape == (4, 20)
    assert torch.equal(lens.best[-1], logits.argmax(-1)) and (lens.final_rank[-1] == 1).all()
    torch.testing.assert_close(
        lens.probability[-1], logits.softmax(-1).max(-1).values, atol=1e-5, rtol=1e-4
    )
    embedded = tiny_model.wte(ids) + tiny_model.wpe(torch.arange(20))
    guess = tiny_model.lm_head(tiny_model.ln_f(embedded)).softmax(-1)
    torch.testing.assert_close(lens.probability[0], guess.max(-1).values, atol=1e-5, rtol=1e-4)
    chosen = guess.gather(1, lens.best[-1][:, None])
    torch.testing.assert_close(lens.final_probability[0], chosen[:, 0], atol=1e-5, rtol=1e-4)
    # Two probabilities that differ by rounding alone may change places.
    assert int((lens.final_rank[0] - 1 - (guess > chosen).sum(-1)).abs().max()) <= 1


def test_positions_left_out_change_nothing_about_the_others_and_one_must_be_left(tiny_model):
    ids = random_ids(tiny_model.config, 20).tolist()
    assert torch.equal(
        logit_lens(tiny_model, ids, first=15).best, logit_lens(tiny_model, ids).best[:, 15:]
    )
    with pytest.raises(TokenIdError, match="first position is 20"):
        logit_lens(tiny_model, ids, first=20)


def test_a_token_is_settled_from_the_depth_on_at_which_it_stays_the_first_guess():
    best = torch.tensor([[1, 9, 3, 4], [9, 2, 3, 9], [1, 2, 3, 4], [1, 2, 3, 8]])
    assert settled_depths(best, [1, 2, 3, 4]) == [2, 1, 0, None]
    assert settled_depths(best[:, :0], []) == []
