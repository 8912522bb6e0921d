"""Linear layers: both libraries give one result, forward and backward."""

from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F

from gptcore import linear
from gptcore.linear import Linear

SHAPES = [((300, 128), 384), ((2, 70, 224), 896), ((1, 200, 512), 64), ((64, 768), 2048)]
# Sums of up to 2,048 products in another order, of numbers about 1: 1e-6 of the largest, with some
# room.
TOLERANCE = 5e-6


@pytest.fixture
def onednn(monkeypatch):
    """oneDNN's product, whichever is faster here."""
    try:
        linear.onednn_product(torch.ones(2, 3), torch.ones(4, 3), None)
    except (RuntimeError, AttributeError):
        pytest.skip("this build of torch has no oneDNN product")
    used = []

    def counted(x, weight, bias):
        used.append(x.shape)
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")

    monkeypatch.setattr(linear, "onednn_is_faster", lambda: True)
    monkeypatch.setattr(linear, "onednn_product", counted)
    return used


def _layer(n_in: int, n_out: int, *, bias: bool = True) -> tuple[Linear, Linear]:
    generator = torch.Generator().manual_seed(n_in)
    layer = Linear(n_in, n_out, bias=bias)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    twin = Linear(n_in, n_out, bias=bias)
    twin.load_state_dict(layer.state_dict())
    return layer, twin


def _close(found: torch.Tensor, wanted: torch.Tensor) -> None:
    assert found.shape == wanted.shape
    assert float((found - wanted).detach().abs().max()) <= TOLERANCE * float(
        wanted.detach().abs().max()
    )


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("shape", "n_out"), SHAPES)
def test_onednn_gives_the_product_where_nothing_is_learned(onednn, shape, n_out, bias):
    layer, _ = _layer(shape[-1], n_out, bias=bias)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    assert layer(x).requires_grad and not onednn
    with torch.inference_mode():
        _close(layer(x), F.linear(x, layer.weight, layer.bias))
    layer.requires_grad_(False)
    _close(layer(x), F.linear(x, layer.weight, layer.bias))
    assert layer(x.requires_grad_()).requires_grad and len(onednn) == 2


def test_small_products_other_formats_and_autocast_stay_with_torch(onednn):
    layer, twin = _layer(128, 384)
    layer.requires_grad_(False)
    layer(torch.randn(8, 128))  # too small to be worth it
    twin.requires_grad_(False).bfloat16()(torch.randn(300, 128).bfloat16())
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(torch.randn(300, 128)).dtype == torch.bfloat16
    assert not onednn


@pytest.mark.parametrize(("fastest", "is_faster"), [(0.84, True), (0.86, False)])
def test_the_faster_product_is_that_of_the_best_rounds(monkeypatch, fastest, is_faster):
    # of each library one round is undisturbed, of the default one the second
    seconds = [9.0, fastest, 1.0, *[9.0] * (2 * linear._TRIAL_ROUNDS - 3)]
    times = (time for one in seconds for time in (0.0, one))
    monkeypatch.setattr(linear, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    monkeypatch.setattr(linear, "onednn_product", lambda *_: None)
    linear.onednn_is_faster.cache_clear()
    try:
        assert linear.onednn_is_faster() is is_faster
    finally:
        linear.onednn_is_faster.cache_clear()


def test_a_build_without_it_multiplies_as_ever(monkeypatch):
    def missing(*_):
        raise AttributeError("no such operation")

    monkeypatch.setattr(linear, "onednn_product", missing)
    linear.onednn_is_faster.cache_clear()
    try:
        assert not linear.onednn_is_faster()
        layer, _ = _layer(128, 384)
        x = torch.randn(300, 128)
        _close(layer(x), F.linear(x, layer.weight, layer.bias))
    finally:
        linear.onednn_is_faster.cache_clear()
