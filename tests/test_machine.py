"""What a virtual machine says of its processor, and what may be used of it."""

import os
from types import SimpleNamespace

import pytest
import torch

from gptcore import machine
from tiny import ran

SAID = (
    "processor\t: 0\ncpuid level\t: {level}\nflags\t\t: fpu avx2 {flags}\n\nprocessor\t: "
    "1\nflags\t\t: fpu\n"
)
AMX = "avx512_bf16 amx_tile amx_bf16"


@pytest.mark.parametrize(
    ("level", "flags", "hidden"),
    [
        ("28", AMX, True),
        ("32", AMX, False),
        ("29", AMX, False),
        ("28", "avx512_bf16", False),
        ("?", AMX, False),
    ],
)
def test_tiles_are_hidden_where_amx_is_announced_and_their_sizes_are_not(level, flags, hidden):
    assert machine.has_hidden_tiles(SAID.format(level=level, flags=flags)) is hidden
    # no x86, or no such file
    assert not machine.has_hidden_tiles("Features : fp asimd\nCPU architecture: 8\n")
    assert not machine.has_hidden_tiles("")


def test_one_dnn_is_kept_from_hidden_tiles_unless_the_user_has_chosen(tmp_path, monkeypatch):
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "none")
    machine.avoid_hidden_tiles()
    assert "ONEDNN_MAX_CPU_ISA" not in os.environ
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text(SAID.format(level=28, flags=AMX), encoding="utf-8")
    machine.avoid_hidden_tiles()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX512_CORE_BF16"
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)
    assert machine.multiplies_bf16("cpu")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA")
    assert not machine.multiplies_bf16("cpu")  # a process that has not been kept from them
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    machine.avoid_hidden_tiles()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_a_product_in_bfloat16_lives_on_this_machine():
    """In a process of its own, which an illegal instruction would end."""
    code = (
        "from gptcore.machine import avoid_hidden_tiles; import torch; avoid_hidden_tiles(); "
        "a = torch.ones(64, 64, dtype=torch.bfloat16); print((a @ a).sum().item())"
    )
    said = ran("-c", code)
    assert (said.returncode, said.stdout.strip()) == (0, "262144.0"), said.stderr[-500:]


@pytest.mark.parametrize(
    ("own", "files", "quota"),
    [
        ("0::/\n", {"cpu.max": "200000 100000"}, 2.0),
        ("0::/\n", {"cpu.max": "max 100000"}, None),
        ("0::/a/b\n", {"a/cpu.max": "150000 100000", "a/b/cpu.max": "max 100000"}, 1.5),
        ("0::/a/b\n", {"a/cpu.max": "200000 100000", "a/b/cpu.max": "400000 100000"}, 2.0),
        ("0::/a/b\n", {"a/cpu.max": "200000 100000", "a/b/cpu.max": "100000 100000"}, 1.0),
        ("0::/not/here\n", {"cpu.max": "50000 100000"}, 0.5),
        ("", {"cpu.max": "50000 100000"}, None),
        (
            "4:memory:/x\n3:cpu,cpuacct:/docker/1\n",
            {
                "cpu,cpuacct/docker/1/cpu.cfs_quota_us": "300000",
                "cpu,cpuacct/docker/1/cpu.cfs_period_us": "100000",
                "cpu,cpuacct/cpu.cfs_quota_us": "-1",
            },
            3.0,
        ),
        ("1:cpu:/gone\n", {"cpu/cpu.cfs_quota_us": "-1"}, None),
        ("0::/\n", {"cpu.max": "nonsense"}, None),
    ],
)
def test_the_cpus_of_a_container_are_those_of_its_control_groups(tmp_path, own, files, quota):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    (tmp_path / "own").write_text(own, encoding="ascii")
    assert machine.cpu_quota(tmp_path, tmp_path / "own") == quota
    assert machine.cpu_quota(tmp_path, tmp_path / "nowhere") is None


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_freed_memory_is_a_matter_of_glibc_alone(monkeypatch, system):
    called = []
    glibc = SimpleNamespace(mallopt=lambda *given: called.append(given), malloc_trim=called.append)
    monkeypatch.setattr(machine.ctypes, "CDLL", lambda _: glibc)
    monkeypatch.setattr(machine.sys, "platform", system)
    machine.keep_freed_memory()
    machine.allocate_in_one_arena()
    machine.return_freed_memory()
    # the numbers of glibc's malloc.h
    wanted = [(-4, 0), (-1, 2**31 - 1), (-2, 256 * 2**20), (-8, 1), 0]
    assert called == (wanted if system == "linux" else [])


@pytest.mark.parametrize(("quota", "threads"), [(None, 2), (0.5, 1), (1.2, 2), (64.0, 2)])
def test_torch_uses_no_more_threads_than_that(monkeypatch, quota, threads):
    used = [2]
    monkeypatch.setattr(machine, "cpu_quota", lambda: quota)
    monkeypatch.setattr(torch, "get_num_threads", lambda: used[-1])
    monkeypatch.setattr(torch, "set_num_threads", used.append)
    machine.keep_to_quota()
    assert used[-1] == threads
