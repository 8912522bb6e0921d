import math

import pytest
import torch

from gptcore import GPTConfig, LanguageModel
from gptcore.errors import TokenIdError
from gptcore.inference.scoring import score_documents, score_text, scoring_windows, token_logprobs
from gptcore.tokenizers import ByteBPE, CharTokenizer
from tiny import make_model, random_ids


def test_a_short_text_is_scored_in_one_pass(tiny_model):
    ids = random_ids(tiny_model.config, 20)
    expected = tiny_model(ids[None, :-1]).logits[0].log_softmax(-1).gather(1, ids[1:, None])[:, 0]
    torch.testing.assert_close(token_logprobs(tiny_model, ids), expected, atol=5e-5, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("length", [25, 26, 37, 48, 61, 100])
def test_a_long_text_gives_every_token_at_least_half_a_window_before_it(tiny_model, length):
    ids = random_ids(tiny_model.config, length)
    scored = token_logprobs(tiny_model, ids)
    assert len(scored) == length - 1 and torch.isfinite(scored).all()
    for index in range(24, length - 1, 7):
        # Some context between half a window and a whole one must explain the score.
        choices = []
        for n_context in range(12, 25):
            start = index + 1 - n_context
            logits = tiny_model(ids[None, start : index + 1]).logits[0, -1].log_softmax(-1)
            choices.append(abs(float(logits.detach()[ids[index + 1]]) - float(scored[index])))
        assert min(choices) < 1e-4


def test_perplexity_and_bits_per_byte_follow_from_the_summed_loss(tiny_model):
    ids = random_ids(tiny_model.config, 10).tolist()
    score = score_documents(tiny_model, [(ids, 40)], start_id=5)
    nats = -float(token_logprobs(tiny_model, [5, *ids]).sum())
    assert score.nats == pytest.approx(nats, rel=1e-5) and score.n_tokens == 10
    assert score.perplexity == pytest.approx(math.exp(nats / 10), rel=1e-5)
    assert score.bits_per_byte == pytest.approx(nats / math.log(2) / 40, rel=1e-5)


@pytest.mark.parametrize(
    ("length", "most", "windows"),
    [
        (2, None, [(0, 1)]),
        (20, None, [(0, 19)]),
        (25, None, [(0, 24)]),
        (48, None, [(0, 24)]),  # the rest fills no window
        (49, None, [(0, 24), (24, 24)]),
        (97, 72, [(0, 24), (24, 24), (48, 24)]),
        (97, 48, [(0, 24), (48, 24)]),  # spread evenly
        (97, 1, [(0, 24)]),
    ],
)
def test_windows_of_a_text_are_scored_each_alone(tiny_model, length, most, windows):
    ids = random_ids(tiny_model.config, length)  # the model's window is 24
    parts = [token_logprobs(tiny_model, ids[start : start + n + 1]) for start, n in windows]
    n_tokens = sum(n for _, n in windows)
    scores = []

    def scored():
        how = {"n_bytes": 10 * length, "most": most, "batch_size": 2}
        scores.append((yield from scoring_windows(tiny_model, ids.numpy(), **how)))

    list(scored())
    (score,) = scores
    assert (score.n_tokens, score.n_bytes) == (n_tokens, 10 * n_tokens)
    assert score.nats == pytest.approx(-float(torch.cat(parts).sum()), rel=1e-5)


def test_one_token_cannot_be_scored(tiny_model):
    with pytest.raises(TokenIdError, match="at least two"):
        token_logprobs(tiny_model, [1])


@pytest.mark.parametrize("length", [5, 60])
def test_a_text_is_scored_token_by_token_as_a_whole(length):
    text = ("the cat sat on the mat " * 20)[:length]
    bpe = ByteBPE.train(["the cat sat on the mat. " * 20], vocab_size=262)
    lm = LanguageModel(
        make_model(GPTConfig(vocab_size=262, n_positions=24, n_embd=32, n_layer=2, n_head=4)),
        bpe,
        "x",
    )
    head, tokens, score = score_text(lm, text)
    # the end-of-text token stands in front
    assert head == "" and "".join(t.text for t in tokens) == text
    expected = token_logprobs(lm.model, [bpe.end_id, *bpe.encode(text)])
    assert [t.logprob for t in tokens] == pytest.approx(expected.tolist(), abs=1e-4)
    assert score.nats == pytest.approx(-float(expected.sum()), rel=1e-4) and score.n_bytes == length
    assert all(t.rank == 1 for t in tokens if t.alternatives[0][0] == t.id)


def test_without_an_end_token_the_first_character_is_read_and_not_scored():
    chars = CharTokenizer("abc")
    lm = LanguageModel(
        make_model(GPTConfig(vocab_size=3, n_positions=24, n_embd=32, n_layer=1, n_head=4)),
        chars,
        "x",
    )
    head, tokens, score = score_text(lm, "abca")
    assert head == "a" and [t.text for t in tokens] == ["b", "c", "a"] and score.n_bytes == 3
    assert score_text(lm, "a")[1] == []
    with pytest.raises(TokenIdError, match="empty"):
        score_text(lm, "")
