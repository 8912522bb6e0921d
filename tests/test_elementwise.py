"""GELU and cross-entropy in C against torch's, in both types and at every odd size."""

import platform
import shutil
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from gptcore import GPTConfig
from gptcore.native import compiling, elementwise
from tiny import make_model, random_ids

pytestmark = pytest.mark.skipif(compiling.library() is None, reason="no C compiler on this machine")
TYPES = [torch.float32, torch.bfloat16]
# Relative to the largest number: sums in another order; bfloat16 is rounded once here, and more often by torch.
ERRORS = {torch.float32: 3e-6, torch.bfloat16: 8e-3}

LEVELS = {"native": set(), "x86-64-v2": {"sse4_2"}, "x86-64-v3": {"avx2", "f16c", "fma"}, "x86-64-v4": {"avx512vl"}}
PLAIN = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}


@pytest.fixture(params=LEVELS, autouse=True)
def level(request, monkeypatch, tmp_path_factory):
    """Every test runs with the vectors of every kind of processor that this one includes."""
    if request.param == "native":
        yield request.param
        return
    if platform.machine() != "x86_64" or not LEVELS[request.param] <= set(Path("/proc/cpuinfo").read_text().split()):
        pytest.skip(f"this processor is below {request.param}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / request.param))  # compiled once
    monkeypatch.setattr(compiling, "_NATIVE", request.param)
    compiling.library.cache_clear()
    if compiling.library() is None:
        pytest.skip(f"this compiler does not know {request.param}")
    yield request.param
    compiling.library.cache_clear()


def normal(*shape, dtype, spread=3.0, seed=1):
    return (spread * torch.randn(shape, generator=torch.Generator().manual_seed(seed))).to(dtype)


def with_slopes(function, x, slopes):
    x = x.clone().requires_grad_()
    result = function(x)
    result.backward(slopes)
    assert x.grad is not None and x.grad.dtype == x.dtype
    return result.detach().double(), x.grad.double()


def off(found, expected):
    return float((found - expected).abs().max() / expected.abs().max().clamp(min=1e-30))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1,), (15,), (16,), (17, 3), (2, 5, 63), (301, 257)])
def test_gelu_and_its_slopes_are_torchs(shape, dtype):
    x, slopes = normal(*shape, dtype=dtype), normal(*shape, dtype=dtype, seed=2)
    found = with_slopes(elementwise.gelu, x, slopes)
    expected = with_slopes(lambda x: F.gelu(x, approximate="tanh"), x, slopes)
    exact = with_slopes(lambda x: F.gelu(x, approximate="tanh"), x.double(), slopes.double())
    for ours, theirs, true in zip(found, expected, exact, strict=True):
        assert off(ours, theirs) < ERRORS[dtype]
        assert off(ours, true) < (3e-6 if dtype == torch.float32 else 4e-3)  # half of bfloat16's last bit


def test_gelu_of_what_is_no_number_and_of_strided_tensors():
    x = torch.tensor([torch.nan, torch.inf, 1e30, -1e30, 0.0])
    found = elementwise.gelu(x)
    assert found[0].isnan() and found[1:3].tolist() == x[1:3].tolist() and found[3:].abs().max() < 1e-6
    assert elementwise.gelu(x.bfloat16())[0].isnan()
    x, slopes = normal(6, 40, dtype=torch.float32).t(), normal(40, 6, dtype=torch.float32, seed=2)
    assert torch.equal(with_slopes(elementwise.gelu, x, slopes.t().contiguous().t())[1],
                       with_slopes(elementwise.gelu, x.contiguous(), slopes)[1])  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", [1, 2, 15, 16, 33, 4099])
def test_cross_entropy_and_its_slopes_are_torchs(columns, dtype):
    logits = normal(23, columns, dtype=dtype)
    targets = torch.randint(columns, (23,), generator=torch.Generator().manual_seed(3))
    targets[[0, 7]] = -100
    factor = torch.tensor(0.3)
    found = with_slopes(lambda x: elementwise.cross_entropy(x, targets), logits, factor)
    expected = with_slopes(lambda x: F.cross_entropy(x.float(), targets), logits, factor)
    assert abs(float(found[0] - expected[0])) < 2e-6 * max(1.0, float(expected[0]))
    assert off(found[1], expected[1]) < ERRORS[dtype] or float(found[1].abs().max()) < 1e-7
    assert not found[1][[0, 7]].any()


@pytest.mark.parametrize("dtype", TYPES)
def test_weights_count_some_targets_more(dtype):
    logits, targets = normal(12, 33, dtype=dtype), torch.arange(12)
    targets[4] = -100
    weights = torch.tensor([1.0, 15.0, 0.0, 2.5] * 3)

    def expected(x):
        losses = F.cross_entropy(x.float(), targets, reduction="none")
        return (losses * weights).sum() / weights[targets >= 0].sum()

    one = torch.tensor(1.0)
    found = with_slopes(lambda x: elementwise.cross_entropy(x, targets, weights), logits, one)
    by_torch = with_slopes(expected, logits, one)
    assert float(found[0]) == pytest.approx(float(by_torch[0]), rel=2e-6)
    assert off(found[1], by_torch[1]) < ERRORS[dtype] and not found[1][[2, 4]].any()


def test_cross_entropy_of_logits_that_are_none_far_apart_or_unwanted():
    logits = normal(4, 40, dtype=torch.float32)
    logits[1, 17], logits[2, 3], logits[3, 5] = torch.nan, 1e4, -1e4
    losses = [float(elementwise.cross_entropy(row[None], torch.tensor([5]))) for row in logits]
    assert losses[0] == pytest.approx(float(F.cross_entropy(logits[:1], torch.tensor([5]))), rel=1e-6)
    assert losses[1] != losses[1] and losses[2] == pytest.approx(1e4, rel=1e-2) and losses[3] > 1e4
    with pytest.raises(IndexError, match="Target 40 is out of bounds"):
        elementwise.cross_entropy(logits, torch.tensor([1, 2, 40, 3]))
    none = elementwise.cross_entropy(logits, torch.full((4,), -100))
    assert none.isnan() and F.cross_entropy(logits, torch.full((4,), -100)).isnan()


def test_torchs_default_type_changes_nothing():
    logits, targets = normal(5, 20, dtype=torch.float32), torch.arange(5)
    expected = elementwise.cross_entropy(logits, targets)
    before = torch.get_default_dtype()
    elementwise.c_is_faster.cache_clear()
    try:
        torch.set_default_dtype(torch.float64)
        assert torch.equal(elementwise.cross_entropy(logits, targets), expected)
        assert isinstance(elementwise.c_is_faster(), bool)
    finally:
        torch.set_default_dtype(before)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_number_of_threads_changes_nothing(dtype):
    x, logits = normal(130, 77, dtype=dtype), normal(50, 77, dtype=dtype)
    targets, before, found = torch.arange(50), torch.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append((elementwise.gelu(x), elementwise.cross_entropy(logits, targets)))
    finally:
        torch.set_num_threads(before)
    assert elementwise._torch_threads() or not torch.backends.openmp.is_available()
    assert all(torch.equal(a, found[0][0]) and a.dtype == dtype and torch.equal(b, found[0][1]) for a, b in found)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_model_in_training_computes_the_same_with_it_and_without(precision, monkeypatch):
    model = make_model(GPTConfig(vocab_size=97, n_positions=24, n_embd=32, n_layer=2, n_head=2, **PLAIN)).train()
    ids, calls = random_ids(model.config, 3, 25), []
    run = elementwise._run
    monkeypatch.setattr(elementwise, "_run", lambda name, *a, **k: (calls.append(name), run(name, *a, **k)))
    results = []
    for in_c in (False, True):
        monkeypatch.setattr(elementwise, "c_is_faster", lambda faster=in_c: faster)
        model.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            loss = model(ids[:, :-1], ids[:, 1:]).loss
        loss.backward()
        results.append((loss.detach(), [parameter.grad.clone() for parameter in model.parameters()]))
        assert sorted(calls) == (["cross_entropy", "gelu", "gelu", "gelu_slopes", "gelu_slopes"] if in_c else [])
    (loss, slopes), (loss_in_c, slopes_in_c) = results
    assert float(loss_in_c) == pytest.approx(float(loss), rel=1e-6 if precision == "fp32" else 2e-3)
    for a, b in zip(slopes_in_c, slopes, strict=True):
        assert off(a.double(), b.double()) < (1e-4 if precision == "fp32" else 5e-2)
    calls.clear()
    model.eval()(ids[:, :-1], ids[:, 1:])
    assert not calls  # what is only read has torch's numbers


def test_without_a_library_torch_computes(monkeypatch):
    compiling.library.cache_clear()
    try:
        monkeypatch.setattr(shutil, "which", lambda _: None)
        monkeypatch.setattr(compiling, "_built_in", lambda: None)
        assert not elementwise.computes(torch.ones(3))
    finally:
        compiling.library.cache_clear()
    assert not elementwise.computes(torch.ones(3, dtype=torch.float64))
