"""The decode step in C against torch's, and the machine without a compiler."""

import os
import platform
import shutil
from pathlib import Path

import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.inference import packed
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.native import LARGEST_HALF, native_weights, quantised
from gptcore.inference.packed import native_format, packed_weights
from gptcore.kv_cache import RaggedKVCache
from gptcore.native import compiling as lib
from helpers import until
from tiny import SMALL, make_model, random_ids

SHAPE = {"vocab_size": 97, "n_positions": 40, "n_embd": 36, "n_layer": 3, "n_head": 3}
SHAPES = [
    {},
    {"norm_position": "post"},
    {"activation_function": "gelu"},
    {"activation_function": "relu", "n_inner": 50},
    {"use_mlp": False, "tie_word_embeddings": False},
    {"use_positions": False, "attention_bias": False},
    {"n_embd": 6, "n_head": 2, "vocab_size": 5},
    {"n_embd": 80, "n_head": 1, "n_layer": 1},
]
# Relative errors of the logits: sums in another order; weights rounded to 11 and 16 bits.
ERRORS = {"fp32": 1e-5, "fp16": 2e-3, "int16": 1e-4}

needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("cc", "gcc", "clang")),
    reason="no C compiler on this machine",
)


@pytest.fixture
def fresh(monkeypatch):
    """The library is looked for anew, before the test and after it."""
    lib.library.cache_clear()
    yield monkeypatch
    lib.library.cache_clear()


def torch_only(monkeypatch):
    monkeypatch.setattr(packed, "native_weights", lambda *_: None)


def compared(model, weight_format, *, n_rows, threads, monkeypatch, n_steps=6):
    """The largest relative error of steps in C, for rows of different lengths."""
    torch_only(monkeypatch)
    reference = DecodeEngine(model, precision="exact")
    cache = RaggedKVCache(model.config)
    ids = random_ids(model.config, n_rows, 12 + n_steps)
    for row in range(n_rows):
        reference.cache.add()
        cache.add()
        reference.read(row, ids[row, : 12 - row % 5].tolist())
    cache.data.copy_(reference.cache.data)
    cache.lengths[:] = reference.cache.lengths
    native = native_weights(model, weight_format)
    errors = []
    for step in range(n_steps):
        tokens = ids[:, 12 + step]
        expected = reference.step(tokens.tolist())
        found = native.step(tokens, cache, threads)
        errors.append(float((found - expected).norm() / expected.norm()))
    assert cache.lengths == reference.cache.lengths
    return max(errors)


@needs_compiler
@pytest.mark.parametrize(
    ("weight_format", "changes"),
    [("fp32", changes) for changes in SHAPES]
    + [(narrow, changes) for narrow in ("fp16", "int16") for changes in (SHAPES[0], *SHAPES[-2:])],
    ids=str,
)
def test_steps_in_c_agree_with_torch_in_any_shape(weight_format, changes, monkeypatch):
    model = make_model(GPTConfig(**{**SHAPE, **changes}))
    for n_rows, threads in ((1, 1), (3, 2), (6, 3), (11, 2), (19, 3)):
        error = compared(
            model, weight_format, n_rows=n_rows, threads=threads, monkeypatch=monkeypatch
        )
        assert error < ERRORS[weight_format], (n_rows, threads)


LEVELS = {
    "x86-64-v2": {"sse4_2"},
    "x86-64-v3": {"avx2", "f16c", "fma"},
    "x86-64-v4": {"avx512f", "avx512vl"},
}


@needs_compiler
@pytest.mark.skipif(platform.machine() != "x86_64", reason="levels of x86-64")
@pytest.mark.parametrize("level", LEVELS)
def test_steps_in_c_agree_with_torch_whatever_vectors_the_cpu_has(level, fresh, tmp_path):
    if not LEVELS[level] <= set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split()):
        pytest.skip(f"this processor is below {level}")
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path))
    fresh.setattr(lib, "_NATIVE", level)
    if lib.library() is None:
        pytest.skip(f"this compiler does not know {level}")
    model = make_model(GPTConfig(**SHAPE))
    for weight_format, allowed in ERRORS.items():
        if weight_format == "fp16" and level == "x86-64-v2":
            assert native_weights(model, weight_format) is None  # has no instruction for it
            continue
        for n_rows in (2, 4, 8, 17):
            assert (
                compared(model, weight_format, n_rows=n_rows, threads=2, monkeypatch=fresh)
                < allowed
            )


@needs_compiler
def test_the_mini_reads_its_16_bits_without_loss_and_writes_the_same_text(monkeypatch):
    model = gptcore.load("mini").model
    assert native_format(model, "exact") == native_format(model, "fast") == "fp16"
    assert (
        packed_weights(model, "exact").kernel
        == packed_weights(model, "fast").kernel
        == "native-fp16"
    )
    assert compared(model, "fp16", n_rows=3, threads=2, monkeypatch=monkeypatch) < 1e-5
    assert native_format(make_model(GPTConfig(**SHAPE)), "exact") == "fp32"
    assert native_format(make_model(GPTConfig(**SHAPE)), "fast") == "int16"
    prompt = random_ids(model.config, model.config.n_positions - 6).tolist()
    texts = []
    for offered in (native_weights, lambda *_: None):
        monkeypatch.setattr(packed, "native_weights", offered)
        packed._PACKED.clear()
        tokens = gptcore.generate(model, prompt, max_new_tokens=40, temperature=0)
        texts.append([token.id for token in tokens])
    packed._PACKED.clear()
    assert texts[0] == texts[1] and len(texts[0]) == 40  # past the window


@pytest.mark.parametrize("how", ["switched off", "no compiler", "it fails", "nowhere to write"])
def test_without_a_compiler_torch_writes_the_same(how, fresh, tmp_path):
    model = make_model(GPTConfig(**SHAPE))
    expected = [
        token.id for token in gptcore.generate(model, [1, 2], max_new_tokens=20, temperature=0)
    ]
    packed._PACKED.clear()
    lib.library.cache_clear()
    if how == "switched off":
        fresh.setenv(lib.OFF, "0")
    elif how == "no compiler":
        fresh.setattr(lib.shutil, "which", lambda _: None)
    else:
        broken = tmp_path / "cc"
        broken.write_text(
            '#!/bin/sh\nif [ "$1" = --version ]; then echo broken; else exit 1; fi\n',
            encoding="utf-8",
        )
        broken.chmod(0o755)
        fresh.setattr(lib.shutil, "which", lambda _: str(broken))
        fresh.setenv("XDG_CACHE_HOME", str(tmp_path if how == "it fails" else broken / "no folder"))
    assert lib.library() is None and native_weights(model, "fp32") is None
    found = [
        token.id for token in gptcore.generate(model, [1, 2], max_new_tokens=20, temperature=0)
    ]
    assert found == expected
    packed._PACKED.clear()


@needs_compiler
def test_it_is_compiled_once_for_each_source_and_a_damaged_file_is_replaced(fresh, tmp_path):
    compiler = next(found for name in ("cc", "gcc", "clang") if (found := shutil.which(name)))
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = lib.cached_file(compiler)
    file.parent.mkdir()
    file.write_bytes(b"no library")
    assert lib.library() is not None and file.stat().st_size > 1000
    made = file.stat().st_mtime_ns
    lib.library.cache_clear()
    assert lib.library() is not None and file.stat().st_mtime_ns == made
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name, f"{file.name}.sha256"]
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:100], b"", whole[:-1] + b"x"):
        file.unlink()  # this process has the one before mapped
        file.write_bytes(damaged)  # cut short by a full disk: a call would end the process
        lib.library.cache_clear()
        assert lib.library() is not None and len(file.read_bytes()) == len(whole)
    lib.library.cache_clear()
    (tmp_path / "other.c").write_text("int x;", encoding="utf-8")
    fresh.setattr(lib, "_FOLDER", tmp_path)
    alone = lib.cached_file(compiler).name
    (tmp_path / "included.h").write_text("int y;", encoding="utf-8")
    assert len({file.name, alone, lib.cached_file(compiler).name}) == 3
    assert lib.library() is None  # compiles, and holds no step


@needs_compiler
def test_without_a_cache_folder_it_is_compiled_for_this_process_alone(fresh, tmp_path):
    fresh.setenv("XDG_CACHE_HOME", str(tmp_path))
    access = os.access
    fresh.setattr(
        lib.os, "access", lambda path, *how: path != tmp_path / "gptcore" and access(path, *how)
    )
    fresh.setattr(lib.tempfile, "mkdtemp", lambda prefix: str(tmp_path / prefix))
    (tmp_path / "gptcore-").mkdir()
    at_exit = []
    fresh.setattr(lib.atexit, "register", lambda *given, **how: at_exit.append((given, how)))
    assert lib.library() is not None and any((tmp_path / "gptcore-").iterdir())
    [((remove, *given), how)] = at_exit
    for _ in range(2):  # somebody else may have tidied up
        remove(*given, **how)
        assert not (tmp_path / "gptcore-").exists()


def test_whatever_weight_is_changed_in_place_is_read_anew():
    model = make_model(SMALL)
    for name, parameter in model.named_parameters():
        before = packed_weights(model, "exact")
        assert packed_weights(model, "exact") is before
        with torch.no_grad():
            parameter.mul_(2)
        assert packed_weights(model, "exact") is not before, name


def test_weights_that_do_not_fit_are_left_to_torch():
    model = make_model(GPTConfig(**SHAPE))
    with torch.no_grad():
        model.blocks[0].mlp.c_fc.weight[0, 0] = -LARGEST_HALF
    assert native_weights(model, "fp16") is None
    with torch.no_grad():
        model.blocks[0].mlp.c_fc.weight[0, 0] = torch.nan
    assert native_weights(model, "fp32") is None
    assert native_weights(model.double(), "fp32") is None


def test_rows_are_rounded_by_their_own_scale():
    weight = (
        torch.randn(20, 30, generator=torch.Generator().manual_seed(1))
        * torch.logspace(-6, 3, 20)[:, None]
    )
    found, scale = quantised(weight, "int16")
    off = (found.float() * scale[:, None] - weight).abs().amax(1)
    assert bool((off <= 0.51 * weight.abs().amax(1) / 32_767).all())
    zeros, scale = quantised(torch.zeros(2, 3), "int16")
    assert torch.equal(zeros.float() * scale[:, None], torch.zeros(2, 3))
    assert (
        quantised(weight, "fp32")[1] is None and quantised(weight, "fp16")[0].dtype == torch.float16
    )


@needs_compiler
@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="the states of threads are not told here"
)
def test_its_threads_sleep_between_steps():
    model = make_model(GPTConfig(**SHAPE))
    native = native_weights(model, "fp32")
    cache = RaggedKVCache(model.config)
    cache.add()
    native.step(torch.tensor([1]), cache, 3)

    def states() -> list[str]:
        stats = [
            (path / "stat").read_text(encoding="utf-8")
            for path in Path("/proc/self/task").iterdir()
        ]
        return [stat.rpartition(")")[2].split()[0] for stat in stats]

    # This one runs, and torch's own spin for some milliseconds.
    until(lambda: len(states()) >= 3 and states().count("R") == 1)
