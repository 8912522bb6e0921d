"""What this machine can do, and what torch must be told about it: bfloat16, hidden AMX tiles, the memory allocator."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import torch

_CPUINFO = Path("/proc/cpuinfo")  # Linux; elsewhere nothing is known, and nothing is limited
_TILE_LEAF = 0x1D  # CPUID leaf with the sizes of AMX tiles


def multiplies_bf16(device: torch.device | str) -> bool:
    """Whether a device has instructions for products of bfloat16 matrices, which halve the bytes and more."""
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported()
    # Private API: without it fp32 is assumed, which is always correct but slower where bf16 is available.
    asked = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return any(ask is not None and ask() for ask in asked)


def has_hidden_tiles(cpuinfo: str) -> bool:
    """Whether a virtual machine announces AMX and hides the CPUID leaf with the size of its tiles.

    oneDNN, which multiplies torch's bfloat16 matrices, then loads tiles of size 0 and the process dies of an illegal
    instruction. Seen in a virtual machine with "cpuid level: 28" on a processor with level 32.

    Args:
        cpuinfo: the content of /proc/cpuinfo; only the first processor counts.
    """
    fields = dict(line.split(":", 1) for line in cpuinfo.split("\n\n")[0].splitlines() if ":" in line)
    told = {name.strip(): value.strip() for name, value in fields.items()}
    level = told.get("cpuid level", "")
    return "amx_tile" in told.get("flags", "").split() and level.isdigit() and int(level) < _TILE_LEAF


def avoid_hidden_tiles() -> None:
    """Stops oneDNN from using AMX where its tiles are hidden; must be called before torch's first matrix product."""
    try:
        hidden = has_hidden_tiles(_CPUINFO.read_text())
    except OSError:
        return
    if hidden:
        os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")


def keep_freed_memory() -> None:
    """Makes glibc keep freed memory, for the whole process: every step frees and reallocates the same large tensors,
    and returning them to the system in between causes page faults each time (measured: 8.1k against 11.2k tokens/s
    for the mini). A no-op on other systems."""
    if sys.platform != "linux":
        return
    m_trim_threshold, m_top_pad, m_mmap_max = -1, -2, -4
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(m_mmap_max, 0)
        libc.mallopt(m_trim_threshold, 2**31 - 1)
        libc.mallopt(m_top_pad, 256 * 2**20)
    except (OSError, AttributeError):  # another libc: slower, not wrong
        return


def allocate_in_one_arena() -> None:
    """Makes all threads of the process allocate from one heap of glibc's, for servers with many short-lived threads.

    By default each thread has a heap of its own, up to eight times as many as there are cores, and what a crowd leaves
    behind keeps parts of all of them. Must be called before other threads allocate. A no-op on other systems.
    """
    if sys.platform != "linux":
        return
    m_arena_max = -8
    try:
        ctypes.CDLL("libc.so.6").mallopt(m_arena_max, 1)
    except (OSError, AttributeError):
        return


def return_freed_memory() -> None:
    """Returns freed memory to the system: after many short computations in many threads, glibc holds hundreds of
    megabytes of fragments. A no-op on other systems."""
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):
        return
