"""What a virtual machine says of its processor, and what may be used of it."""

import os

import pytest

from gptcore import machine
from tiny import ran

SAID = "processor\t: 0\ncpuid level\t: {level}\nflags\t\t: fpu avx2 {flags}\n\nprocessor\t: 1\nflags\t\t: fpu\n"
AMX = "avx512_bf16 amx_tile amx_bf16"


@pytest.mark.parametrize(("level", "flags", "hidden"), [
    ("28", AMX, True), ("32", AMX, False), ("29", AMX, False), ("28", "avx512_bf16", False), ("?", AMX, False),
])  # fmt: skip
def test_tiles_are_hidden_where_amx_is_announced_and_their_sizes_are_not(level, flags, hidden):
    assert machine.has_hidden_tiles(SAID.format(level=level, flags=flags)) is hidden
    assert not machine.has_hidden_tiles("Features : fp asimd\nCPU architecture: 8\n")  # no x86, or no such file
    assert not machine.has_hidden_tiles("")


def test_one_dnn_is_kept_from_hidden_tiles_unless_the_user_has_chosen(tmp_path, monkeypatch):
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "none")
    machine.avoid_hidden_tiles()
    assert "ONEDNN_MAX_CPU_ISA" not in os.environ
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text(SAID.format(level=28, flags=AMX))
    machine.avoid_hidden_tiles()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX512_CORE_BF16"
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    machine.avoid_hidden_tiles()
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "AVX2"


def test_a_product_in_bfloat16_lives_on_this_machine():
    """In a process of its own, which an illegal instruction would end."""
    code = "import gptcore, torch; a = torch.ones(64, 64, dtype=torch.bfloat16); print((a @ a).sum().item())"
    said = ran("-c", code)
    assert (said.returncode, said.stdout.strip()) == (0, "262144.0"), said.stderr[-500:]
