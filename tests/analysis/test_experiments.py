"""The small experiments on the pieces of a GPT."""

import torch
import torch.nn.functional as F

from gptcore.analysis import experiments


def test_what_is_written_out_by_hand_is_torchs_own():
    x = torch.linspace(-6, 6, 501)
    # Sums of a few terms in 32 bits: their order alone may move the last digits.
    torch.testing.assert_close(experiments.gelu_by_hand(x), F.gelu(x, approximate="tanh"), rtol=1e-5, atol=1e-6)
    rows, weight, bias = torch.randn(5, 32, generator=torch.Generator().manual_seed(1)), x[:32], x[32:64]
    ours = experiments.layer_norm_by_hand(rows, weight, bias, 1e-5)
    torch.testing.assert_close(ours, F.layer_norm(rows, (32,), weight, bias, 1e-5), rtol=1e-4, atol=1e-5)


def test_batch_norm_depends_on_the_neighbours_and_layer_norm_does_not():
    found = experiments.two_norms()
    assert found.moved_by_batch > 0.1 and found.moved_by_layer == 0
    # Of four numbers in 32 bits; the epsilon of 1e-5 takes a little from the deviation.
    for values, dim in ((found.by_batch, 0), (found.by_layer, 1)):
        assert values.mean(dim).abs().max() < 1e-5
        assert (values.std(dim, correction=0) - 1).abs().max() < 1e-3
