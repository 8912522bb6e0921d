"""What this machine has and can do: where models compute, bfloat16, hidden AMX tiles, the memory
allocator.
"""

import ctypes
import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import torch

from gptcore.errors import DeviceError

DEVICES = ("auto", "cpu", "cuda", "mps")
CPU = torch.device("cpu")
_SIDE = 64  # of the matrix that a GPU is tried with
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")
_CPUINFO = Path("/proc/cpuinfo")  # Linux; elsewhere nothing is known, and nothing is limited
_ISA_LIMIT = "ONEDNN_MAX_CPU_ISA"  # what oneDNN may use at most
_TILE_LEAF = 0x1D  # CPUID leaf with the sizes of AMX tiles


def choose_device(wanted: str = "auto") -> torch.device:
    """The device of a name.

    Args:
        wanted: "cpu", "cuda" (NVIDIA or AMD), "mps" (Apple), or "auto": the first of CUDA and MPS
            that computes a matrix product right, else the CPU.

    Raises:
        DeviceError: no such name, or a GPU that PyTorch does not find or that does not compute
        right.
    """
    if wanted not in DEVICES:
        raise DeviceError(f"The device is {wanted!r}; choose one of {', '.join(DEVICES)}.")
    if wanted == "cpu":
        return CPU
    for name in ("cuda", "mps") if wanted == "auto" else (wanted,):
        if _found(name) and _computes_right(torch.device(name)):
            return torch.device(name)
    if wanted == "auto":
        return CPU
    why = " that computes a matrix product wrongly, or not at all" if _found(wanted) else ""
    found = f"finds {'a' if why else 'no'} {wanted.upper()} device here{why}"
    raise DeviceError(
        f"PyTorch {torch.__version__} {found}. Leave --device out to use the processor."
    )


def device_name(device: torch.device) -> str:
    """Returns the display name of a device: "NVIDIA H200", "the processor"."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "the Apple GPU" if device.type == "mps" else "the processor"


def _found(name: str) -> bool:
    return torch.cuda.is_available() if name == "cuda" else torch.backends.mps.is_available()


def _computes_right(device: torch.device) -> bool:
    """Whether a product of whole numbers, which no rounding touches, is that of the CPU."""
    a = torch.arange(_SIDE * _SIDE, dtype=torch.float32).remainder(7).view(_SIDE, _SIDE)
    try:
        return torch.equal((a.to(device) @ a.to(device)).cpu(), a @ a)
    except RuntimeError:  # a driver that does not fit, an architecture that this build lacks
        return False


def multiplies_bf16(device: torch.device | str) -> bool:
    """Whether a device has instructions for products of bfloat16 matrices, which halve the bytes
    and more.

    False where they would end the process: see `avoid_hidden_tiles`.
    """
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported()
    if _hides_tiles() and not os.environ.get(_ISA_LIMIT):
        return False
    # Private API: without it fp32 is assumed, which is always correct but slower where bf16 is
    # available.
    checks = (
        getattr(torch.cpu, name, None)
        for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return any(ask is not None and ask() for ask in checks)


def has_hidden_tiles(cpuinfo: str) -> bool:
    """Whether a virtual machine announces AMX and hides the CPUID leaf with the size of its tiles.

    oneDNN, which multiplies torch's bfloat16 matrices, then loads tiles of size 0 and the process
    dies of an illegal instruction. Seen in a virtual machine with "cpuid level: 28" on a CPU
    with level 32.

    Args:
        cpuinfo: the content of /proc/cpuinfo; only the first CPU counts.
    """
    told = dict(re.findall(r"^(.+?)[ \t]*:[ \t]*(.*)$", cpuinfo.split("\n\n")[0], re.MULTILINE))
    level = told.get("cpuid level", "")
    return (
        "amx_tile" in told.get("flags", "").split() and level.isdigit() and int(level) < _TILE_LEAF
    )


def avoid_hidden_tiles() -> None:
    """Stops oneDNN from using AMX where its tiles are hidden, so that bfloat16 can be multiplied
    there.

    A process calls it at its start: oneDNN reads this environment variable at torch's first matrix
    product.
    """
    if _hides_tiles():
        os.environ.setdefault(_ISA_LIMIT, "AVX512_CORE_BF16")


def _hides_tiles() -> bool:
    try:
        return has_hidden_tiles(_CPUINFO.read_text(encoding="utf-8"))
    except OSError:
        return False


def cpu_quota(mount: Path = _CGROUPS, own: Path = _OWN_CGROUP) -> float | None:
    """The CPUs that a container may use, such as 2.0 for `docker run --cpus 2`; None without a
    limit.

    Args:
        mount: where the kernel shows control groups.
        own: the file that names this process's group.
    """
    limits = list[float]()
    for folder in _groups(mount, own):
        with suppress(OSError, ValueError):  # version 2: "200000 100000", or "max 100000"
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
            limits.append(int(quota) / int(period))
        with suppress(OSError, ValueError):  # version 1: -1 for no limit
            quota = int((folder / "cpu.cfs_quota_us").read_text(encoding="ascii"))
            if quota > 0:
                limits.append(
                    quota / int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
                )
    return min(limits, default=None)


def _groups(mount: Path, own: Path) -> Iterator[Path]:
    """The folders of this process's control group and of all above it."""
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:  # no such file but on Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = mount / controllers if controllers else mount
        group = root / path.lstrip("/")
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(root))
        if controllers:
            yield mount / "cpu"


def keep_to_quota() -> None:
    """Lets torch use no more threads than a container has CPUs: more would be stopped in each
    period, all together.
    """
    quota = cpu_quota()
    if quota is not None and math.ceil(quota) < torch.get_num_threads():
        torch.set_num_threads(math.ceil(quota))


def keep_freed_memory() -> None:
    """Makes glibc keep freed memory, for the whole process: every step frees and reallocates the
    same large tensors, and returning them to the system in between causes page faults each time
    (measured: 8.1k against 11.2k tokens/s for the mini). A no-op on other systems.
    """
    m_trim_threshold = -1
    m_top_pad = -2
    m_mmap_max = -4
    _glibc("mallopt", (m_mmap_max, 0), (m_trim_threshold, 2**31 - 1), (m_top_pad, 256 * 2**20))


def allocate_in_one_arena() -> None:
    """Makes all threads of the process allocate from one heap of glibc's, for servers with many
    short-lived threads.

    By default each thread has a heap of its own, up to eight times as many as there are cores, and
    what a crowd leaves behind keeps parts of all of them. Must be called before other threads
    allocate. A no-op on other systems.
    """
    m_arena_max = -8
    _glibc("mallopt", (m_arena_max, 1))


def return_freed_memory() -> None:
    """Returns freed memory to the system: after many short computations in many threads, glibc
    holds hundreds of megabytes of fragments. A no-op on other systems.
    """
    _glibc("malloc_trim", (0,))


def _glibc(function: str, *calls: tuple[int, ...]) -> None:
    """Calls a function of glibc; nothing on other systems, or with another libc: slower, not
    wrong.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            call = getattr(ctypes.CDLL("libc.so.6"), function)
            for numbers in calls:
                call(*numbers)
